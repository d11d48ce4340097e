"""Passages of the Kartly shelf as ``fit_context`` labels them, for the tests of what is said of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import knowledge
from nodes.state import Passage
from tests.fakes.ollama import hashed_vector

SHELF = Path(knowledge.__file__).parent / "kartly"


async def hashed(texts: Sequence[str]) -> list[list[float]]:
    """Embeddings without a model: hashed words."""
    return [hashed_vector(text) for text in texts]


def passage(text: str, *, label: str = "S1", title: str = "Policy", section: str = "", category: str = "") -> Passage:
    return Passage(
        label=label,
        id=f"{title.casefold().replace(' ', '-')}#{label[1:]}",
        title=title,
        source=f"{title.casefold()}.md",
        page=None,
        section=section or title,
        category=category,
        text=text,
        truncated=False,
    )


def section(file: str, heading: str, *, label: str = "S1", category: str = "general") -> Passage:
    """A section of a shelf file by its heading; the whole text under the title where ``heading`` is empty."""
    text = (SHELF / f"{file}.md").read_text(encoding="utf-8")
    title = text.splitlines()[0].removeprefix("# ")
    body = re.split(rf"^## {re.escape(heading)}$", text, flags=re.MULTILINE)[1] if heading else text.split("\n", 1)[1]
    body = re.split(r"^## ", body, flags=re.MULTILINE)[0].strip()
    path = f"{title} > {heading}" if heading else title
    return passage(body, label=label, title=title, section=path, category=category)


def damaged_headphones() -> list[Passage]:
    """What the desk's demo question retrieves."""
    return [
        section("returns", "Return window", label="S1"),
        section("electronics-returns", "Return window and conditions", label="S2", category="electronics"),
        section("damage", "", label="S3"),
        section("ax-204-manual", "Battery and charging", label="S4", category="electronics"),
    ]
