"""What a PDF's layout tells: headings, tables, cut words, and lines that every page repeats."""

from __future__ import annotations

import pytest

from knowledge.chunking import ChunkingDefaults, chunk
from knowledge.documents import SourceDocument
from knowledge.loading.pdf import read_pdf
from knowledge.loading.pdf_text import drop_contents, drop_running_lines, join_words
from tests.knowledge.files import Drawn, pdf

COLUMNS = (72, 200, 300)
PROSE = "Employees may claim annual leave after four months of continuous employment with us"


def title(text: str) -> Drawn:
    return Drawn((text,), 20, True)


def head(text: str) -> Drawn:
    return Drawn((text,), 15, True)


def row(*cells: str, bold: bool = False) -> Drawn:
    return Drawn(cells, 12, bold, COLUMNS[: len(cells)])


def test_larger_type_makes_headings_and_the_title() -> None:
    parsed = read_pdf(
        pdf([[title("Leave Policy"), head("1. Scope"), PROSE, f"{PROSE}.", head("2. Limits"), PROSE, f"{PROSE}."]])
    )
    assert parsed.title == "Leave Policy"
    lines = parsed.text.split("\n")
    assert [line for line in lines if line.startswith("#")] == ["# Leave Policy", "## 1. Scope", "## 2. Limits"]


def test_a_bold_line_of_its_own_is_a_heading_and_bold_sentences_are_not() -> None:
    parsed = read_pdf(
        pdf(
            [
                [
                    "Handbook of leave",
                    Drawn(("Carry over",), bold=True),
                    PROSE,
                    f"{PROSE}.",
                    PROSE,
                    Drawn(("Unused days are never paid out.",), bold=True),
                    PROSE,
                ]
            ]
        )
    )
    assert "\n# Carry over\n" in parsed.text
    assert parsed.text.count("#") == 1


def test_a_heading_that_wraps_is_one_heading() -> None:
    wrapped, others = [head("Return of goods bought at a"), head("distance")], [head("1. One"), head("2. Two")]
    pages: list[list[str | Drawn]] = [[*wrapped, PROSE, PROSE, f"{PROSE}.", *others, PROSE, PROSE]]
    text = read_pdf(pdf(pages)).text
    assert "# Return of goods bought at a distance\n" in text
    assert "# 1. One\n" in text and "# 2. Two\n" in text


def test_where_everything_is_large_nothing_is_a_heading() -> None:
    slides: list[list[str | Drawn]] = [[Drawn((f"Point {letter} of the talk is large",), 24)] for letter in "abc"]
    slides.append(["a small note that runs on for longer than any of the points of this talk, and then some more"])
    assert "#" not in read_pdf(pdf(slides)).text


@pytest.mark.parametrize(
    "junk", ["(anonymous)", "untitled", "Microsoft Word - x", "Document1", "leave_policy_v2", "a.docx"]
)
def test_what_programs_write_is_no_title(junk: str) -> None:
    assert read_pdf(pdf([[title("Leave Policy"), PROSE, PROSE]], title=junk)).title == "Leave Policy"


def test_chapters_of_one_size_are_no_title() -> None:
    assert read_pdf(pdf([[head("1. Scope"), PROSE, PROSE], [head("2. Limits"), PROSE, PROSE]])).title is None


def test_a_table_keeps_its_rows_under_its_header() -> None:
    page: list[str | Drawn] = [
        PROSE,
        row("Grade", "Days", "Rate", bold=True),
        row("G1", "3", "12 EUR"),
        row("G2", "5", "23 EUR"),
        PROSE,
    ]
    text = read_pdf(pdf([page])).text
    assert "\n| Grade | Days | Rate |\n| --- | --- | --- |\n| G1 | 3 | 12 EUR |\n| G2 | 5 | 23 EUR |\n" in text


def test_a_table_goes_on_over_a_pages_end() -> None:
    header, rows = row("Grade", "Days", bold=True), [row(f"G{n}", str(n + 20)) for n in range(1, 7)]
    text = read_pdf(pdf([[PROSE, header, *rows[:3]], rows[3:5], [rows[5], PROSE]])).text
    assert "| G3 | 23 |\n| G4 | 24 |\n| G5 | 25 |\n| G6 | 26 |\n" in text
    again = read_pdf(pdf([[PROSE, header, *rows[:3]], [header, *rows[3:]]])).text
    assert "| G3 | 23 |\n\n| Grade | Days |\n| --- | --- |\n| G4 | 24 |" in again


