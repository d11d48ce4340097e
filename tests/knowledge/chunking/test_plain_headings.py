"""Plain text whose headings are numbered title lines is cut at them; a list that is numbered stays a list."""

from __future__ import annotations

import pytest
from langchain_core.documents import Document

from knowledge.chunking import ChunkingDefaults, chunk
from knowledge.documents import DocumentKind, SourceDocument

CHARTER = """                 Charter of the Garden Club

   Adopted in the spring.

1. Members

   A member may
    1. plant what they like;
    2. vote;
    3. ask for a meeting.

2. The Chair

  2.1. Powers

   The chair opens and closes meetings.

  2.2. How is the chair elected?

    1. Members elect the chair in May.
    2. The chair serves for one year.

10. Fees

   The fee is 12 EUR.

A. Rules of Voting

   These rules hold for all votes.

  A.0. Proposal

   Two members propose a vote.

B. Tools

   Tools go back to the shed.
"""


def chunks_of(text: str, kind: DocumentKind = "text", chunker: str | None = None) -> list[Document]:
    source = SourceDocument(document_id="d", title="T", text=text, source="d.txt", kind=kind, chunker=chunker)
    return chunk(source, ChunkingDefaults())


def sections(found: list[Document]) -> list[str | None]:
    return [one.metadata.get("section") for one in found]


@pytest.mark.parametrize("kind", ["text", "pdf"])
@pytest.mark.parametrize("chunker", [None, "structural", "parent_child"])
def test_numbered_titles_are_headings(kind: DocumentKind, chunker: str | None) -> None:
    found = [one for one in chunks_of(CHARTER, kind, chunker) if one.metadata.get("kind") != "parent"]
    assert sections(found) == [
        None,
        "1. Members",
        "2. The Chair > 2.1. Powers",
        "2. The Chair > 2.2. How is the chair elected?",
        "10. Fees",
        "A. Rules of Voting",
        "A. Rules of Voting > A.0. Proposal",
        "B. Tools",
    ]
    assert "1. Members elect the chair in May.\n" in found[3].page_content


def test_an_appendix_is_no_part_of_the_last_rule() -> None:
    assert sections(chunks_of(CHARTER, chunker="legal"))[-3:] == ["A. Rules of Voting", "A.0. Proposal", "B. Tools"]
    assert chunks_of(CHARTER, chunker="legal")[-3].metadata["heading_path"] == "T > A. Rules of Voting"


@pytest.mark.parametrize(
    "text",
    [
        # Entries that follow each other, with and without blank lines.
        "Bring:\n\n1. A passport\n\n2. A deposit\n\n3. Two photographs\n\nThen wait.",
        "Bring\n\n1. A passport\n2. A deposit\n3. Two photographs\n\nThen wait.",
        # Steps that a colon leads, each with its text.
        "To close the club:\n\n1. Lock the shed\n\nTurn it twice.\n\n2. Empty the tank\n\nTo the mark.\n\n3. Leave\n\nAt ten.",
        # Sentences.
        "1. Lock the shed.\n\nTurn it twice.\n\n2. Empty the tank.\n\nTo the mark.\n\n3. Leave by ten.\n\nNot later.",
        # Fewer than three.
        "1. Rent\n\nPay it.\n\n2. Keys\n\nKeep them.",
        # Numbers that do not rise.
        "3. Rent\n\nPay it.\n\n2. Keys\n\nKeep them.\n\n1. Pets\n\nNone.",
        # Margins that are not those of headings.
        "1. Rent\n\nPay it.\n\n      2. Keys\n\nKeep them.\n\n      3. Pets\n\nNone.",
        "A. Rent\n\nPay it.\n\nB. Keys\n\nKeep them.\n\nC. Pets\n\nNone.",
    ],
)
def test_a_list_stays_a_list(text: str) -> None:
    assert sections(chunks_of(text)) == [None]


def test_a_text_with_marked_headings_or_of_another_kind_has_those_alone() -> None:
    assert (
        sections(chunks_of(CHARTER, "markdown"))[0] is None and len(set(sections(chunks_of(CHARTER, "markdown")))) == 1
    )
    marked = f"# Rules\n\nOf the club.\n\n# Charter\n\n{CHARTER}"
    assert set(sections(chunks_of(marked, "pdf"))) == {"Rules", "Charter"}


def test_a_code_block_holds_no_headings() -> None:
    fenced = "\n".join(("```", CHARTER, "```"))
    assert set(sections(chunks_of(fenced))) == {None}
