"""HTML, PDF and DOCX come out as Markdown-like text, with what a reader sees and nothing else."""

from __future__ import annotations

import io
import zipfile

import pytest

from knowledge.loading.docx import read_docx
from knowledge.loading.html import read_html
from knowledge.loading.parsed import UnreadableError
from knowledge.loading.pdf import read_pdf
from tests.knowledge.files import docx, paragraph, pdf


def html(body: str, head: str = "") -> str:
    return read_html(f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>".encode()).text


def test_html_keeps_the_main_text_and_drops_the_frame() -> None:
    text = html(
        '<header>Shop</header><nav>Home</nav><div class="breadcrumb">Home / Help</div><script>var x = "<p>no</p>"</script>'
        "<h1>Returns  policy</h1><p>Seven <b>days</b>.<!-- no --></p><style>p {}</style>"
        "<aside>Ads</aside><footer>Imprint</footer>"
    )
    assert text == "# Returns policy\n\nSeven days.\n"


def test_html_takes_main_alone_where_there_is_one() -> None:
    assert (
        html("<p>Frame</p><main><header><h1>T</h1></header><p>Text.</p><footer>Note.</footer></main>")
        == "# T\n\nText.\n\nNote.\n"
    )


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            "<dl><dt>F04</dt><dd>Full. Empty it.</dd><dt>F07</dt><dd><p>Belt.</p><p>Call.</p></dd></dl>",
            "F04: Full. Empty it.\n\nF07: Belt.\n\nCall.\n",
        ),
        ("<dl><div><dt>F01:</dt><dt>F02</dt><dd>Sensor.</dd></div></dl>", "F01, F02: Sensor.\n"),
        ("<dl><dt>Can I return it?</dt><dd>Yes.</dd></dl>", "Can I return it?\n\nYes.\n"),
        (
            "<dl><dt>F04</dt><dd><ul><li>Empty it.</li></ul></dd><dt>F05</dt></dl><p>x</p>",
            "F04\n\n- Empty it.\n\nF05\n\nx\n",
        ),
        (f"<dl><dt>{'long ' * 20}</dt><dd>Yes.</dd></dl>", f"{('long ' * 20).strip()}\n\nYes.\n"),
    ],
)
def test_a_term_leads_its_definition(body: str, text: str) -> None:
    assert html(body) == text


@pytest.mark.parametrize(
    "hidden",
    [
        '<p style="display: none">x</p>',
        "<p hidden>x</p>",
        '<p aria-hidden="true">x</p>',
        '<p style="font-size:0">x</p>',
        "<template>x</template>",
    ],
)
def test_html_leaves_out_what_no_reader_sees(hidden: str) -> None:
    assert html(f"<p>Before</p>{hidden}<p>After</p>") == "Before\n\nAfter\n"


def test_html_lists_code_breaks_and_raised_letters() -> None:
    text = html(
        "<ul><li>One<li>Two<ol start=3><li>Three</ol></ul><pre>a\n  b</pre><p>x<br>y</p><p>чл. 40<sup>а</sup>, 10<sup>2</sup>"
        '<sup><a href="#n">1</a></sup></p><p># no heading</p>'
    )
    assert text == "- One\n- Two\n  3. Three\n\n```\na\n  b\n```\n\nx  \ny\n\nчл. 40а, 10^2[1]\n\n\\# no heading\n"


def test_html_tables_say_spanned_cells_in_every_row() -> None:
    text = html(
        "<table><caption>Windows</caption><tr><th>Category<th>Days</tr><tr><td rowspan=2>Electronics<td>7 | 8<tr><td>10</table>"
        "<table><tr><td><h2>Layout</h2></td><td>Cell</td></tr></table>"
    )
    assert text == (
        "Windows\n\n| Category | Days |\n| --- | --- |\n| Electronics | 7 \\| 8 |\n| Electronics | 10 |\n\n## Layout\n\nCell\n"
    )


def test_html_keeps_links_to_other_documents() -> None:
    assert html('<p>See <a href="damage.html#late">damage</a> or <a href="https://x.org">the web</a>.</p>') == (
        "See [damage](damage.html#late) or the web.\n"
    )


@pytest.mark.parametrize(
    "link",
    [
        '<a class="headerlink" href="#scope" title="Permalink to this heading">¶</a>',
        '<a class="header-anchor" href="#scope">§</a>',
        '<a href="#scope"># </a>',
        '<a class="hash-link" href="#scope">\u200b</a>',
    ],
)
def test_html_headings_are_without_the_sign_that_links_to_them(link: str) -> None:
    page = f"<title>x</title><h1>1. <i>Scope</i>{link} of it</h1><p>All.</p><table><tr><th>A<th>B{link}</table>"
    parsed = read_html(page.encode())
    assert parsed.title == "1. Scope of it"
    assert parsed.text.startswith("# 1. Scope of it\n\nAll.\n") and "¶" not in parsed.text
    assert html('<h2><a class="header-anchor" href="#scope">Scope</a></h2><p>See <a href="#5">§ 5</a>.</p>') == (
        "## Scope\n\nSee § 5.\n"
    )


