"""Identifiers: the codes, articles, controls and order numbers that a question names and that chunks hold.

A chunk *defines* what it is about (what its heading names, what opens it or one of its lines) and *mentions* the rest. Both
are stored as keywords in the chunk's metadata; an exact list is the chunks that define what was asked for, then those that
mention it. ``AC-2`` and ``AC-2(3)`` are two identifiers, and neither finds the other.

Beside identifiers the mentions hold *families*, ``ax-#`` for ``ax-204``, and the shape ``??-###``: where the documents hold
a family or codes of that shape but not the member that was asked for, its absence is a fact about the documents; where
they hold nothing of the kind ("my iPhone15"), it says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from knowledge.articles import acts_of_title
from knowledge.codes import canonical, fold, fold_with_offsets, letters_of
from knowledge.findings import Finding, Kind, is_amount, is_date, is_year
from knowledge.labels import KINDS, NUMBERED_HEADING_KINDS, without_paragraph
from knowledge.scanning import scan

HEADING_SEPARATOR = " > "
_PLAIN_CODE = re.compile(r"[^\W\d_]{1,4}-[0-9]{2,5}")
#: What stands before a number that is the asker's own and need not be in any document: "my order KX-998".
_OWN_NUMBER = re.compile(
    r"\b(?:order|invoice|ticket|booking|reservation|tracking|shipment|reference|ref|case|serial|customer|account|receipt|claim|policy"
    r"|поръчка|фактура|заявка|билет|пратка|клиент|договор)(?:\s+(?:number|no|nr|id|code|is|номер))*[.:#№\s]*\Z",
    re.IGNORECASE,
)
#: Characters before a code that may say whose it is.
_LOOK_BACK = 80
#: Letters before a number that make a code of it even in small letters with a blank ("ax 205"), where its family is held.
_LONGEST_PREFIX = 3
#: Digits that a code must have to be found without the separators between them: INV2024001 for INV-2024-001, not A51 for A.5.1.
_ENOUGH_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Identifier:
    """An identifier that a question names.

    Attributes:
        text: as the asker typed it.
        start, end: its span in the question.
        kind: ``code``, ``label`` (article, section) or ``number``.
        canonical: ``ac-2(3)``, ``art-40(5)``, and ``art-129@ззд`` where the question names the act by its acronym.
        readings: canonical forms to look up, the likeliest first; never empty.
        certain: False where it may be ordinary words ("ax 204", "top 10"): use it where the documents hold it, else forget it.
        families: of the readings, most specific first.
        parents: what it is a part of (``ac-2`` of ``ac-2(99)``), to be offered and never to be taken for it.
    """

    text: str
    start: int
    end: int
    kind: Kind
    canonical: str
    readings: tuple[str, ...]
    certain: bool
    families: tuple[str, ...]
    parents: tuple[str, ...] = ()

    def rank(self, defines: Iterable[str], mentions: Iterable[str]) -> int | None:
        """Where a chunk belongs in this identifier's exact list: lower is better, None not at all.

        First those that define a reading, in the order of the readings, then those that mention one.
        """
        defined, mentioned = set(defines), set(mentions)
        for place, reading in enumerate(self.readings):
            if reading in defined:
                return place
        for place, reading in enumerate(self.readings, len(self.readings)):
            if reading in mentioned:
                return place
        return None

    def is_missing(self, held: Container[str]) -> bool:
        """Whether the documents, which hold these identifiers and families, know its kind and not it.

        Only then may an answer say "P0999 is not in your documents".
        """
        if not self.certain and not 0 < len(letters_of(self.canonical)) <= _LONGEST_PREFIX:
            return False  # "step 9" where the documents hold a STEP-8
        if any(reading in held for reading in self.readings if self._counts(reading, held)):
            return False
        return any(family in held for family in self.families)

    def _counts(self, reading: str, held: Container[str]) -> bool:
        """An article of an act that the documents hold is not found by another act's article of that number."""
        acts = [family for family in self.families if "@" in family and family in held]
        return "@" in reading or not acts


def find_identifiers(question: str) -> list[str]:
    """The canonical identifiers that a question names for certain, in order, each once.

    ``scan_identifiers`` also gives spans, other readings and the uncertain ones.
    """
    return list(dict.fromkeys(item.canonical for item in scan_identifiers(question) if item.certain))


