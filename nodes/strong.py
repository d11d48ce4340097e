"""Strong text of Markdown without its marks."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict

_MARK = re.compile(r"(?=(\*\*|__))")


def without_strong(text: str) -> str:
    """ "Close the valve" of "Close the **valve**" and "Close the __valve__". A mark without its partner stays.

    Takes a line; the marks are found once, so that a line of a hundred thousand of them costs no more than its length.
    """
    opens: list[tuple[int, str]] = []
    closes: defaultdict[str, list[int]] = defaultdict(list)
    for found in _MARK.finditer(text):
        at, mark = found.start(), found[1]
        if text[at + 2 : at + 3].strip():
            opens.append((at, mark))
        if text[max(0, at - 1) : at].strip():
            closes[mark].append(at)
    out: list[str] = []
    done = 0
    for at, mark in opens:
        if at < done:
            continue
        place = bisect_left(closes[mark], at + 3)
        if place < len(closes[mark]):
            close = closes[mark][place]
            out += [text[done:at], text[at + 2 : close]]
            done = close + 2
    return "".join([*out, text[done:]])
