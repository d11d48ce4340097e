"""Which rows of a table a question asks for: those whose own cells hold its words, not their header's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from nodes.passage_sentences import Sentence

#: A word of the question that weighs less tells no row from another.
_LEAST = 0.05


def other_rows(sentences: Sequence[Sentence], weights: Mapping[str, float]) -> set[int]:
    """The numbers of the rows that hold no word of the question, of tables in which some row holds one.

    "When can I visit the surgical ward?" asks for the row of that ward; where no row is named, any of them may be asked for.
    ``weights``: of the question's words, 1 in all.
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
    return out