def scan_identifiers(question: str) -> list[Identifier]:
    """All identifiers of a question in order, certain or not, each canonical form once."""
    folded, offsets = fold_with_offsets(question)
    out: dict[str, Identifier] = {}
    for finding in scan(folded, question=True):
        readings = _readings(finding, folded)
        start, end = offsets[finding.start], offsets[finding.end - 1] + 1
        item = Identifier(
            text=question[start:end],
            start=start,
            end=end,
            kind=finding.kind,
            canonical=f"{finding.value}@{finding.act}" if finding.act else finding.value,
            readings=readings,
            certain=finding.certain,
            families=_families(finding, readings, folded),
            parents=(without_paragraph(finding.value),) if "(" in finding.value and finding.kind == "code" else (),
        )
        known = out.get(item.canonical)
        if known is None or (item.certain and not known.certain):
            out[item.canonical] = item
    return sorted(out.values(), key=lambda item: item.start)


def _families(finding: Finding, readings: Sequence[str], question: str) -> tuple[str, ...]:
    """The families of the readings and, last, the shape of a code, unless the asker speaks of a number of their own."""
    families = dict.fromkeys(map(family_of, readings))
    before = max(0, finding.start - _LOOK_BACK)
    if finding.kind == "code" and finding.certain and not _OWN_NUMBER.search(question, before, finding.start):
        families.update(dict.fromkeys(filter(None, map(shape_of, readings[:1]))))
    return tuple(families)


def index_identifiers(text: str, heading: str = "") -> tuple[list[str], list[str]]:
    """(defined, mentioned): the canonical identifiers of a chunk, disjoint, each once, for its metadata.

    Args:
        text: of the chunk; its heading may lead it.
        heading: title and heading path, the parts joined by " > ".
    """
    acts = acts_of(heading)
    defined, mentioned = map(list, _of_heading(fold(heading), acts))
    folded = fold(text)
    for finding in scan(folded, question=False):
        (defined if _opens(folded, finding) else mentioned).extend(_names(finding, acts))
    entries = [number for number in map("".join, _ENTRY_NUMBER.findall(folded)) if not is_year(number)]
    defined.extend((*entries, *_paragraphs(folded, defined), *_numbered_paragraphs(folded)))
    defined = list(dict.fromkeys(defined))
    names = [name for name in (*defined, *mentioned) if not name.isdigit() or name in entries]
    families = [*map(family_of, names), *filter(None, map(shape_of, names))]
    held = set(defined)
    mentioned = [name for name in dict.fromkeys((*mentioned, *families)) if name not in held]
    return defined, mentioned


@lru_cache(maxsize=4096)
def family_of(canonical: str) -> str:
    """What members of one numbering share: ``ax-#`` of ``ax-204``, ``art-#@ззд`` of ``art-129@ззд``, ``#####`` of ``12345``."""
    name, at, act = canonical.partition("@")
    if name[:1].isdigit() and not any(character.isalpha() for character in name):
        return re.sub(r"[0-9]", "#", name)
    head = re.match(r"[^\W\d_]+", name)
    return f"{head[0]}-#{at}{act}" if head else "#" + "".join(re.findall(r"[^\W\d_]+", name)) + at + act


@lru_cache(maxsize=4096)
def shape_of(canonical: str) -> str:
    """What codes of one make look like, ``??-###`` for ``ax-204``; empty for what is not a few letters and digits."""
    if canonical.partition("-")[0] in KINDS or not _PLAIN_CODE.fullmatch(canonical):
        return ""
    return re.sub(r"[0-9]", "#", re.sub(r"[^\W\d_]", "?", canonical))


def acts_of(heading: str) -> tuple[str, ...]:
    """What the act that a title names may be called for short, casefolded: its acronym, in parentheses or before the rest, and
    its initials ("GNU General Public License v3": ``gnu``, ``gpl``).
    """
    return acts_of_title(fold(heading).split(HEADING_SEPARATOR, 1)[0])


#: What may belong to a code after a blank: the group of AC-2 3 or AC-2[3], the rest of "inv 2024 001" and "WH 1000 XM5".
_GROUP_APART = re.compile(r"\s?[(\[]?\s?([0-9]{1,2})(?![^\W_])(?!\s?[-.,:%]?[0-9])")
_REST_APART = re.compile(r"(?:\s[^\W\d_]{0,3}[0-9]{1,4}[^\W\d_]?(?![^\W_])){1,2}")
_ACT_AND_NUMBER = re.compile(r"([^\W\d_]{2,8})[\s-]?([0-9]{1,4}[^\W\d_]?)\Z")


