"""Texts of others inside a prompt: delimited quotations that can't close their delimiter or forge a label."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nodes.state import Passage

_INVISIBLE = "[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\\s]*"
_OPEN, _CLOSE = r"[\[(【［〔（{⟨❲]", r"[\])】］〕）}⟩❳]"
_LABEL_LIKE = re.compile(
    rf"{_OPEN}({_INVISIBLE}[SsЅѕ]?{_INVISIBLE}\d+(?:{_INVISIBLE}[,;]{_INVISIBLE}[SsЅѕ]?{_INVISIBLE}\d+)*{_INVISIBLE}){_CLOSE}"
)
_ANGLES = str.maketrans({"<": "‹", "＜": "‹", "﹤": "‹"})


def quoted(text: str) -> str:
    """The text as it may stand inside a delimiter: no opening angle bracket, and no mark that reads as one of our labels."""
    return _LABEL_LIKE.sub(lambda match: f"⟦{match[1].strip()}⟧", text.translate(_ANGLES))


def heading_of(passage: Passage) -> str:
    """What a passage stands under: its title and section in one path."""
    title, section = passage["title"], passage["section"]
    if not section or section == title:
        return title
    return section if section.startswith(title) else f"{title} > {section}"


def quoted_passages(passages: Sequence[Passage]) -> str:
    """The passages for a prompt: ``[S1] Return Policy > Electronics (applies to: electronics)``, then the text."""
    return "\n\n".join(_quoted_passage(passage) for passage in passages)


def _quoted_passage(passage: Passage) -> str:
    heading = " ".join(quoted(heading_of(passage)).split())
    category = " ".join(quoted(passage["category"]).split())
    applies = f" (applies to: {category})" if category else ""
    return f"<passage>\n[{passage['label']}] {heading}{applies}\n{quoted(passage['text']).strip()}\n</passage>"
