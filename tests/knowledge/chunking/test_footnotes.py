"""Footnotes stay with the table that they belong to, also where it is cut."""

from __future__ import annotations

import pytest
from langchain_core.documents import Document

from knowledge.chunking import ChunkingDefaults, chunk
from knowledge.documents import SourceDocument

NOTES = "* paid by the association where the shared drain is blocked\n\n† glass is replaced within fifteen working days"
ROWS = ["Sink | 5 days*", "Heating | 1 day", "Window | 1 day†", "Roof | 2 days", "Door | 3 days*", "Gutter | 4 days"]


def cut(text: str, limit: int) -> list[Document]:
    document = SourceDocument(document_id="d", title="T", text=text, source="d.md", kind="markdown")
    return chunk(document, ChunkingDefaults(limit=limit, overlap=1))


def table(rows: list[str]) -> str:
    return "| Repair | Time |\n| --- | --- |\n" + "\n".join(f"| {row} |" for row in rows)


def test_a_table_and_its_footnotes_are_one_unit() -> None:
    text = f"# T\n\n{'Word ' * 30}end.\n\n{table(ROWS)}\n\n{NOTES}\n\n{'Other ' * 30}end."
    holding = [one.page_content for one in cut(text, 70) if "| Sink" in one.page_content]
    assert len(holding) == 1 and "shared drain" in holding[0] and "fifteen working days" in holding[0]
    assert sum(one.page_content.count("shared drain") for one in cut(text, 70)) == 1


def test_each_piece_of_a_table_bears_the_footnotes_of_its_rows() -> None:
    pieces = [one.page_content for one in cut(f"# T\n\n{table(ROWS * 4)}\n\n{NOTES}\n\nIt ends here.", 60)]
    held = [piece for piece in pieces if "| Repair |" in piece]
    assert len(held) > 2
    for piece in held:
        assert ("shared drain" in piece) == ("days* |" in piece)
        assert ("fifteen working days" in piece) == ("day† |" in piece)
    assert sum("It ends here." in piece for piece in pieces) == 1
    assert all(int(one.metadata["words"]) <= 60 for one in cut(f"# T\n\n{table(ROWS * 4)}\n\n{NOTES}", 60))


def test_what_only_looks_like_a_footnote_stays_text() -> None:
    text = f"# T\n\n{table(ROWS[1:2] * 20)}\n\n* bring a mask\n\n* wash your hands"
    pieces = [one.page_content for one in cut(text, 60)]
    assert sum(piece.count("bring a mask") for piece in pieces) == 1
    assert "bring a mask" not in pieces[0]


def test_footnotes_longer_than_a_third_of_the_limit_are_text() -> None:
    text = f"# T\n\n{table(ROWS * 4)}\n\n* {'long ' * 50}end"
    pieces = [one.page_content for one in cut(text, 60)]
    assert sum("long long" in piece for piece in pieces) == 1


@pytest.mark.parametrize("rows", [1, 2, 4])
@pytest.mark.parametrize("limits", [(30, 60), (40, 60), (60, 60), (12, 60), (60, 300)])
def test_children_and_parents_bear_them_too(rows: int, limits: tuple[int, int]) -> None:
    options = {"limit": limits[0], "parent_limit": limits[1]}
    document = SourceDocument(
        document_id="d",
        title="T",
        text=f"# T\n\n{'Word ' * 50}end.\n\n{table(ROWS * rows)}\n\n{NOTES}\n\nIt ends here.",
        source="d.md",
        kind="markdown",
        chunker="parent_child",
        chunker_options=options,
    )
    found = chunk(document, ChunkingDefaults())
    children = [one.page_content for one in found if one.metadata.get("kind") != "parent"]
    assert sum("It ends here." in child for child in children) == 1
    assert any("shared drain" in child for child in children)
    for child in children:
        if "| Repair |" in child and limits[0] >= 60:
            assert ("shared drain" in child) == ("days* |" in child)
