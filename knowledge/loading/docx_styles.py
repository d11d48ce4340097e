"""What a Word document's styles and numbering say of a paragraph: its outline level, its number, whether it is hidden."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING_NAME = re.compile(r"heading\s*([1-9])$", re.IGNORECASE)
_MAX_BASES = 20
_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
)
_ROMAN_ONES = ((5, "v"), (4, "iv"), (1, "i"))
_LATIN = "abcdefghijklmnopqrstuvwxyz"
_CYRILLIC = "абвгдежзиклмнопрстуфхцчшщэюя"

NumberingKey = tuple[str, int]


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """``level`` 1 to 6 for headings; ``numbering`` is (list, depth from 0) for numbered paragraphs and bullets."""

    level: int | None = None
    numbering: NumberingKey | None = None
    is_title: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """A number as it is shown, empty for a bullet. ``is_item`` where it is a list's and no article's ("Article 7", "Чл. 5.")."""

    text: str
    depth: int
    is_item: bool


def value_of(element: etree._Element | None) -> str:
    """The ``w:val`` of an element; empty where there is none."""
    return (element.get(W + "val") or "") if element is not None else ""


class Styles:
    """The styles part, its inheritance resolved."""

    def __init__(self, part: etree._Element | None) -> None:
        found = list(part.iter(W + "style")) if part is not None else []
        self._elements = {style.get(W + "styleId") or "": style for style in found}
        self._default = next((style.get(W + "styleId") for style in found if _is_default(style)), None)
        self._known: dict[str, ParagraphStyle] = {}

    def of(self, paragraph: etree._Element) -> ParagraphStyle:
        """What the paragraph's own properties say, else what its style says."""
        properties = paragraph.find(W + "pPr")
        if properties is None:
            return self._style(self._default or "")
        style = self._style(value_of(properties.find(W + "pStyle")) or self._default or "")
        own_level, own_numbering = _level(properties), _numbering(properties)
        # List 0 takes the style's number away.
        numbering = None if own_numbering and own_numbering[0] == "0" else own_numbering or style.numbering
        return ParagraphStyle(style.level if own_level is None else own_level or None, numbering, style.is_title)

    def is_hidden(self, run: etree._Element) -> bool:
        """Whether the run is formatted as hidden text."""
        vanish = run.find(f"{W}rPr/{W}vanish")
        return vanish is not None and value_of(vanish) not in ("0", "false", "off")

    def _style(self, name: str) -> ParagraphStyle:
        if name not in self._known:
            self._known[name] = self._resolve(name)
        return self._known[name]

    def _resolve(self, name: str) -> ParagraphStyle:
        level: int | None = None
        numbering: NumberingKey | None = None
        is_title = False
        for _ in range(_MAX_BASES):
            style = self._elements.get(name)
            if style is None:
                break
            called = value_of(style.find(W + "name"))
            properties = style.find(W + "pPr")
            is_title = is_title or called.lower() == "title"
            if level is None:
                heading = _HEADING_NAME.fullmatch(called)
                level = int(heading[1]) if heading else 1 if called.lower() == "title" else None
            if properties is not None:
                level = _level(properties) if level is None else level
                numbering = numbering or _numbering(properties)
            name = value_of(style.find(W + "basedOn"))
        return ParagraphStyle(min(level, 6) if level else None, numbering, is_title)


def _is_default(style: etree._Element) -> bool:
    return style.get(W + "type") == "paragraph" and style.get(W + "default") in ("1", "true")


def _level(properties: etree._Element) -> int | None:
    """1 to 9 of an outline level, 0 for "body text", ``None`` where nothing is said."""
    value = value_of(properties.find(W + "outlineLvl"))
    if not value.isdigit():
        return None
    return int(value) + 1 if int(value) < 9 else 0


def _numbering(properties: etree._Element) -> NumberingKey | None:
    found = properties.find(W + "numPr")
    if found is None:
        return None
    key, depth = value_of(found.find(W + "numId")), value_of(found.find(W + "ilvl"))
    return (key, min(int(depth), 8) if depth.isdigit() else 0) if key else None


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    format: str
    pattern: str


class Numbering:
    """The numbering part, counting as the document is read from its start."""

    def __init__(self, part: etree._Element | None) -> None:
        self._abstract: dict[str, dict[int, _Level]] = {}
        self._of_list: dict[str, str] = {}
        self._overrides: dict[NumberingKey, int] = {}
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)
        self._met: set[NumberingKey] = set()
        if part is not None:
            self._read(part)

    def _read(self, part: etree._Element) -> None:
        for abstract in part.iter(W + "abstractNum"):
            levels = {int(level.get(W + "ilvl") or 0): _read_level(level) for level in abstract.iter(W + "lvl")}
            self._abstract[abstract.get(W + "abstractNumId") or ""] = levels
        for number in part.iter(W + "num"):
            key = number.get(W + "numId") or ""
            self._of_list[key] = value_of(number.find(W + "abstractNumId"))
            for override in number.iter(W + "lvlOverride"):
                start = value_of(override.find(W + "startOverride"))
                if start.isdigit():
                    self._overrides[key, int(override.get(W + "ilvl") or 0)] = int(start)

    def label(self, numbering: NumberingKey) -> Label | None:
        """Count one more paragraph of this list and depth, and say its number."""
        key, depth = numbering
        abstract = self._of_list.get(key, "")
        levels = self._abstract.get(abstract, {})
        level = levels.get(depth)
        if level is None:
            return None
        counts = self._counts[abstract]
        if numbering in self._overrides and numbering not in self._met:
            counts[depth] = self._overrides[numbering]
        else:
            counts[depth] = counts.get(depth, level.start - 1) + 1
        self._met.add(numbering)
        for deeper in [one for one in counts if one > depth]:
            del counts[deeper]
        if level.format in ("bullet", "none"):
            return Label("", depth, is_item=True)

        def number_at(found: re.Match[str]) -> str:
            at = int(found[1]) - 1
            one = levels.get(at, level)
            return _FORMATS.get(one.format, str)(counts.get(at, one.start))

        text = re.sub(r"%([1-9])", number_at, level.pattern).strip()
        return Label(text, depth, is_item=re.fullmatch(r"\(?\w{1,6}[.)]", text) is not None)


def _read_level(level: etree._Element) -> _Level:
    start = value_of(level.find(W + "start"))
    return _Level(
        start=int(start) if start.isdigit() else 1,
        format=value_of(level.find(W + "numFmt")) or "decimal",
        pattern=value_of(level.find(W + "lvlText")),
    )


def _roman(number: int) -> str:
    out = ""
    for size, letters in (*_ROMAN, *_ROMAN_ONES):
        while 0 < size <= number < 4000:
            out += letters
            number -= size
    return out or str(number)


def _lettered(alphabet: str) -> Callable[[int], str]:
    """a, b, … z, aa, bb, … as Word counts."""
    return lambda number: (
        alphabet[(number - 1) % len(alphabet)] * min((number - 1) // len(alphabet) + 1, 10) if number > 0 else ""
    )


_FORMATS: dict[str, Callable[[int], str]] = {
    "lowerRoman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "lowerLetter": _lettered(_LATIN),
    "upperLetter": _lettered(_LATIN.upper()),
    "russianLower": _lettered(_CYRILLIC),
    "russianUpper": _lettered(_CYRILLIC.upper()),
    "decimalZero": lambda number: f"{number:02d}",
}
