"""Snowball's stemmers (https://snowballstem.org) by its C library: a microsecond a word, where those in Python take 5 to 50."""

from __future__ import annotations

import threading
from typing import Any

import Stemmer

_local = threading.local()


def stem(word: str, algorithm: str) -> str:
    """The stem of a casefolded word by the algorithm of that name (``english``)."""
    stemmers: dict[str, Any] | None = getattr(_local, "stemmers", None)
    if stemmers is None:  # one of each a thread, since a stemmer keeps its word in itself
        stemmers = _local.stemmers = {}
    if algorithm not in stemmers:
        # Those who ask remember the stems themselves.
        stemmers[algorithm] = Stemmer.Stemmer(algorithm, 0)
    return str(stemmers[algorithm].stemWord(word))
