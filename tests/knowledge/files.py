"""Small files of every kind, written byte by byte, so that the tests need no writer of these formats."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import NamedTuple

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


class Drawn(NamedTuple):
    """A line of a PDF in a size and weight of its own; ``at``: its cells' distances from the left, in points."""

    cells: tuple[str, ...]
    size: int = 12
    bold: bool = False
    at: tuple[int, ...] = (72,)


def _shown(line: str | Drawn, y: int) -> bytes:
    drawn = Drawn((line,)) if isinstance(line, str) else line
    escaped = [cell.encode().replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)") for cell in drawn.cells]
    return b"".join(
        b"BT /F%d %d Tf %d %d Td (%s) Tj ET\n" % (2 if drawn.bold else 1, drawn.size, x, y, cell)
        for x, cell in zip(drawn.at, escaped, strict=True)
    )


def pdf(
    pages: Sequence[Sequence[str | Drawn]],
    *,
    title: str = "",
    encrypted: bool = False,
    bookmarks: Sequence[tuple[str, int]] = (),
) -> bytes:
    """A PDF of lines of ASCII text, 12 points, from the top of each page down; ``bookmarks`` are (title, page index)."""
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    catalog, tree, font = add(b""), add(b""), add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    bold = add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>")
    kids = []
    for lines in pages:
        shown = b"".join(_shown(line, 760 - 16 * at) for at, line in enumerate(lines))
        stream = add(b"<< /Length %d >>\nstream\n%sendstream" % (len(shown), shown))
        kids.append(
            add(
                b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
                b"/Resources << /Font << /F1 %d 0 R /F2 %d 0 R >> >> >>" % (tree, stream, font, bold)
            )
        )
    outline = b""
    if bookmarks:
        first = len(objects) + 2
        root = add(
            b"<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>"
            % (first, first + len(bookmarks) - 1, len(bookmarks))
        )
        for at, (name, page) in enumerate(bookmarks):
            sibling = b"/Next %d 0 R" % (first + at + 1) if at + 1 < len(bookmarks) else b""
            add(b"<< /Title (%s) /Parent %d 0 R /Dest [%d 0 R /Fit] %s >>" % (name.encode(), root, kids[page], sibling))
        outline = b"/Outlines %d 0 R" % root
    objects[catalog - 1] = b"<< /Type /Catalog /Pages %d 0 R %s >>" % (tree, outline)
    objects[tree - 1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (
        len(kids),
        b" ".join(b"%d 0 R" % kid for kid in kids),
    )
    trailer = b"/Root %d 0 R" % catalog
    if title:
        trailer += b" /Info %d 0 R" % add(b"<< /Title (%s) >>" % title.encode())
    if encrypted:
        # No password opens this: what the file says of its password is not what any password gives.
        key = b"<" + b"41" * 32 + b">"
        lock = add(b"<< /Filter /Standard /V 1 /R 2 /O %s /U %s /P -4 >>" % (key, key))
        trailer += b" /Encrypt %d 0 R /ID [<00> <00>]" % lock
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, io.SEEK_END)
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % offset for offset in offsets)
    out.write(b"trailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start))
    return out.getvalue()


def paragraph(text: str, style: str = "", *, more: str = "") -> str:
    """A Word paragraph of one run."""
    chosen = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f'<w:p><w:pPr>{chosen}{more}</w:pPr><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def docx(body: str, *, styles: str = "", numbering: str = "", footnotes: str = "") -> bytes:
    """A Word document of the given body XML; ``styles``, ``numbering`` and ``footnotes`` are the insides of those parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", "<Types/>")
        package.writestr("word/document.xml", f"<w:document {W}><w:body>{body}</w:body></w:document>")
        package.writestr("word/styles.xml", f"<w:styles {W}>{HEADINGS}{styles}</w:styles>")
        if numbering:
            package.writestr("word/numbering.xml", f"<w:numbering {W}>{numbering}</w:numbering>")
        if footnotes:
            package.writestr("word/footnotes.xml", f"<w:footnotes {W}>{footnotes}</w:footnotes>")
    return out.getvalue()


HEADINGS = "".join(
    f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/></w:style>'
    for level in (1, 2, 3)
)
