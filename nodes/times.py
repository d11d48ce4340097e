"""Before and after, told the other way round: "not before two warnings" is "only after two warnings"."""

from __future__ import annotations

import re
from functools import lru_cache

_DENIED = r"(?:(?:can|may|must|will|shall|do|does|is|are)(?: not|n['’]t)|cannot|not)"
_NOT_BEFORE = re.compile(rf"\b{_DENIED}\b(?P<between>[^.;:,]*?)\b(?:before|until)\b", re.IGNORECASE)
_NOT_AFTER = re.compile(rf"\b{_DENIED}\b(?P<between>[^.;:,]*?)\b(?:after|once)\b", re.IGNORECASE)
_ONLY_AFTER = re.compile(r"\bonly\b(?P<between>[^.;:,]*?)\b(?:after|once)\b", re.IGNORECASE)
_ONLY_BEFORE = re.compile(r"\bonly\b(?P<between>[^.;:,]*?)\b(?:before|until)\b", re.IGNORECASE)


@lru_cache(maxsize=1 << 12)
def told_alike(claim: str, sentence: str) -> str:
    """The claim in the sentence's way of saying when, where the two say it by a denial and by an "only"."""
    for mine, theirs, way in (
        (_NOT_BEFORE, _ONLY_AFTER, r"only\g<between>after"),
        (_NOT_AFTER, _ONLY_BEFORE, r"only\g<between>before"),
        (_ONLY_AFTER, _NOT_BEFORE, r"not\g<between>before"),
        (_ONLY_BEFORE, _NOT_AFTER, r"not\g<between>after"),
    ):
        if mine.search(claim) and theirs.search(sentence):
            return mine.sub(way, claim, count=1)
    return claim
