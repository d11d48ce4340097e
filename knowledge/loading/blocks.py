"""Blocks of text put together as Markdown: what the HTML and DOCX readers write into."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BLANKS = re.compile(r"[ \t\r\n\f\v\u00a0]+")
#: Beginnings that would turn a paragraph into something else.
_MARKUP = re.compile(r"#{1,6}(?=\s|$)|```|~~~|\|")
_LINE_BREAK = "\x00"  # a break asked for, told apart from blanks that are only layout
_DEPTH = "  "
_DIGIT = re.compile(r"\d")


class Blocks:
    """Paragraphs, headings, lists, code and tables, in order; ``text`` is the Markdown."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._last_is_item = False

    @property
    def text(self) -> str:
        """All blocks, a blank line between any two but list items."""
        return "".join(self._blocks).strip("\n") + "\n" if self._blocks else ""

    def heading(self, level: int, text: str) -> None:
        """A heading of level 1 to 6."""
        words = flat(text)
        if words:
            self._add(f"{'#' * min(max(level, 1), 6)} {words}")

    def paragraph(self, text: str) -> None:
        """A paragraph; ``LINE_BREAK`` in it is a hard break."""
        lines = [line for part in text.split(_LINE_BREAK) if (line := flat(part))]
        if lines:
            lines[0] = "\\" + lines[0] if _MARKUP.match(lines[0]) else lines[0]
            self._add("  \n".join(lines))

    def question(self, text: str) -> None:
        """A question in type that heads what answers it."""
        words = flat(text).replace("*", "\\*").replace("_", " ")
        if words:
            self._add(f"**{words}**")

    def item(self, text: str, marker: str, depth: int) -> None:
        """A list item, ``depth`` 0 outermost. ``marker`` is ``-`` or ``3.``."""
        lines = [line for part in text.split(_LINE_BREAK) if (line := flat(part))]
        if lines:
            indent = _DEPTH * min(depth, 8)
            self._add(f"{indent}{marker} " + f"  \n{indent}  ".join(lines), is_item=True)

    def code(self, text: str) -> None:
        """A code block, as it stands."""
        body = text.replace(_LINE_BREAK, "\n").strip("\n")
        if body.strip():
            fence = "~~~" if "```" in body else "```"
            self._add(f"{fence}\n{body}\n{fence}")

    def table(self, rows: Sequence[Sequence[str]], *, header: bool | None = None) -> None:
        """A table; one row or one column is no table but paragraphs. ``header``: whether the first row names the columns.

        Where that is not known, two columns of names and values ("Owner | HR") have none: an empty one is written.
        """
        grid = [[flat(cell.replace(_LINE_BREAK, " ")) for cell in row] for row in rows]
        grid = [row for row in grid if any(row)]
        width = max((len(row) for row in grid), default=0)
        if width < 2 or len(grid) < 2:
            for row in grid:
                self.paragraph(" ".join(cell for cell in row if cell))
            return
        padded = [[cell.replace("|", "\\|") for cell in row] + [""] * (width - len(row)) for row in grid]
        if not (_names_columns(padded) if header is None else header):
            padded.insert(0, [""] * width)
        lines = ["| " + " | ".join(row) + " |" for row in padded]
        lines.insert(1, "|" + " --- |" * width)
        self._add("\n".join(lines))

    def _add(self, block: str, *, is_item: bool = False) -> None:
        if self._blocks:
            self._blocks.append("\n" if is_item and self._last_is_item else "\n\n")
        self._blocks.append(block)
        self._last_is_item = is_item


def _names_columns(grid: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: of two columns, if it has no digit over values that all have one."""
    if len(grid[0]) > 2:
        return True
    return not _DIGIT.search(" ".join(grid[0])) and all(_DIGIT.search(row[1]) for row in grid[1:])


LINE_BREAK = _LINE_BREAK


def flat(text: str) -> str:
    """Runs of blanks as one, none at the ends."""
    return _BLANKS.sub(" ", text).strip(" ")