@pytest.mark.parametrize(
    "link",
    [
        '<a class="footnote-reference brackets" href="#id2" id="id1">1</a>',
        '<a href="#n1" role="doc-noteref"><span>1</span></a>',
        '<sup class="footnote-ref"><a href="#fn1" id="fnref1">1</a></sup>',
        '<a href="#fn:1">1</a>',
    ],
)
def test_html_numbers_of_footnotes_do_not_run_into_sentences(link: str) -> None:
    page = f"<p>The change goes through a process. {link} It takes a week{link}.</p>"
    assert html(page) == "The change goes through a process. [1] It takes a week[1].\n"
    assert "| Heating[1] |" in html(f"<table><tr><th>A<th>B<tr><td>x<td>Heating{link}</table>")
    assert html('<p>See section <a href="#s5">5</a>.</p><p><a class="fn-ref" href="#id1">1</a> A note.</p>') == (
        "See section 5.\n\n1 A note.\n"
    )


def test_html_follows_its_declared_charset() -> None:
    data = '<meta charset="windows-1251"><p>Срок за връщане</p>'.encode("cp1251")
    assert read_html(data).text == "Срок за връщане\n"


def test_html_title_is_the_heading_else_the_title_tag() -> None:
    assert read_html(b"<title>T | Shop</title><h1>Returns</h1><p>x").title == "Returns"
    assert read_html(b"<title>T | Shop</title><p>x").title == "T | Shop"


def test_html_deep_nesting_and_wide_spans_stay_bounded() -> None:
    assert html("<div>" * 1500 + "deep") == "deep\n"
    assert len(html("<table>" + "<tr><td rowspan=60000 colspan=60000>x<td>y" * 200 + "</table>")) < 200_000


def test_pdf_pages_stand_where_their_text_begins() -> None:
    parsed = read_pdf(pdf([["The window is", "thirty days."], [], ["Second rule."]], title="Returns"))
    assert parsed.title == "Returns"
    assert parsed.text == "The window is\nthirty days.\n\nSecond rule."
    assert [(number, parsed.text[start : start + 6]) for number, start in parsed.pages if number != 2] == [
        (1, "The wi"),
        (3, "Second"),
    ]
    assert parsed.notes == ("1 of its 3 pages hold no text (first: page 2).",)


def test_pdf_sentence_runs_over_a_page_and_running_lines_go() -> None:
    pages = [["ACME rules", "The window of page", f"{number} is", f"open {number}"] for number in range(1, 6)]
    for number, page in enumerate(pages, start=1):
        page[1:3] = [f"paragraph {'abcde'[number]} is " if number < 5 else "last words here."]
        page[2] = f"Page {number} of 5"
    text = read_pdf(pdf(pages)).text
    assert "ACME" not in text
    assert "Page" not in text
    assert "paragraph b is\nparagraph c is" in text


def test_pdf_bookmarks_make_headings() -> None:
    parsed = read_pdf(
        pdf([["1. Scope", "All staff.", "# no heading"], ["Days", "Twenty."]], bookmarks=[("Scope", 0), ("Days", 1)])
    )
    assert "# 1. Scope\n" in parsed.text
    assert "\n# Days\n" in parsed.text
    assert "\\# no heading" in parsed.text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (pdf([[], []]), "OCR"),
        (pdf([["x"]], encrypted=True), "encrypted"),
        (b"%PDF-1.7\nrubbish", "not a PDF"),
    ],
)
def test_pdf_that_cannot_be_read_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableError, match=reason):
        read_pdf(data)


def run(text: str, more: str = "") -> str:
    return f'<w:r>{more}<w:t xml:space="preserve">{text}</w:t></w:r>'


def test_docx_headings_text_in_controls_and_insertions_without_deletions() -> None:
    body = (
        paragraph("Leave", "Heading1")
        + f"<w:sdt><w:sdtContent>{paragraph('Twenty days.')}</w:sdtContent></w:sdt>"
        + f"<w:p>{run('Kept ')}<w:ins>{run('inserted')}</w:ins><w:del>{run('deleted')}</w:del>"
        + f"{run('hidden', '<w:rPr><w:vanish/></w:rPr>')}{run('.')}</w:p>"
        + paragraph("Outline", more='<w:outlineLvl w:val="1"/>')
    )
    parsed = read_docx(docx(body))
    assert parsed.title == "Leave"
    assert parsed.text == "# Leave\n\nTwenty days.\n\nKept inserted.\n\n## Outline\n"