@pytest.mark.parametrize(
    "rows",
    [
        [row("G1", "3", "1"), row("G2", "5", "2"), row("G3", "7", "4")],
        [row("Grade", "Days", bold=True), row("G1", "3")],
        [row("Owner", "HR"), row("Version", "three"), row("Status", "in force")],
    ],
    ids=["no header", "two rows", "names and values"],
)
def test_rows_without_a_header_stay_lines(rows: list[Drawn]) -> None:
    page: list[str | Drawn] = [PROSE, *rows, PROSE]
    assert "|" not in read_pdf(pdf([page])).text


def test_a_pdf_is_cut_at_its_headings() -> None:
    parsed = read_pdf(
        pdf(
            [
                [
                    title("Leave"),
                    head("Scope"),
                    f"{PROSE}.",
                    head("Limits"),
                    f"{PROSE}.",
                    row("Grade", "Days", bold=True),
                    row("G1", "3"),
                    row("G2", "5"),
                    PROSE,
                ]
            ]
        )
    )
    document = SourceDocument(
        document_id="leave",
        title="Leave",
        text=parsed.text,
        pages=parsed.pages,
        source="leave.pdf",
        root="/",
        kind="pdf",
    )
    chunks = chunk(document, ChunkingDefaults())
    assert [one.metadata["heading_path"] for one in chunks] == ["Leave > Scope", "Leave > Limits"]
    assert "| G2 | 5 |" in chunks[1].page_content


@pytest.mark.parametrize(
    ("cut", "joined"),
    [
        ("four\ufffeteen days", "fourteen days"),
        ("four\x02\r\nteen days", "fourteen days"),
        ("the AX\ufffe204", "the AX-204"),
        ("the self\ufffeservice till", "the self-service till"),
        ("a part\ufffetime post, part-time", "a part-time post, part-time"),
        ("for ex\ufffeample, an example", "for example, an example"),
        ("Anglo\ufffeSaxon", "Anglo-Saxon"),
        ("of\ufb01ce", "office"),
    ],
)
def test_a_word_cut_at_a_lines_end_is_whole_again(cut: str, joined: str) -> None:
    assert join_words([[cut]]) == [[joined]]


def test_a_table_of_contents_goes_and_a_price_list_stays() -> None:
    titles = ["Scope", "Hours", "Sick leave", "Travel", "Expenses", "Notice"]
    lines = [f"{number}.1 {title} {'. ' * 20}{number + 2}" for number, title in enumerate(titles, start=1)]
    bodies = [[f"{number}.1 {title}", f"Rule {number}."] for number, title in enumerate(titles, start=1)]
    pages = [["CONTENTS", "Preface 1", "1 Rules 3", *lines], ["Preface", "1 Rules", "Text."], *bodies]
    drop_contents(pages)
    assert not any(pages[0]) and pages[2] == ["1.1 Scope", "Rule 1."]
    prices = [[f"{title} {'.' * 20} {price}" for title, price in zip(titles, (3, 4, 5, 6, 7, 8), strict=True)]]
    drop_contents(prices)
    assert all(prices[0])


@pytest.mark.parametrize(
    "line", [". " * 140 + "x", "x" + " ." * 140 + "… " * 5, "a. . . . " * 30 + "x", " " * 290 + "1"]
)
def test_a_line_of_dots_alone_is_no_entry_and_costs_no_more_than_others(line: str) -> None:
    pages = [[line] * 50 for _ in range(400)]
    drop_contents(pages)
    assert pages == [[line] * 50 for _ in range(400)]


def kept(pages: list[list[str]]) -> list[list[str]]:
    drop_running_lines(pages)
    return [[line for line in page if line] for page in pages]


def test_heads_and_feet_go_on_left_and_right_pages_of_any_height() -> None:
    bodies = [[f"{word} one", f"{word} two", f"{word} three"] for word in "abcdefgh"]
    pages = [
        [
            "Northwind",
            "Handbook" if number % 2 else "Leave rules",
            "Confidential",
            *body,
            "Uncontrolled copy",
            f"Version 4.2 - Page {number + 3} of 25",
        ]
        for number, body in enumerate(bodies)
    ]
    assert kept(pages) == bodies


def test_rules_that_differ_in_their_numbers_stay() -> None:
    pages = [[f"Delivery to zone {n} costs {n * 7 + 3} EUR", f"and takes {n * 2 + 1} days"] for n in range(1, 7)]
    assert kept([list(page) for page in pages]) == pages


