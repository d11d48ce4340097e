"""The check on the shelf's own sentences: one thing altered is caught, the same in other words is not."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from functools import cache

import pytest

from knowledge.sentences import split_sentences
from nodes.checking import check_answer
from nodes.state import Passage
from nodes.support import EmbedSentences
from tests.nodes.kartly_passages import SHELF, hashed, passage

NUMBERS = ("2", "3", "5", "7", "10", "15", "30", "45", "48", "70", "99", "120", "499")
UNITS = {
    "days": ("weeks", "hours"),
    "hours": ("days", "minutes"),
    "months": ("years", "weeks"),
    "seconds": ("minutes",),
}
CODES = {
    "AX-204": ("AX-205", "BX-900"),
    "BX-900": ("BX-901", "AX-204"),
    "IPX4": ("IPX7",),
    "USB-C": ("USB-B",),
    "INR": ("USD",),
}
SIGNS = (
    (r"\bcannot\b", "can"), (r"\bcan\b", "cannot"), (r"\bdo not\b", "do"), (r"\bmust\b(?! not)", "must not"),
    (r"\bmust not\b", "must"), (r"\bis\b(?! not)", "is not"), (r"\bare\b(?! not)", "are not"), (r"\bhas no\b", "has"),
    (r"\bbefore\b", "after"), (r"\bafter (?=the|its|a )", "before "), (r"\bleft\b", "right"), (r"\bright\b", "left"),
    (r"\blate\b", "early"), (r"\bdry\b", "wet"), (r"\breduces\b", "increases"), (r"\bdeducted from\b", "added to"),
    (r"\bunworn, unwashed\b", "worn, washed"),
    (r"\bdoes not (\w+)", r"\1s"), (r"\bwithout\b", "with"), (r"\bcovers\b", "does not cover"), (r"\bneeds\b", "does not need"),
)  # fmt: skip
SAME = (
    ("cannot be", "can't be"), ("must be", "has to be"), ("do not", "don't"), ("does not", "doesn't"), ("customer", "buyer"),
    ("within", "no later than"), ("free of cost", "free of charge"), ("reported", "notified"), ("returned", "sent back"),
    ("wins over", "takes precedence over"), ("applies to", "covers"), ("Kartly", "the shop"), ("carries", "comes with"),
    ("7 days", "seven days"), ("48 hours", "two days"), ("30 days", "thirty days"), ("12 months", "one year"),
    ("Every", "Each"), ("needs", "requires"), ("photo", "picture"), ("when", "if"), ("collects", "picks up"),
    ("up to", "at most"), ("more than 7 days", "over 7 days"), ("3 business days", "three working days"), ("INR", "Rs."),
)  # fmt: skip
BEFORE = ("According to the policy, ", "Please note that ", "In short, ")


@cache
def sentences() -> list[tuple[str, Passage]]:
    found = []
    for file in sorted(SHELF.glob("*.md")):
        title, *sections = re.split(r"^#+ (.*)$", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
        for heading, body in zip([title, *sections[1::2]], sections[0::2], strict=True):
            place = passage(body.strip(), title=title, section=heading)
            texts = [place["text"][start:end] for start, end in split_sentences(place["text"])]
            found += [(text, place) for text in texts if len(text.split()) > 3]
    return found


def altered(text: str) -> Iterator[str]:
    for match in re.finditer(r"(?<![\w.-])\d+(?![\w.]*\d)", text):
        for number in NUMBERS:
            if number != match[0]:
                yield text[: match.start()] + number + text[match.end() :]
        yield text[: match.start()] + match[0] + "0" + text[match.end() :]
    for unit, others in UNITS.items():
        for other in others:
            if re.search(rf"\d {unit}\b", text):
                yield re.sub(rf"(\d) {unit}\b", rf"\1 {other}", text, count=1)
    for code, others in CODES.items():
        yield from (text.replace(code, other) for other in others if code in text)
    for sign, other in SIGNS:
        if re.search(sign, text):
            yield re.sub(sign, other, text, count=1)


def reworded(text: str) -> Iterator[str]:
    yield text
    changes = [(one, other) for one, other in SAME if re.search(rf"\b{one}\b", text)]
    for at, (one, other) in enumerate(changes):
        once = re.sub(rf"\b{one}\b", other, text, count=1)
        yield once
        for next_one, next_other in changes[at + 1 : at + 2]:
            yield re.sub(rf"\b{next_one}\b", next_other, once, count=1)
    yield BEFORE[len(text) % 3] + (text if text[1].isupper() else text[0].lower() + text[1:])


async def supported(text: str, place: Passage, embed: EmbedSentences) -> bool:
    checked = await check_answer(f"{text} [S1]", [place], embed=embed)
    return bool(checked) and all(item.supported for item in checked)


async def shares(embed: EmbedSentences) -> tuple[int, float, int, float]:
    wrong = [(text, place) for sentence, place in sentences() for text in altered(sentence) if text != sentence]
    right = [(text, place) for sentence, place in sentences() for text in reworded(sentence)]
    caught = [not await supported(text, place, embed) for text, place in wrong]
    rejected = [not await supported(text, place, embed) for text, place in right]
    return len(wrong), sum(caught) / len(wrong), len(right), sum(rejected) / len(right)


async def test_alterations_are_caught_by_facts_alone() -> None:
    count, caught, _, rejected = await shares(hashed)
    assert count > 500
    assert caught >= 0.99
    assert rejected <= 0.03


@pytest.mark.slow
async def test_alterations_are_caught_and_other_words_are_not() -> None:
    from knowledge.embedding import open_embedding

    model = open_embedding("minilm")

    async def embed(texts: object) -> list[list[float]]:
        return await asyncio.to_thread(model.embed_documents, list(texts))  # type: ignore[call-overload]

    altered_count, caught, right_count, rejected = await shares(embed)
    assert altered_count > 500 and right_count > 300
    assert caught >= 0.99
    assert rejected <= 0.03
