"""A document's text as an answer shows it: Markdown's links without their targets, and words without the marks of emphasis."""

from __future__ import annotations

import re

from nodes.strong import without_strong

_LINK = re.compile(r'!?\[([^\[\]\n]{1,300})\]\((?:[^()\s]|\([^()\s]{0,200}\)){1,800}(?:\s+"[^"\n]{0,200}")?\)')
#: One word or several between single marks; what stands within a word (snake_case, 2*3) marks nothing.
_STARRED = re.compile(r"(?<![\w*\\])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])")
_UNDERLINED = re.compile(r"(?<![\w_\\])_(?=[^\s_])([^_\n]*[^\s_])_(?![\w_])")
#: A mark whose partner stands in another sentence; one that opens a quoted name ("_cups") belongs to it.
_ORPHAN_OPENS = re.compile(r"(?<![\w*_\\])[*_](?=[^\W\d_][^*_]*\Z)(?![\w-]{1,80}[\"'”’])")
_ORPHAN_CLOSES = re.compile(r"(?<=[.!?])[*_]\Z")


def shown(text: str) -> str:
    """ "See our own rules" of "See our *own* [rules](/rules#a)". Takes a line, in linear time; what
    holds code keeps its marks.
    """
    plain = _LINK.sub(r"\1", without_strong(text)) if "](" in text else without_strong(text)
    if "`" in plain or ("*" not in plain and "_" not in plain):
        return plain
    plain = _UNDERLINED.sub(r"\1", _STARRED.sub(r"\1", plain))
    return _ORPHAN_CLOSES.sub("", _ORPHAN_OPENS.sub("", plain))
