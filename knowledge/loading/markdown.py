"""Markdown and plain text: decoded, cleaned, front matter taken off, the title found."""

from __future__ import annotations

import re

from knowledge.chunking.markdown import front_matter_end
from knowledge.loading.decoding import decode
from knowledge.loading.parsed import Parsed, clean
from knowledge.loading.titles import first_line, title_in

_FRONT_TITLE = re.compile(r"^title:[ \t]*(\S.*)$", re.MULTILINE)


def read_markdown(data: bytes) -> Parsed:
    """The title is the front matter's, else what the text opens with."""
    text = clean(decode(data))
    begin = front_matter_end(text)
    named = _FRONT_TITLE.search(text, 0, begin)
    text = text[begin:] if begin else text
    title = named[1].strip().strip("\"'") if named else title_in(text)
    return Parsed(text, title)


def read_text(data: bytes) -> Parsed:
    """The title is a first line that stands alone and reads like one."""
    text = clean(decode(data))
    return Parsed(text, first_line(text))
