"""One file to text, by its kind, within bounds."""

from __future__ import annotations

from collections.abc import Callable

from knowledge.documents import DocumentKind
from knowledge.loading.files import Found
from knowledge.loading.markdown import read_markdown, read_text
from knowledge.loading.parsed import Parsed, UnreadableError

MAX_FILE_BYTES = 200_000_000


def _reader(kind: DocumentKind) -> Callable[[bytes], Parsed]:
    """The kind's reader; each brings its library, so only what is read is imported."""
    match kind:
        case "html":
            from knowledge.loading.html import read_html

            return read_html
        case "pdf":
            from knowledge.loading.pdf import read_pdf

            return read_pdf
        case "docx":
            from knowledge.loading.docx import read_docx

            return read_docx
        case "markdown":
            return read_markdown
        case "text":
            return read_text


def read(file: Found) -> Parsed:
    """The file's text. Raises ``UnreadableError`` with the reason where there is none to be had."""
    try:
        size = file.path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise UnreadableError(
                f"is {size / 1e6:,.0f} MB, over the limit of {MAX_FILE_BYTES // 1_000_000} MB: split it into smaller files"
            )
        data = file.path.read_bytes()
    except OSError as error:
        raise UnreadableError(f"can't be opened: {error.strerror or error}") from None
    if not data.strip():
        raise UnreadableError("is empty")
    parsed = _reader(file.kind)(data)
    if not parsed.text.strip():
        raise UnreadableError("holds no text")
    return parsed
