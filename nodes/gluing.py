"""Words that a small model writes as one: "paidby the bank" would hide who pays from every check, and from the reader."""

from __future__ import annotations

import re
from collections.abc import Sequence

from knowledge.model_tokens import is_word

_WORD = re.compile(r"[A-Za-z]{5,}")
#: What is glued on, before or behind; the longer ones first.
_SMALL = tuple(
    """
    within before under until after from with that this than must when
    the and for not may can are was by of to in is at on or if no
    """.split()  # noqa: SIM905
)


def unglued(text: str, sources: Sequence[str]) -> str:
    """The text with each word parted that is no word, neither of English nor of the sources, but two that are."""
    suspects = {match[0] for match in _WORD.finditer(text) if not is_word(match[0])}
    if not suspects:
        return text
    told = "\n".join(sources).casefold()
    suspects = {word for word in suspects if word.casefold() not in told}
    if not suspects:
        return text
    held = set(re.findall(r"[^\W\d_]+", told))
    parted = {word: parts for word in suspects if (parts := _parts(word, held))}
    return _WORD.sub(lambda match: parted.get(match[0], match[0]), text) if parted else text


def _parts(word: str, held: set[str]) -> str:
    lower = word.casefold()
    for small in _SMALL:
        if lower.startswith(small) and lower[len(small) :] in held:
            return f"{word[: len(small)]} {word[len(small) :]}"
        if lower.endswith(small) and lower[: -len(small)] in held:
            return f"{word[: -len(small)]} {word[-len(small) :]}"
    return ""
