"""What was read lately, in two generations: what is asked for often stays, and what was asked for once goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Remembers at most ``most`` values, the later used half of them surely. Any number of threads may use it without a lock.

    A full generation becomes the old one, and the old one is forgotten but for what was asked for since. Two threads that
    remember at once may lose one's values, which are then read again.
    """

    def __init__(self, most: int) -> None:
        self._half = max(1, most // 2)
        self._young: dict[K, V] = {}
        self._old: dict[K, V] = {}

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())

    def among(self, keys: Iterable[K]) -> dict[K, V]:
        """Those of ``keys`` that are remembered, with their values."""
        young, old = self._young, self._old
        out: dict[K, V] = {}
        kept: dict[K, V] = {}
        for key in keys:
            if key in young:
                out[key] = young[key]
            elif key in old:
                out[key] = kept[key] = old[key]
        if kept:
            self.remember(kept)
        return out

    def remember(self, values: Mapping[K, V]) -> None:
        """Keep these."""
        if len(self._young) + len(values) > self._half:
            # Another dictionary, since others may be reading this one.
            self._young, self._old = dict(values), self._young
        else:
            self._young.update(values)
