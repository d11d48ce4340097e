"""What every reader of a plain text's setting asks of it, whichever way its titles are told."""

from __future__ import annotations

import re

_MARKED = re.compile(r"^ {0,3}(?:#{1,6}[ \t]|```)", re.MULTILINE)


def is_marked(text: str) -> bool:
    """Whether a text marks its titles or its code by itself, as Markdown does, so that nothing need be told from its setting."""
    return _MARKED.search(text) is not None


def indent_of(line: str) -> int:
    """How far in a line stands, in characters; a blank line as far as its blanks."""
    return len(line) - len(line.lstrip())
