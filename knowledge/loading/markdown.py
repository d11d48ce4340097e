"""Markdown and plain text: decoded, cleaned, front matter taken off, the title found."""

from __future__ import annotations

import re
from itertools import islice

from knowledge.chunking.markdown import front_matter_end, outline
from knowledge.loading.decoding import decode
from knowledge.loading.parsed import Parsed, clean

_FRONT_TITLE = re.compile(r"^title:[ \t]*(\S.*)$", re.MULTILINE)
_MAX_TITLE = 120


def read_markdown(data: bytes) -> Parsed:
    """The title is the front matter's, else the first first-level heading's."""
    text = clean(decode(data))
    begin = front_matter_end(text)
    named = _FRONT_TITLE.search(text, 0, begin)
    text = text[begin:] if begin else text
    title = named[1].strip().strip("\"'") if named else first_heading(text)
    return Parsed(text, title)


def read_text(data: bytes) -> Parsed:
    """The title is a first line that stands alone and reads like one."""
    text = clean(decode(data))
    return Parsed(text, first_line(text))


def first_heading(text: str) -> str | None:
    """The words of the first heading of the first level."""
    return next((heading.text for heading in outline(text)[0] if heading.level == 1 and heading.text), None)


def first_line(text: str) -> str | None:
    """The first line of text, where it is short, without a full stop, and a blank line follows."""
    lines = list(islice(iter(text[: 4 * _MAX_TITLE].lstrip().split("\n")), 2))
    line = lines[0].strip().strip("#*").strip()
    alone = len(lines) > 1 and not lines[1].strip()
    return line if alone and 0 < len(line) <= _MAX_TITLE and line[-1] not in ".;,:" else None