def _readings(finding: Finding, folded: str) -> tuple[str, ...]:
    value = finding.value
    if finding.kind == "label":
        plain = [value, without_paragraph(value)]
        kind, _, number = value.partition("-")
        if kind in NUMBERED_HEADING_KINDS:
            plain += [f"sec-{number}", f"sec-{without_paragraph(number)}"]
        return tuple(dict.fromkeys((*(f"{name}@{act}" for act in finding.acts for name in plain), *plain)))
    if finding.kind == "number":
        section = "." in value or "(" in value
        return tuple(dict.fromkeys((value, f"sec-{value}", f"sec-{without_paragraph(value)}"))) if section else (value,)
    text = folded[finding.start : finding.end]
    readings: list[str] = []
    if rest := _REST_APART.match(folded, finding.end):
        readings.append(canonical(text + rest[0]))
    if group := _GROUP_APART.match(folded, finding.end):
        readings.append(f"{value}({group[1]})")
    readings += [value, *_other_spellings(value)]
    if act := _ACT_AND_NUMBER.match(text.casefold()):  # "КСО 40", "IRC 1031"
        number = canonical(act[2])
        readings += [f"art-{number}@{act[1]}", f"sec-{number}@{act[1]}"]
    return tuple(dict.fromkeys(readings))


def _other_spellings(code: str) -> Iterator[str]:
    """How else the same code may stand in the documents."""
    if match := re.fullmatch(r"([^\W\d_]+-[0-9]+)\.([0-9]{1,2})", code):
        yield f"{match[1]}({match[2]})"  # AC-2.3, AC-2-3 for AC-2(3)
    if match := re.fullmatch(r"([^\W\d_]+-[0-9]+)\(([0-9]{1,2})\)", code):
        yield f"{match[1]}.{match[2]}"
    if match := re.fullmatch(r"([^\W\d_]+-[0-9]+)([^\W\d_])", code):
        yield f"{match[1]}({match[2]})"  # AC-2a
    if match := re.fullmatch(r"([^\W\d_]+)-([0-9]{1,4}[^\W\d_])", code):
        yield match[2]  # NFPA 70E
    for padded in (
        re.sub(r"(?<![0-9])0([0-9])(?![0-9])", r"\1", code),
        re.sub(r"(?<![0-9])([0-9])(?![0-9])", r"0\1", code),
    ):
        if padded != code:
            yield padded  # AC-02(03), HR-7
    if match := re.fullmatch(r"([^\W\d_]+)o-([0-9]+)", code):
        yield f"{match[1]}-0{match[2]}"  # PO420, a letter for a zero


def _names(finding: Finding, acts: Sequence[str]) -> list[str]:
    """The keywords under which a chunk that holds this finding is found."""
    value = finding.value
    if finding.kind == "label":
        names = list(dict.fromkeys((value, without_paragraph(value))))
        kind, _, number = value.partition("-")
        if kind in NUMBERED_HEADING_KINDS - {"sec"}:
            names.append(f"sec-{number}")
        return [f"{name}@{act}" for act in ([finding.act] if finding.act else acts) for name in names] + names
    names = [value]
    if match := re.fullmatch(r"[^\W\d_]{1,3}-([0-9]{3,})|[^\W\d_]+-([0-9]{1,4}[^\W\d_])", value):
        names.append(match[1] or match[2])  # "error 4012" asks for E-4012, "70E" for NFPA 70E
    if "." in value and "(" not in value and sum(map(str.isdigit, value)) >= _ENOUGH_DIGITS:
        names.append(value.replace(".", ""))  # INV2024001
    return names


