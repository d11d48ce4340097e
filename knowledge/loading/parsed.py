"""What every reader returns, and how one says that a file can't be read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowledge.documents import DocumentKind

#: Control characters that no text means, soft hyphens and byte order marks; they would cut words in two for both searches.
_INVISIBLE = re.compile("[\x00-\x08\x0b\x0e-\x1b\x7f\u00ad\ufeff]")


class UnreadableError(Exception):
    """A file can't be read; the message goes on after the file's name: ``is empty``."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file's text in Markdown's form, with the title it gives itself and where its pages begin (number, offset).

    ``notes`` are remarks on what is missing, each a sentence on "it"; ``kind`` is what it turned out to be, where that is another
    kind than its file's name says.
    """

    text: str
    title: str | None = None
    pages: tuple[tuple[int, int], ...] = ()
    notes: tuple[str, ...] = ()
    kind: DocumentKind | None = None


def clean(text: str) -> str:
    """Line ends as ``\\n``, nothing invisible inside words."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _INVISIBLE.sub("", text) if _INVISIBLE.search(text) else text
