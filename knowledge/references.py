"""Where a passage sends its reader: "[Withdrawn: Incorporated into AC-6]", "see Article 41", "по реда на чл. 41", a link.

A target is written as the chunks that it means define it (``identifiers.index_identifiers``): ``ac-6``, ``art-41``, within an
act ``art-41@ззд``; a link to a file or heading is ``damage#`` or ``damage#reporting``, which ``link_anchors`` gives the chunks
of that file. Only sendings count. A mention ("Related to: AC-2") is none, and neither is a passage's own identifier.

A stub (a withdrawn or repealed entry) that doesn't say where its content went leaves clues: what it is a part of, and its name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from urllib.parse import unquote

from knowledge.codes import fold
from knowledge.findings import Finding
from knowledge.identifiers import HEADING_SEPARATOR, acts_of, index_identifiers
from knowledge.labels import KINDS, without_paragraph
from knowledge.scanning import scan

_SENDING_WORDS = r"""
    see(?:\s+also)? | refer(?:red)?\s+to(?:\s+in)? | go\s+to | consult | follow | cf\.?
    | (?:incorporated|merged|moved|transferred|renumbered|integrated|consolidated)\s+(?:to|into|as|with|in)
    | (?:replaced|superseded)\s+(?:by|with)
    | (?:set\s+out|laid\s+down|described|defined|specified|provided(?:\s+for)?|explained|listed|stated|covered|given)
      \s+(?:in|by|under)
    | in\s+accordance\s+with | pursuant\s+to | subject\s+to | according\s+to | required\s+(?:by|under) | governed\s+by
    | within\s+the\s+meaning\s+of | under\s+the\s+(?:terms|conditions|procedure)\s+of
    | виж(?:те)? | вж\.? | съгласно | според | по\s+реда\s+на | при\s+условията(?:\s+и\s+по\s+реда)?\s+(?:на|по)
    | по\s+смисъла\s+на | в\s+съответствие\s+с(?:ъс)? | по\s+правилата\s+на | на\s+основание
    | прилагат?\s+се(?:\s+съответно)?(?:\s+разпоредб\w+\s+на)?
    | (?:предвиден|посочен|уреден|определен|изброен|описан|установен|включен|преместен|обединен)[аои]?\s+във?
    | (?:заменен|отменен)[аои]?\s+с(?:ъс)?
    | siehe | gemäß | nach\s+Maßgabe\s+von | voir | conformément\s+à | véase | conforme\s+a | vedi | ai\s+sensi\s+(?:dell'|di)
"""
#: What may stand between the sending words and the target, and between targets.
_GAP = r"""
    [\s,;:(\[\"'*`]*
    (?:(?:the|also|both|controls?|policy|rule|and|or|as\s+well\s+as|и|или|както\s+и|чл|на|der|des|la|de)(?![^\W_])[\s,.]*)*
"""
# Of a text in small letters, where whole alternatives are passed over by their first letter.
_SENDING = re.compile(rf"(?<![^\W_])(?:{_SENDING_WORDS})(?![^\W_]){_GAP}\Z", re.VERBOSE)
_BETWEEN = re.compile(_GAP, re.IGNORECASE | re.VERBOSE)
#: How far before a target the sending words may begin.
_LOOK_BACK = 60
_LINK = re.compile(r"(?<!!)\[(?:[^\[\]]|\[[^\[\]]{0,80}\]){0,200}\]\(\s?<?([^)\s>]{1,300})>?(?:\s[\"'][^)]{0,200})?\)")
_DOCUMENT_SUFFIXES = frozenset((".md", ".markdown", ".html", ".htm", ".txt", ".pdf", ".docx", ""))

_STUB = re.compile(
    r"\W*(?:(?:this|the)\s+\w+\s+(?:has\s+been|was|is)\s+|(?:article|section|control)\s+)?"
    r"(?:withdrawn|repealed|deleted|superseded|reserved|revoked|abolished|rescinded|obsolete|retired|discontinued"
    r"|отменен[аои]?|отм|заличен[аои]?|aufgehoben|abrogé|derogado|abrogato)(?![^\W_])",
    re.IGNORECASE,
)
_LONGEST_STUB = 12
_WORD = re.compile(r"[^\W\d_]{2,}")


def find_references(text: str, heading: str = "", source: str = "") -> list[str]:
    """The targets that a passage sends its reader to, in order, each once.

    Args:
        text: of the passage.
        heading: title and heading path, joined by " > "; names the passage's own identifiers and the act of its articles.
        source: the passage's file, for links within the file (``#reporting``); without it they give nothing.
    """
    targets: list[str] = []
    if sent := _sent_to(fold(text)):
        own = set(index_identifiers(text, heading)[0])
        act = next(reversed(acts_of(heading)), "")  # the initials, which tell acts of one publisher apart
        for finding in sent:
            names = _targets(finding, act)
            if not own.intersection((names[-1], finding.value)):
                targets.extend(names)
    here = set(link_anchors(source, heading)) if source else set()
    links = _LINK.findall(text) if "](" in text else ()
    targets.extend(anchor for link in links if (anchor := _anchor(link, source)) and anchor not in here)
    return list(dict.fromkeys(targets))


def link_anchors(source: str, heading: str = "") -> list[str]:
    """The names by which links reach a chunk of this file: ``damage#``, and ``damage#reporting`` for each of its headings."""
    return list(_link_anchors(source, heading))


@lru_cache(maxsize=64)
def _link_anchors(source: str, heading: str) -> tuple[str, ...]:
    stem = PurePosixPath(source).stem.casefold()
    slugs = [slug for part in heading.split(HEADING_SEPARATOR) if (slug := _slug(part))]
    return tuple(dict.fromkeys([f"{stem}#", *(f"{stem}#{slug}" for slug in slugs)]))


@dataclass(frozen=True, slots=True)
class StubClues:
    """What a withdrawn or repealed entry without a target leaves: ``parents`` (``ac-7`` of ``ac-7(1)``), its ``name``."""

    parents: tuple[str, ...]
    name: str


def is_stub(text: str, heading: str = "") -> bool:
    """Whether the passage only says that its entry is withdrawn or repealed, and perhaps where its content went."""
    last = heading.rsplit(HEADING_SEPARATOR, 1)[-1].strip()
    body = text.strip().removeprefix(heading.strip()).strip().removeprefix(last).strip()
    return bool(_STUB.match(body)) and len(_WORD.findall(body)) <= _LONGEST_STUB


def stub_clues(text: str, heading: str = "") -> StubClues | None:
    """The clues of a stub; None where the passage is none, or says itself where to go."""
    if not is_stub(text, heading) or find_references(text, heading):
        return None
    return StubClues(parents=tuple(parents_of(index_identifiers("", heading)[0])), name=entry_name(heading))


def entry_name(heading: str) -> str:
    """What the last part of a heading calls its entry: ``Account Lock`` of "AC-7 Account Lock"; empty without a leading code."""
    folded = fold(heading.rsplit(HEADING_SEPARATOR, 1)[-1].strip())
    opening = next(iter(scan(folded, question=False)), None)
    return folded[opening.end :].strip(" .:-") if opening and not folded[: opening.start].strip() else ""


def rank_redirects(clues: StubClues, hits: Sequence[tuple[Sequence[str], str]]) -> list[str]:
    """The likeliest targets of a stub, best first, by a keyword search for its name.

    A control's content usually went to what it is a part of, to an entry of the same name, or to the control that several
    entries of such a name belong to. So each hit votes for itself, more if it bears the name, and by half for its whole.

    Args:
        clues: of the stub.
        hits: for each hit of the search in order, the identifiers it defines and its ``entry_name``; leave other stubs out.
    """
    votes: Counter[str] = Counter()
    for rank, (defined, name) in enumerate(hits, 1):
        weight = rank**-0.5
        for target in defined[:1]:
            votes[target] += weight + (name.casefold() == clues.name.casefold())
        for parent in parents_of(defined[:1]):
            votes[parent] += weight / 2
    ordered = sorted(votes, key=lambda target: (-votes[target], target))
    return list(dict.fromkeys([*clues.parents, *ordered]))


def parents_of(identifiers: Iterable[str]) -> list[str]:
    """What these codes are parts of: ``ac-7`` for ``ac-7(1)``; an article's paragraph is no such part."""
    codes = (name for name in identifiers if "(" in name and name.partition("-")[0] not in KINDS)
    return list(dict.fromkeys(map(without_paragraph, codes)))


def _sent_to(folded: str) -> list[Finding]:
    """The findings that sending words lead to, directly or through others of a list ("see AC-6, AC-7 and AU-2")."""
    out: list[Finding] = []
    passed = 0
    for finding in scan(folded, question=False):
        listed = out and passed <= finding.start and _BETWEEN.fullmatch(folded, passed, finding.start)
        in_range = out and finding.start < passed
        if listed or in_range or _is_sent(folded, finding.start):
            out.append(finding)
            passed = finding.end
    return out


def _is_sent(folded: str, at: int) -> bool:
    """Whether sending words end there; the character before those looked at tells whether they begin a word."""
    start = max(0, at - _LOOK_BACK - 1)
    return bool(_SENDING.search(folded[start:at].lower(), min(1, max(0, at - _LOOK_BACK))))


def _targets(finding: Finding, act: str) -> list[str]:
    if finding.kind != "label":
        return [finding.value]
    names = list(dict.fromkeys((finding.value, without_paragraph(finding.value))))
    own = finding.act or act
    return [f"{name}@{own}" for name in names] if own else names


def _anchor(link: str, source: str) -> str:
    """``damage#reporting`` of ``../damage.md#reporting``; empty for a link out of the documents."""
    if re.match(r"[a-z][a-z0-9+.-]*:|//", link, re.IGNORECASE):
        return ""
    path, _, fragment = unquote(link).partition("#")
    file = PurePosixPath(path.split("?", 1)[0]) if path else PurePosixPath(source)
    if not file.name or file.suffix.casefold() not in _DOCUMENT_SUFFIXES:
        return ""
    return f"{file.stem.casefold()}#{fragment.casefold()}"


def _slug(heading: str) -> str:
    """A heading's anchor as Markdown renderers make it: letters, digits and dashes."""
    kept = re.sub(r"[^\w\s-]", "", heading.strip().casefold())
    return re.sub(r"\s", "-", kept)