def test_of_a_few_pages_only_sure_numbers_and_repeated_first_lines_go() -> None:
    pages = [
        ["Town by-law", "The first rule", "Page 1 of 3"],
        ["Town by-law", "A claim of 2 of 3 parts", "Page 2 of 3"],
        ["Town by-law", "The last rule", "3/3"],
    ]
    drop_running_lines(pages)
    held = [[line for line in page if line] for page in pages]
    assert held == [["Town by-law", "The first rule"], ["A claim of 2 of 3 parts"], ["The last rule"]]


def test_of_two_pages_a_first_line_stays_and_so_does_another_fraction() -> None:
    pages = [["Rules", "Step 2 of 3"], ["Rules", "Step 3 of 3"]]
    drop_running_lines(pages)
    assert pages == [["Rules", "Step 2 of 3"], ["Rules", "Step 3 of 3"]]


def test_what_stands_behind_a_table_is_no_row_of_it() -> None:
    rows = [row("Item", "First", bold=True), row("Noise", "300"), row("Smoke", "400")]
    text = read_pdf(pdf([["Fines are these", *rows, "Paid within a month", PROSE]])).text
    assert "| Smoke | 400 |\n\nPaid within a month" in text


def test_numbered_headings_that_follow_each_other_are_headings() -> None:
    def bold(text: str) -> Drawn:
        return Drawn((text,), bold=True)

    repealed = [bold("Section 8. [Repealed]"), bold("Section 9. Signs"), PROSE, f"{PROSE}."]
    text = read_pdf(
        pdf([[PROSE, f"{PROSE}.", *repealed, PROSE, bold("Signs that are"), bold("not a title"), PROSE]])
    ).text
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        "# Section 8. [Repealed]",
        "# Section 9. Signs",
    ]


def test_a_row_whose_cells_nearly_touch_is_parted_as_the_rows_around_it() -> None:
    page: list[str | Drawn] = [
        PROSE,
        Drawn(("City", "Hotel per night", "Lunch"), 12, True, (72, 155, 247)),
        Drawn(("London", "180 GBP", "15"), at=(72, 155, 247)),
        Drawn(("New York", "320 USD", "25"), at=(72, 155, 247)),
        Drawn(("All other ones", "130 EUR", "12"), at=(72, 155, 247)),
        f"{PROSE}.",
        PROSE,
    ]
    text = read_pdf(pdf([page])).text
    assert "| City | Hotel per night | Lunch |\n| --- | --- | --- |\n| London | 180 GBP | 15 |" in text
    assert "| All other ones | 130 EUR | 12 |\n" in text
    assert f"\n{PROSE}.\n" in text


def test_a_list_whose_bullets_are_drawn_is_a_list() -> None:
    items = ["fines and penalties", "minibar", "gym fees", "phone contracts"]
    page: list[str | Drawn] = [PROSE, f"{PROSE}:", *(Drawn((item,), at=(102,)) for item in items), PROSE, f"{PROSE}."]
    text = read_pdf(pdf([page])).text
    assert "\n\n- fines and penalties\n- minibar\n- gym fees\n- phone contracts\n\n" in text


@pytest.mark.parametrize(
    "lines",
    [
        [Drawn((f"{PROSE[:70]} and",), at=(102,)), Drawn((f"{PROSE[:70]} so",), at=(102,))],
        [Drawn(("(a) a first thing",), at=(102,)), Drawn(("(b) a second thing",), at=(102,))],
        [Drawn(("Chief Executive",), at=(102,)), Drawn(("Linden Housing",), at=(120,))],
        [Drawn(("One line alone",), at=(102,))],
        [Drawn(("A short sentence.",), at=(102,)), Drawn(("Another one.",), at=(102,))],
    ],
)
def test_what_is_set_in_and_no_list(lines: list[Drawn]) -> None:
    page: list[str | Drawn] = [PROSE, f"{PROSE}.", *lines, PROSE, f"{PROSE}."]
    assert "\n- " not in read_pdf(pdf([page])).text


def test_raised_numbers_are_told_from_words_and_prices() -> None:
    page: list[str | Drawn] = [PROSE, PROSE]
    data = pdf([page])
    raised = data.replace(
        b"BT /F1 12 Tf 72 744 Td (" + PROSE.encode() + b") Tj ET",
        b"BT /F1 12 Tf 72 744 Td (Heating) Tj /F1 8 Tf 42 3 Td (1) Tj /F1 12 Tf 8 -3 Td (costs 9.80) Tj "
        b"/F1 8 Tf 55 3 Td (2) Tj ET",
    )
    assert "Heating[1] costs 9.80[2]" in read_pdf(raised).text
