"""A document's title where neither its manifest nor its file names one: what its text opens with, and at last its file's name."""

from __future__ import annotations

import re
from itertools import islice
from urllib.parse import unquote

from knowledge.chunking.markdown import outline

_MAX_TITLE = 120
#: "(2)", "copy", "final" and versions at a name's end say which copy it is, not what it holds.
_COPY = re.compile(r"(?:[\s_-]*(?:\(\d{1,3}\)|\bcopy\b|\bfinal\b|\bdraft\b|\bv\d{1,3}(?:\.\d{1,3})*))+$", re.IGNORECASE)


def title_in(text: str) -> str | None:
    """The one heading of the first level; where there are several, or none, a first line that reads like a title; else the
    first of them, or the one heading above all others. The first of several second-level headings is a section, no title.
    """
    headings = [heading for heading in outline(text)[0] if heading.text]
    level = min((heading.level for heading in headings), default=0)
    top = [heading.text for heading in headings if heading.level == level]
    if len(top) == 1 and level == 1:
        return top[0]
    return first_line(text) or (top[0] if top and (level == 1 or len(top) == 1) else None)


def first_line(text: str) -> str | None:
    """The first line of text, where it is short, without a full stop, and a blank line follows."""
    lines = list(islice(iter(text[: 4 * _MAX_TITLE].lstrip().split("\n")), 2))
    line = lines[0].strip()
    bare = line.strip("#*").strip()
    alone = len(lines) > 1 and not lines[1].strip()
    is_text = alone and not line.startswith(("#", "|", "- ", "```", "~~~", ">"))
    return bare if is_text and 0 < len(bare) <= _MAX_TITLE and bare[-1] not in ".;,:" else None


def title_of_file(stem: str) -> str:
    """A file's name as a title: blanks for ``_``, for ``%20`` and for ``-`` between words; what tells copies apart goes.

    The hyphen of a code stays (``AX-204-manual``: "AX-204 manual"), and nothing but this is ever read off a name.
    """
    words = re.sub(r"[\s_]+", " ", unquote(stem)).strip()
    words = re.sub(r"(?<=[^\W\d])-(?=[^\W\d])|(?<=\d)-(?=[^\W\d])", " ", words)
    return _COPY.sub("", words).strip(" -._") or words or stem
