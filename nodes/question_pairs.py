"""Questions that stand in a passage, and the sentences that answer them: a page of questions and answers.

"We do not." says nothing without "Do you ship abroad?" before it, and the question states nothing by itself. So a question is
never quoted alone: what answers it is quoted behind it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from knowledge.sentences import split_sentences
from nodes.entries import places
from nodes.shown_text import shown

_BULLET = re.compile(r"^\s*(?:[-*•‣▪◦–—]|\d{1,3}[.)])\s+")
_ANSWER_MARK = re.compile(r"\A[\s\"'“„*_]*(?:(?:a|answer|отговор)\s?:)?[\s\"'“„*_]*", re.IGNORECASE)
_CLOSING = " \t\"'”’»)*_"
#: A sentence without content words that answers: "We do not.", "Yes.", "It is not."; a bare number or label answers nothing.
_ANSWERS = re.compile(
    r"(?:yes|no|never|always|both|neither|none|да|не|няма|ja|nein|oui|non|sí)\b|[^\W\d]+(?:['’][^\W\d]+)?\s+[^\W\d]",
    re.IGNORECASE,
)


def is_question(text: str) -> bool:
    """Whether a sentence asks."""
    return text.rstrip(_CLOSING).endswith("?")


def may_answer(text: str) -> bool:
    """Whether a sentence without content words says something to a question or a heading."""
    return _ANSWERS.match(_ANSWER_MARK.sub("", text)) is not None and not any(map(str.isdigit, text))


@lru_cache(maxsize=1 << 10)
def asked_before(body: str) -> tuple[str, ...]:
    """For each of the passage's sentences the question of the passage that it answers; empty where there is none.

    What follows a question in its paragraph answers it, else the next paragraph does, with the list or table that it leads.
    """
    out: list[str] = []
    question, asked_in, answered_in = "", -1, -1
    for (start, end), place in zip(split_sentences(body), places(body), strict=True):
        text = body[start:end]
        if is_question(text) and not place.row:
            asked = shown(" ".join(_BULLET.sub("", text).split()))
            question = f"{question} {asked}" if question and asked_in == place.block and answered_in < 0 else asked
            asked_in, answered_in = place.block, -1
            out.append("")
            continue
        if answered_in < 0 and place.block - asked_in <= 1:
            answered_in = place.block
        if not (place.block == answered_in or place.item or place.row):
            question = ""
        out.append(question)
    return tuple(out)
