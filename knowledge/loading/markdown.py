"""Markdown and plain text: decoded, cleaned, front matter taken off, the title found.

A plain text whose titles can be told from how it is set becomes Markdown, so that it is cut at them.
"""

from __future__ import annotations

import re

from knowledge.chunking.markdown import front_matter_end
from knowledge.loading import margins, underlined
from knowledge.loading.decoding import decode
from knowledge.loading.parsed import Parsed, clean
from knowledge.loading.pdf_text import join_words
from knowledge.loading.titles import first_line, title_in

_FRONT_TITLE = re.compile(r"^title:[ \t]*(\S.*)$", re.MULTILINE)
#: A word that a manual page cuts at a line's end; its other hyphens are the keyboard's.
_CUT_WORD = re.compile("(?<=[^\\W\\d_])\u2010[ \\t]*\\n[ \\t]*(?=[^\\W\\d_])")


def read_markdown(data: bytes) -> Parsed:
    """The title is the front matter's, else what the text opens with."""
    text = clean(decode(data))
    begin = front_matter_end(text)
    named = _FRONT_TITLE.search(text, 0, begin)
    text = text[begin:] if begin else text
    title = named[1].strip().strip("\"'") if named else title_in(text)
    return Parsed(text, title)


def read_text(data: bytes) -> Parsed:
    """The title is a manual page's name, the one underlined title of the first level, or a first line that reads like one."""
    text = _with_whole_words(clean(decode(data)))
    if headed := underlined.with_headings(text):
        return Parsed(headed, title_in(headed), kind="markdown")
    if found := margins.with_headings(text):
        headed, name = found
        return Parsed(headed, name or first_line(headed), kind="markdown")
    return Parsed(text, first_line(text))


def _with_whole_words(text: str) -> str:
    return join_words([[_CUT_WORD.sub("\x02", text)]])[0][0] if _CUT_WORD.search(text) else text
