"""Citations in an answer: labels however a model writes them, sentences, new numbers, and the quotation that supports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from knowledge.sentences import split_sentences
from nodes.quoting import heading_of
from nodes.shown_text import shown
from nodes.state import Citation, Passage

_MARK = re.compile(
    r"[\[【［〔(]\s*(?:sources?\s*|passages?\s*)?"
    r"((?:[Ss]?\d{1,3})(?:\s*(?:,|;|and|&|[-–])\s*[Ss]?\d{1,3})*)\s*(?:†[^\]】]*)?[\]】］〕)]",
    re.IGNORECASE,
)
_ITEM = re.compile(r"([Ss]?)(\d{1,3})")
_LIST_MARKER = re.compile(r"^\s*(?:[-*•‣▪–—]|\d{1,2}[.)])\s+")
_COPIED = re.compile(r"\A[^.!?]{1,160}\(applies to: [^)]{0,60}\)[\s:.]*")
_EMPHASIS = re.compile(r"\*\*|__|^#+\s*|(?<!\w)[*_](?=\w)|(?<=[\w.])[*_](?!\w)", re.MULTILINE)
#: The stop that ends a heading, which a colon follows: "1 Definitions.".
_LAST_STOP = re.compile(r"(?<=[^\W\d_]{2})[.:]\Z")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of an answer. ``text`` is without marks, list marker and emphasis; ``labels`` in the order cited."""

    text: str
    labels: list[str]


def sentences_of(answer: str) -> list[Said]:
    """The sentences of an answer with the labels that each cites. A mark behind a full stop belongs to the sentence before."""
    joined = _normalized(answer)
    out: list[Said] = []
    for start, end in split_sentences(joined):
        piece = joined[start:end]
        labels = labels_in(piece)
        text = " ".join(_EMPHASIS.sub("", _LIST_MARKER.sub("", without_marks(piece))).split())
        if not any(map(str.isalnum, text)):
            if out:
                out[-1] = Said(out[-1].text, list(dict.fromkeys([*out[-1].labels, *labels])))
            continue
        out.append(Said(text, labels))
    return out


def labels_in(text: str) -> list[str]:
    """The labels cited, as ``S1``: from ``[S1]``, ``[S1, S3]``, ``[1]``, ``(S1)``, ``【S1】``. ``(7)`` is a number, no label."""
    found: list[str] = []
    for match in _MARK.finditer(text):
        if not _is_mark(match):
            continue
        items = _ITEM.findall(match[1])
        found += [f"S{int(number)}" for _, number in items]
        if len(items) == 2 and re.search(r"\d\s*[-–]\s*[Ss]?\d", match[1]):
            first, last = int(items[0][1]), int(items[1][1])
            found += [f"S{number}" for number in range(first + 1, min(last, first + 20))]
    return list(dict.fromkeys(found))


def written(sentences: Sequence[Said], names: dict[str, str] | None = None) -> str:
    """The answer from its sentences, each with its labels as ``[S1]``, renamed by ``names``."""
    return " ".join(_with_labels(sentence, names or {}) for sentence in sentences)


def renumbering(sentences: Sequence[Said], passages: Sequence[Passage]) -> dict[str, str]:
    """New labels in order of use: the passage cited first becomes S1; passages not cited come after, in their order."""
    used = [label for sentence in sentences for label in sentence.labels]
    order = dict.fromkeys([*used, *(passage["label"] for passage in passages)])
    return {label: f"S{number}" for number, label in enumerate(order, start=1)}


def without_heading(text: str, passages: Sequence[Passage]) -> str:
    """The sentence without a heading of a cited passage in front of it ("Returns > Electronics: …")."""
    for passage in passages:
        for given in (heading_of(passage), passage["section"], passage["title"]):
            heading = shown_heading(given)
            if heading and text.casefold().startswith(heading.casefold()):
                rest = text[len(heading) :].lstrip()
                if rest.startswith(":"):
                    return rest[1:].strip()
    return text


def without_copied_heading(text: str) -> str:
    """The sentence without a heading as the prompt writes it, which a small model copies in front, not always to the letter:
    "Refund Policy > Refund amount (applies to: general) A refund covers …". Empty where it is nothing else.
    """
    return _COPIED.sub("", text).strip()


def page_at(passage: Passage, offset: int) -> int | None:
    """The page that a quote beginning at ``offset`` stands on; the passage's own where it stands on one."""
    pages = [page for page, start in passage.get("page_starts", []) if start <= offset]
    return pages[-1] if pages else passage["page"]


@lru_cache(maxsize=1 << 10)
def shown_heading(heading: str) -> str:
    """A heading as an answer may show it: no mark in it reads as a citation, it is one line, and no stop in it ends a sentence
    ("4. Large items"), which would part it from what stands under it.
    """
    line = _LAST_STOP.sub("", shown(" ".join(without_marks(heading).split())))
    # What follows a heading in an answer begins with a capital or a digit.
    for _, end in reversed(split_sentences(f"{line}: A")[:-1]):
        line = line[:end].rstrip(".!?…") + line[end:]
    return line


def citation(passage: Passage, start: int, end: int) -> Citation:
    """The citation of ``passage["text"][start:end]``."""
    return Citation(
        label=passage["label"],
        id=passage["id"],
        title=passage["title"],
        source=passage["source"],
        page=page_at(passage, start),
        section=passage["section"],
        quote=passage["text"][start:end],
        start=start,
        end=end,
    )


def _normalized(answer: str) -> str:
    """Marks as ``[S1]``, behind the full stop of their sentence, where the sentence splitter looks for them."""

    def rewritten(match: re.Match[str]) -> str:
        return f"[{', '.join(labels_in(match[0]))}]" if _is_mark(match) else match[0]

    text = _MARK.sub(rewritten, answer)
    return re.sub(
        r"(?<!\s)((?:\s*\[S\d+(?:, S\d+)*\])+)\s*([.!?])(?=\s|\Z)", lambda match: f"{match[2]}{match[1]}", text
    )


def without_marks(text: str) -> str:
    """The text without what reads as a citation in it."""
    return re.sub(r"(?<!\s)\s+([.,;:!?])", r"\1", _MARK.sub(lambda match: "" if _is_mark(match) else match[0], text))


def _is_mark(match: re.Match[str]) -> bool:
    """Round brackets need an S: "seven (7) days" and "Article 7(2)" cite nothing."""
    return match[0][0] != "(" or all(prefix for prefix, _ in _ITEM.findall(match[1]))


def _with_labels(sentence: Said, names: dict[str, str]) -> str:
    labels = list(dict.fromkeys(names.get(label, label) for label in sentence.labels))
    return f"{sentence.text} [{', '.join(labels)}]" if labels else sentence.text