def test_docx_automatic_numbers_are_written_out() -> None:
    def level(at: int, form: str, pattern: str) -> str:
        return (
            f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{pattern}"/></w:lvl>'
        )

    numbering = (
        f'<w:abstractNum w:abstractNumId="0">{level(0, "decimal", "Article %1.")}{level(1, "decimal", "(%2)")}'
        f"{level(2, 'russianLower', '%3)')}"
        '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    )

    def numbered(text: str, depth: int) -> str:
        return paragraph(text, more=f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="1"/></w:numPr>')

    body = (
        numbered("Scope", 0)
        + numbered("All", 1)
        + numbered("staff", 1)
        + numbered("letters", 2)
        + numbered("Days", 0)
        + numbered("Few", 1)
    )
    text = read_docx(docx(body, numbering=numbering)).text
    assert text == "Article 1. Scope\n\n  (1) All\n  (2) staff\n    а) letters\n\nArticle 2. Days\n\n  (1) Few\n"


def test_docx_tables_and_footnotes() -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"

    restart, down = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    table = (
        f"<w:tbl><w:tr>{cell('Grade')}{cell('Days')}</w:tr>"
        + f"<w:tr>{cell('A', restart)}{cell('25')}</w:tr><w:tr>{cell('', down)}{cell('20')}</w:tr></w:tbl>"
    )
    frame = f"<w:tbl><w:tr><w:tc>{paragraph('Framed.')}{paragraph('Twice.')}</w:tc></w:tr></w:tbl>"
    noted = f'<w:p>{run("Days count")}<w:r><w:footnoteReference w:id="7"/></w:r>{run(" from Monday.")}</w:p>'
    footnotes = f'<w:footnote w:id="7">{paragraph("Holidays aside.")}</w:footnote>'
    text = read_docx(docx(table + frame + noted, footnotes=footnotes)).text
    assert text == (
        "| Grade | Days |\n| --- | --- |\n| A | 25 |\n| A | 20 |\n\nFramed.\n\nTwice.\n\n"
        "Days count[1] from Monday.\n\n[1] Holidays aside.\n"
    )


def bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("word/document.xml", b" " * 70_000_000)
    return out.getvalue()


def laughs() -> bytes:
    inside = ["ha", *(f"&e{at};" * 10 for at in range(8))]
    entities = "".join(f'<!ENTITY e{at} "{text}">' for at, text in enumerate(inside))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("word/document.xml", f"<!DOCTYPE d [{entities}]><d>&e8;</d>")
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (bomb(), "over the limit"),
        (b"PK\x03\x04", "damaged"),
        (b"\xd0\xcf\x11\xe0" + bytes(100), "encrypted"),
        (docx("<w:p>")[:-30], "damaged"),
        (docx("<w:open>"), "damaged"),
    ],
)
def test_docx_that_cannot_be_read_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableError, match=reason):
        read_docx(data)


def test_docx_entities_are_not_expanded() -> None:
    with pytest.raises(UnreadableError, match="damaged"):
        read_docx(laughs())


@pytest.mark.parametrize(
    ("rows", "opening"),
    [
        ("<tr><td>Owner<td>HR<tr><td>Status<td>In force", "| | |"),
        ("<tr><th>Owner<td>7<tr><th>Days<td>20", "| | |"),
        ("<tr><td>Grade<td>Days<tr><td>A<td>25", "| Grade | Days |"),
        ("<tr><th>Owner<th>Role<tr><td>Ann<td>HR", "| Owner | Role |"),
        ("<tr><td>Owner<td>Role<td>Room<tr><td>Ann<td>HR<td>x", "| Owner | Role | Room |"),
    ],
)
def test_a_table_of_names_and_values_has_no_header(rows: str, opening: str) -> None:
    assert html(f"<table>{rows}</table>").replace("|  |  |", "| | |").startswith(opening + "\n")


def test_docx_tables_of_names_and_values_have_no_header() -> None:
    def cell(text: str, more: str = "") -> str:
        return f"<w:tc><w:p><w:r>{more}<w:t>{text}</w:t></w:r></w:p></w:tc>"

    second = f"<w:tr>{cell('Status')}{cell('In force')}</w:tr>"
    bold = "<w:rPr><w:b/></w:rPr>"
    plain = read_docx(docx(f"<w:tbl><w:tr>{cell('Owner')}{cell('HR')}</w:tr>{second}</w:tbl>")).text
    named = read_docx(docx(f"<w:tbl><w:tr>{cell('Name', bold)}{cell('Value', bold)}</w:tr>{second}</w:tbl>")).text
    marked = "<w:trPr><w:tblHeader/></w:trPr>"
    repeated = read_docx(docx(f"<w:tbl><w:tr>{marked}{cell('Name')}{cell('Value')}</w:tr>{second}</w:tbl>")).text
    assert plain.split("\n")[2] == "| Owner | HR |"
    assert named.startswith("| Name | Value |") and repeated.startswith("| Name | Value |")
