"""Headings of a Word document that has none by style: lines of their own in bold type, the larger the higher."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from knowledge.loading.blocks import flat
from knowledge.loading.docx_styles import Styles, W, value_of

_MAX_HEADING = 80
_MOST_HEADINGS = 0.5
_MOST_LEVELS = 5


@dataclass(frozen=True, slots=True)
class _Look:
    """A paragraph's type: whether all of it is bold, and its size in half points (0: the document's own)."""

    bold: bool
    size: int


def emphasised_headings(body: etree._Element, styles: Styles) -> dict[etree._Element, int]:
    """The paragraphs to be read as headings, with their levels; none where a style marks headings, or where most text is bold."""
    paragraphs = [one for one in body.iter(W + "p") if not _is_inside(one, body)]
    if any(styles.of(one).level for one in paragraphs):
        return {}
    texts = [flat("".join(text.text or "" for text in one.iter(W + "t"))) for one in paragraphs]
    held = [(one, text, _look(one)) for one, text in zip(paragraphs, texts, strict=True) if text]
    found: dict[etree._Element, _Look] = {}
    for at, (paragraph, text, look) in enumerate(held):
        follows = held[at + 1][2] if at + 1 < len(held) else look
        if look.bold and _reads_like_one(text) and (follows != look or text[0].isdigit()):
            found[paragraph] = look
    if len(found) > _MOST_HEADINGS * len(held):
        return {}
    sizes = sorted({look.size for look in found.values()}, reverse=True)
    return {paragraph: min(sizes.index(look.size) + 1, _MOST_LEVELS) for paragraph, look in found.items()}


def _reads_like_one(text: str) -> bool:
    return len(text) <= _MAX_HEADING and text[-1] not in ".;,:!" and any(map(str.isalpha, text))


def _is_inside(paragraph: etree._Element, body: etree._Element) -> bool:
    """Whether it stands in a table or a text box."""
    return any(one.tag in (W + "tbl", W + "txbxContent") for one in paragraph.iterancestors() if one is not body)


def is_bold(element: etree._Element) -> bool:
    """Whether all words of a paragraph or a table's row are in bold type."""
    marks = [run.find(f"{W}rPr/{W}b") for run in _runs(element)]
    return bool(marks) and all(one is not None and value_of(one) not in ("0", "false", "off") for one in marks)


def _look(paragraph: etree._Element) -> _Look:
    sizes = [value_of(run.find(f"{W}rPr/{W}sz")) for run in _runs(paragraph)]
    return _Look(is_bold(paragraph), max((int(size) for size in sizes if size.isdigit()), default=0))


def _runs(element: etree._Element) -> list[etree._Element]:
    runs = element.iter(W + "r")
    return [run for run in runs if any((text.text or "").strip() for text in run.iter(W + "t"))]
