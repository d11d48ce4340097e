"""DOCX to Markdown: headings by outline level, numbering written out, tables, footnotes where they are referred to.

Read from the package's XML itself, because what legal and HR departments rely on is what simpler readers leave out: text in
content controls, tracked insertions, automatic numbers ("Article 7" may stand only in the numbering) and footnotes. Deleted
and hidden text is left out.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

from lxml import etree

from knowledge.chunking.markdown import outline
from knowledge.loading.blocks import LINE_BREAK, Blocks, flat
from knowledge.loading.docx_emphasis import emphasised_headings, is_bold
from knowledge.loading.docx_styles import Numbering, Styles, W, value_of
from knowledge.loading.parsed import Parsed, UnreadableError, clean
from knowledge.loading.raised import marks_of
from knowledge.loading.titles import title_in

#: The most XML that one part may unpack to; a longer document than any book stays far below.
MAX_PART_BYTES = 60_000_000
_SKIPPED = frozenset(
    W + name
    for name in (
        "del",
        "moveFrom",
        "instrText",
        "delText",
        "rPr",
        "pPr",
        "sectPr",
        "sdtPr",
        "tblPr",
        "trPr",
        "tcPr",
        "txbxContent",
    )
) | {"{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"}
_TITLE_PART = "docProps/core.xml"


def read_docx(data: bytes) -> Parsed:
    """The document's text. The title is what the title style or the one top heading says, else the document's properties, else
    what the text opens with.
    """
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise UnreadableError("is encrypted, or an old Word file under a new name: save it as .docx without a password")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            main = _part(package, "word/document.xml")
            if main is None:
                raise UnreadableError("is not a Word document: word/document.xml is missing in it")
            reader = _Reader(
                Styles(_part(package, "word/styles.xml")),
                Numbering(_part(package, "word/numbering.xml")),
                _part(package, "word/footnotes.xml"),
            )
            properties = _part(package, _TITLE_PART)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, RuntimeError, ValueError) as error:
        raise UnreadableError(f"is a damaged DOCX file ({error})") from None
    body = main.find(W + "body")
    if body is not None:
        reader.read_body(body)
    title = properties.findtext("{http://purl.org/dc/elements/1.1/}title") if properties is not None else None
    text = clean(reader.blocks.text)
    tops = [heading.text for heading in outline(text)[0] if heading.level == 1 and heading.text]
    own = reader.title or (tops[0] if len(tops) == 1 else None)
    return Parsed(text, own or flat(title or "") or title_in(text))


def _part(package: zipfile.ZipFile, name: str) -> etree._Element | None:
    """A part parsed, within bounds: entities are left alone, nothing is fetched."""
    try:
        info = package.getinfo(name)
    except KeyError:
        return None
    if info.file_size > MAX_PART_BYTES:
        raise UnreadableError(
            f"unpacks to {info.file_size / 1e6:,.0f} MB of XML, over the limit of {MAX_PART_BYTES // 1_000_000} MB: split it"
        )
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, remove_comments=True
    )
    try:
        with package.open(info) as part:
            return etree.fromstring(part.read(MAX_PART_BYTES + 1), parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableError(f"is a damaged DOCX file ({name}: {error.msg})") from None


class _Reader:
    """Writes a document's body to ``blocks``."""

    def __init__(self, styles: Styles, numbering: Numbering, footnotes: etree._Element | None) -> None:
        self.styles = styles
        self.numbering = numbering
        self.blocks = Blocks()
        self.title: str | None = None
        self._emphasised: dict[etree._Element, int] = {}
        self._notes = {note.get(W + "id"): note for note in footnotes} if footnotes is not None else {}
        self._numbers: dict[str, int] = {}  # footnotes by id, numbered as they are met

    def read_body(self, body: etree._Element) -> None:
        """The whole document."""
        self._emphasised = emphasised_headings(body, self.styles)
        self.read(body)

    def read(self, container: etree._Element) -> None:
        """All blocks in a body, a table cell or a text box, in order."""
        for block in _blocks(container):
            if block.tag == W + "p":
                self._paragraph(block)
            else:
                self._table(block)

    def _paragraph(self, paragraph: etree._Element) -> None:
        notes: list[str] = []
        text = self._text(paragraph, notes)
        style = self.styles.of(paragraph)
        numbered = self.numbering.label(style.numbering) if style.numbering and flat(text) else None
        level = style.level or self._emphasised.get(paragraph)
        if level is not None:
            words = f"{numbered.text} {text}" if numbered and numbered.text else text
            self.blocks.heading(level, words.replace(LINE_BREAK, " "))
            if self.title is None and style.is_title and flat(text):
                self.title = flat(text.replace(LINE_BREAK, " "))
        elif numbered and numbered.is_item:
            self.blocks.item(text, numbered.text or "-", numbered.depth)
        elif numbered:
            self.blocks.paragraph(f"{numbered.text} {text}")
        elif flat(text).endswith("?") and LINE_BREAK not in text and is_bold(paragraph):
            self.blocks.question(text)
        else:
            self.blocks.paragraph(text)
        for box in paragraph.iter(W + "txbxContent"):
            if not any(one.tag in _SKIPPED and one.tag != W + "txbxContent" for one in box.iterancestors()):
                self.read(box)
        for note in notes:
            self.blocks.paragraph(note)

    def _text(self, paragraph: etree._Element, notes: list[str]) -> str:
        """The words that a reader sees, with the footnotes that they refer to written to ``notes``."""
        parts: list[str] = []
        walk = etree.iterwalk(paragraph, events=("start",))
        for _, element in walk:
            tag = element.tag
            if element is not paragraph and (tag in _SKIPPED or (tag == W + "r" and self.styles.is_hidden(element))):
                walk.skip_subtree()
            elif tag == W + "t":
                opens, closes = marks_of(element.text or "", "".join(parts)) if _is_raised(element) else ("", "")
                parts.append(f"{opens}{element.text or ''}{closes}")
            elif tag == W + "tab":
                parts.append(" ")
            elif tag in (W + "br", W + "cr"):
                parts.append(LINE_BREAK)
            elif tag == W + "noBreakHyphen":
                parts.append("-")
            elif tag == W + "footnoteReference":
                parts.append(self._footnote(element.get(W + "id") or "", notes))
        return "".join(parts)

    def _footnote(self, key: str, notes: list[str]) -> str:
        note = self._notes.get(key)
        if note is None:
            return ""
        is_new = key not in self._numbers
        number = self._numbers.setdefault(key, len(self._numbers) + 1)
        if is_new:
            # A footnote can't hold footnotes, so this goes one level deep and no deeper.
            words = " ".join(self._text(one, []) for one in note.iter(W + "p"))
            notes.append(f"[{number}] {flat(words)}")
        return f"[{number}]"

    def _table(self, table: etree._Element) -> None:
        rows = [
            [cell for cell in _children(row) if cell.tag == W + "tc"] for row in _children(table) if row.tag == W + "tr"
        ]
        if sum(map(len, rows)) == 1 or max(map(len, rows), default=0) == 1:
            for row in rows:
                for cell in row:
                    self.read(cell)  # a frame around text, no table
            return
        notes: list[str] = []
        grid: list[list[str]] = []
        above: dict[int, str] = {}  # column -> text of the cell merged downwards from above
        for row in rows:
            line: list[str] = []
            for cell in row:
                text = self._cell(cell, notes)
                merge = cell.find(f"{W}tcPr/{W}vMerge")
                if merge is not None and value_of(merge) != "restart":
                    text = text or above.get(len(line), "")
                above[len(line)] = text
                width = cell.find(f"{W}tcPr/{W}gridSpan")
                span = value_of(width) if width is not None else "1"
                line.extend([text, *[""] * (min(int(span), 60) - 1 if span.isdigit() and len(span) < 4 else 0)])
            grid.append(line)
        self.blocks.table(grid, header=_names_columns(table))
        for note in notes:
            self.blocks.paragraph(note)

    def _cell(self, cell: etree._Element, notes: list[str]) -> str:
        """A cell's words, those of tables within it too."""
        parts: list[str] = []
        for paragraph in cell.iter(W + "p"):
            text = flat(self._text(paragraph, notes).replace(LINE_BREAK, " "))
            numbering = self.styles.of(paragraph).numbering
            numbered = self.numbering.label(numbering) if numbering and text else None
            parts.append(f"{numbered.text} {text}" if numbered and numbered.text else text)
        return " ".join(part for part in parts if part)


def _is_raised(text: etree._Element) -> bool:
    """Whether a run's text stands above the line."""
    run = text.getparent()
    mark = None if run is None else run.find(f"{W}rPr/{W}vertAlign")
    return mark is not None and value_of(mark) == "superscript"


def _names_columns(table: etree._Element) -> bool | None:
    """Whether the first row names the columns, as far as the document says: marked as a header, or alone in bold type."""
    rows = [row for row in _children(table) if row.tag == W + "tr"]
    if rows[0].find(f"{W}trPr/{W}tblHeader") is not None:
        return True
    return True if is_bold(rows[0]) and not any(map(is_bold, rows[1:])) else None


def _children(element: etree._Element) -> Iterator[etree._Element]:
    """Children, with those inside content controls and custom XML in their place."""
    for child in element:
        if child.tag == W + "sdt":
            content = child.find(W + "sdtContent")
            if content is not None:
                yield from _children(content)
        elif child.tag in (W + "customXml", W + "smartTag", W + "ins", W + "moveTo"):
            yield from _children(child)
        else:
            yield child


def _blocks(container: etree._Element) -> Iterator[etree._Element]:
    return (child for child in _children(container) if child.tag in (W + "p", W + "tbl"))
