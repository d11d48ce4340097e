"""Which rows of a table a question asks for: those whose own cells hold its words, not their header's."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence

from knowledge.tokens import tokenize
from nodes.passage_sentences import Sentence

#: A word of the question that weighs less tells no row from another.
_LEAST = 0.05
#: A row for what no other one names: "City: All other cities".
_ALL_OTHERS = re.compile(
    r"(?:[^:;]*:\s*)?(?:(?:all|any)\s+(?:the\s+)?)?(?:others?|else\w*|rest|remaining|(?:всички\s+)?(?:други\w*|остана\w+))\b",
    re.IGNORECASE,
)
#: A word with a capital that does not open its sentence.
_NAME = re.compile(r"(?<=[^.?!:\s]\s)[A-ZА-Я][\w'’-]+")


def names_unknown(question: str, known: Container[str], language: str) -> bool:
    """Whether the question names something that stands nowhere: "Paris". ``known``: the tokens that stand somewhere."""
    return any(token not in known for name in _NAME.findall(question) for token in tokenize(name, language))


def other_rows(sentences: Sequence[Sentence], weights: Mapping[str, float], *, unknown: bool = False) -> set[int]:
    """The numbers of the rows that hold no word of the question, of tables in which some row holds one.

    "When can I visit the surgical ward?" asks for the row of that ward; where no row is named, any of them may be asked for, but
    where the question names something ``unknown`` the row of all others is. ``weights``: of the question's words, 1 in all.
    """
    by_table: defaultdict[str, list[int]] = defaultdict(list)
    for at, sentence in enumerate(sentences):
        if sentence.row:
            by_table[sentence.label].append(at)
    out: set[int] = set()
    for rows in by_table.values():
        held = {at: sum(weights.get(token, 0.0) for token in sentences[at].cells) for at in rows}
        if max(held.values()) >= _LEAST:
            out.update(at for at, weight in held.items() if weight < _LEAST)
        elif unknown and any(_ALL_OTHERS.match(sentences[at].text) for at in rows):
            out.update(at for at in rows if not _ALL_OTHERS.match(sentences[at].text))
    return out
