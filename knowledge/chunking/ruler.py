"""Sizes of stretches of one text, in words, tokens or characters, without counting anything twice."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from itertools import accumulate, chain, islice

from knowledge import model_tokens
from knowledge.chunking.options import Unit

_WORD = re.compile(r"\S+")
_BATCH = 20_000


class Ruler:
    """Measures stretches of ``text``. A word is a run of characters that are not blank; a word cut by an edge counts whole.

    Tokens are counted word by word (WordPiece never joins two words), each distinct word once.
    """

    def __init__(self, text: str, unit: Unit) -> None:
        self.text = text
        self.unit = unit
        edges = array("I", chain.from_iterable(map(re.Match.span, _WORD.finditer(text))))
        self._starts, self._ends = edges[::2], edges[1::2]
        self._tokens = self._count_tokens() if unit == "tokens" else array("I")

    def _count_tokens(self) -> array[int]:
        """Tokens before each word, and of all."""
        distinct = dict.fromkeys((self.text[start:end] for start, end in zip(self._starts, self._ends, strict=True)), 0)
        words = iter(list(distinct))
        while batch := list(islice(words, _BATCH)):
            distinct.update(zip(batch, model_tokens.counts(batch), strict=True))
        sizes = (distinct[self.text[start:end]] for start, end in zip(self._starts, self._ends, strict=True))
        return array("I", accumulate(sizes, initial=0))

    def _words(self, start: int, end: int) -> tuple[int, int]:
        """Index of the first word in the stretch, and of the first behind it."""
        first = bisect_right(self._ends, start)
        return first, max(first, bisect_left(self._starts, end))

    def size(self, start: int, end: int) -> int:
        """How much ``text[start:end]`` holds."""
        if self.unit == "characters":
            return end - start
        first, behind = self._words(start, end)
        return self._tokens[behind] - self._tokens[first] if self.unit == "tokens" else behind - first

    def words(self, start: int, end: int) -> int:
        """How many words ``text[start:end]`` holds, whatever the unit."""
        first, behind = self._words(start, end)
        return behind - first

    def trim(self, start: int, end: int) -> tuple[int, int]:
        """The stretch without blanks at its ends; ``start == end`` where nothing is left."""
        first, behind = self._words(start, end)
        if first == behind:
            return start, start
        return max(start, self._starts[first]), min(end, self._ends[behind - 1])

    def next_word(self, offset: int) -> int:
        """Where the first word that starts at ``offset`` or later starts; the text's length where there is none."""
        at = bisect_left(self._starts, offset)
        return self._starts[at] if at < len(self._starts) else len(self.text)

    def fit(self, start: int, end: int, limit: int) -> int:
        """The end of the last word, up to ``end``, such that ``text[start:…]`` is within ``limit``; at least one word.

        ``start`` must be the start of a word.
        """
        first, behind = self._words(start, end)
        if self.unit == "words":
            at = first + limit
        elif self.unit == "tokens":
            at = bisect_right(self._tokens, self._tokens[first] + limit, first, behind + 1) - 1
        else:
            at = bisect_right(self._ends, start + limit, first, behind)
        return min(end, self._ends[min(max(at, first + 1), behind) - 1])

    def back(self, end: int, limit: int) -> int:
        """The start of the first word such that ``text[…:end]`` is within ``limit``; ``end`` where not even the last word is."""
        behind = bisect_left(self._starts, end)
        if self.unit == "words":
            at = behind - limit
        elif self.unit == "tokens":
            at = bisect_left(self._tokens, self._tokens[behind] - limit, 0, behind + 1)
        else:
            at = bisect_left(self._starts, end - limit, 0, behind)
        at = max(at, 0)
        return self._starts[at] if at < behind else end