@lru_cache(maxsize=64)
def _of_heading(heading: str, acts: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a heading path defines; of AC-2 > AC-2(3) the outer control is only mentioned, and so is what a numbered heading
    speaks of ("17. Interpretation of Sections 15 and 16").
    """
    names: list[str] = []
    spoken_of: list[str] = []
    letter = ""
    for part in heading.split(HEADING_SEPARATOR):
        opening = _NUMBERED_HEADING.match(part)
        for finding in scan(part, question=False):
            (spoken_of if opening and finding.kind == "label" else names).extend(_names(finding, acts))
        if opening:
            number = (opening[1] or opening["letter"]).casefold()
            sections = [f"sec-{number}"]
            if number.isalpha():
                letter = number
            elif letter and number.isdecimal():
                sections.insert(0, f"sec-{letter}.{number}")  # "K. Payment > 3. Billing" is section K.3
            names += [f"{section}@{act}" for section in sections for act in acts] + sections
    names = list(dict.fromkeys(names))
    outer = [name for name in names if any(_is_part(other, name) for other in names)]
    return tuple(name for name in names if name not in outer), tuple(dict.fromkeys((*outer, *spoken_of)))


#: The number of a heading: "4.2 Damage", "13. Notice", "L. Liability", "K.3 Billing"; "A new policy" has none.
_NUMBERED_HEADING = re.compile(
    r"\s*(?:([0-9]{1,3}(?:\.[0-9]{1,3})*|[A-Z](?:\.[0-9]{1,3})+)\.?|(?P<letter>[A-Z])[.)])\s+[^\W\d_]"
)


def _is_part(inner: str, outer: str) -> bool:
    plain = outer.partition("@")[0].partition("-")[0] in KINDS and "(" in inner
    return not plain and inner.startswith((f"{outer}(", f"{outer}."))


#: A paragraph that its number opens: "4.2 Refrigerators are collected"; "1.5 kg of flour" is none.
_PARAGRAPH_NUMBER = re.compile(r"^[ >*_]*([0-9]{1,3}(?:\.[0-9]{1,3}){1,3})\.?[ \t]+(?=[^\W\d_])", re.MULTILINE)


def _numbered_paragraphs(folded: str) -> list[str]:
    """``sec-4.2`` for each such paragraph."""
    return [
        f"sec-{match[1]}"
        for match in (_PARAGRAPH_NUMBER.finditer(folded) if "." in folded else ())
        if not (is_date(match[1]) or is_amount(folded, match.start(1), match.end(1)))
    ]


_LINE_OPENING = re.compile(r"[\s>#*|•\"'(\[-]*\Z")
#: A line that a number opens as an entry's name: "4012: Overheated", "| 4012 | Overheated |", "# 4012 Overheated".
_ENTRY_NUMBER = re.compile(r"^[ >*|•-]*([0-9]{3,6})(?=\s?[:|]|\s-\s)|^#+ ([0-9]{3,6})(?= )", re.MULTILINE)
#: The end of a line of prose that the next one goes on with: it fills its line, or ends with a comma.
_GOES_ON = re.compile(r"(?:[^\n]{60}[^\s.:;!?|]|[^\s|]{2},)[ \t]*\n\Z")
_CLOSES = re.compile(r"\s?(?:[:.)\]|*]|-\s|\s-|\s*$)", re.MULTILINE)


def _opens(folded: str, finding: Finding) -> bool:
    """Whether the finding opens the text, or a line of it as an entry's name: "E-4012: …", "| P0420 | …", "Чл. 41. …"."""
    line = folded.rfind("\n", 0, finding.start) + 1
    lead = folded[line : finding.start]
    if finding.kind == "label" and not lead.strip() and _GOES_ON.search(folded, max(0, line - 120), line):
        return False  # a wrapped line of prose: "as set out in\n§ 4.2."
    if not _LINE_OPENING.match(lead):
        return bool(re.fullmatch(r"[\s>#*]*(?:control|code|error|код|грешка)\s", lead, re.IGNORECASE)) and line == 0
    return not folded[:line].strip() or bool(_CLOSES.match(folded, finding.end))


def _paragraphs(folded: str, defined: Iterable[str]) -> list[str]:
    """``art-40(5)`` for the paragraphs (1), (2), … that stand in a chunk about article 40."""
    articles = [name for name in defined if name.startswith("art-") and "(" not in name]
    if not articles:
        return []
    numbers: list[int] = []
    for match in re.finditer(r"(?:^|[\s.;:)])\((\d{1,2})\)\s", folded):
        number = int(match[1])
        if not numbers or number == numbers[-1] + 1:
            numbers.append(number)
    out = []
    for article in articles:
        name, at, act = article.partition("@")
        out += [f"{name}({number}){at}{act}" for number in numbers]
    return out
