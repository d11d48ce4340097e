"""Headings, packing by sentences, tables and code, and what a chunk says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge.chunking import ChunkingDefaults, chunk
from knowledge.documents import SourceDocument
from knowledge.loading import load

KARTLY = Path(__file__).resolve().parents[3] / "knowledge" / "kartly"


def chunks_of(text: str, title: str = "T", *, limit: int = 120, overlap: int = 1, **known: object):  # type: ignore[no-untyped-def]
    document = SourceDocument(document_id="d", title=title, text=text, source="d.md", **known)  # type: ignore[arg-type]
    return chunk(document, ChunkingDefaults(limit=limit, overlap=overlap))


def bodies(text: str, **known: object) -> list[str]:
    return [one.page_content[one.metadata["body_start"] :] for one in chunks_of(text, **known)]


def sentence(length: int, name: str) -> str:
    return " ".join([name, *["w"] * (length - 1)]) + "."


def test_kartly_makes_seventeen_chunks_and_warranty_shares_one_sentence() -> None:
    documents = load([KARTLY]).documents
    assert len(documents) == 10
    chunks = {one.id: one for document in documents for one in chunk(document, ChunkingDefaults())}
    assert len(chunks) == 17
    first, second = chunks["warranty#1"], chunks["warranty#2"]
    assert (first.metadata["words"], second.metadata["words"]) == (99, 94)
    shared = second.page_content[second.metadata["body_start"] :].split(". ")[0] + "."
    assert first.page_content.endswith(shared)
    assert len(shared.split()) == 16


def test_heading_path_leads_and_says_the_title_once() -> None:
    text = "Before.\n\n# Return  policy\n\n## Electronics\n\n### Phones ##\nSeven days.\n\n## Clothing\nThirty days."
    found = chunks_of(text, title="Return Policy")
    assert [one.page_content for one in found] == [
        "Return Policy\n\nBefore.",
        "Return Policy > Electronics > Phones\n\nSeven days.",
        "Return Policy > Clothing\n\nThirty days.",
    ]
    assert [one.metadata.get("section") for one in found] == [None, "Electronics > Phones", "Clothing"]
    assert [one.id for one in found] == ["d#1", "d#2", "d#3"]


def test_underlined_headings_and_hashes_in_code() -> None:
    text = "Title\n=====\na\n\nPart\n----\nb\n\n```sh\n# comment\n```\n\n- item\n---\nc"
    assert [one.metadata["heading_path"] for one in chunks_of(text)] == ["T > Title", "T > Title > Part"]


def test_a_heading_with_nothing_below_is_text() -> None:
    found = chunks_of("# A\n\n## Closed on Sundays\n\n# B\n\ntext\n\n# C")
    assert [one.page_content for one in found] == ["T > A\n\nClosed on Sundays", "T > B\n\ntext", "T\n\nC"]


def test_each_next_piece_starts_with_the_last_sentence_before() -> None:
    a, b, c, d = (sentence(40, name) for name in "ABCD")
    assert bodies(f"{a} {b} {c} {d}", limit=100) == [f"{a} {b}", f"{b} {c}", f"{c} {d}"]
    assert bodies(f"{a} {b} {c} {d}", limit=100, overlap=0) == [f"{a} {b}", f"{c} {d}"]
    assert bodies(f"{a} {b} {c} {d}", limit=120, overlap=2) == [f"{a} {b} {c}", f"{b} {c} {d}"]


def test_overlap_goes_where_it_and_the_next_sentence_are_too_long() -> None:
    a, b, c = sentence(50, "A"), sentence(60, "B"), sentence(70, "C")
    assert bodies(f"{a} {b} {c}", limit=120) == [f"{a} {b}", c]


def test_a_sentence_over_the_limit_is_cut_between_words() -> None:
    assert bodies(sentence(25, "A"), limit=10) == ["A" + " w" * 9, " ".join("w" * 10), "w w w w w."]
    assert [len(body.split()) for body in bodies("x" * 5 + " y" * 50_000, limit=120)][:2] == [120, 120]


def test_tables_and_code_stay_whole() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    code = "```\nx. Y\nz\n```"
    lead = sentence(10, "L")
    assert bodies(f"{lead}\n\n{table}\n\n{lead}\n\n{code}", limit=14) == [lead, table, lead, code]


def test_a_long_table_is_cut_between_rows_under_its_header() -> None:
    rows = [f"| item {number} | {number} |" for number in range(6)]
    head = "| name | n |\n|---|---|"
    text = "\n".join([head, *rows])
    assert bodies(text, limit=20) == ["\n".join([head, *rows[at : at + 2]]) for at in (0, 2, 4)]


@pytest.mark.parametrize("text", ["", "\n \n", "\r\n"])
def test_nothing_makes_no_chunk(text: str) -> None:
    assert chunks_of(text) == []


def test_metadata_is_there_or_absent_never_none() -> None:
    (one,) = chunks_of(
        "text", updated_at="2026-03-02", notice="Not advice.", extra={"price_tier": ["gold"]}, pages=((3, 0),)
    )
    assert one.metadata == {
        "chunk_id": "d#1",
        "document_id": "d",
        "title": "T",
        "heading_path": "T",
        "body_start": 3,
        "source": "d.md",
        "page": 3,
        "category": "general",
        "tenant": "default",
        "language": "en",
        "status": "active",
        "updated_at": "2026-03-02",
        "notice": "Not advice.",
        "position": 1,
        "words": 1,
        "price_tier": ["gold"],
        "content_hash": one.metadata["content_hash"],
    }


def test_content_hash_follows_what_search_sees_and_not_the_number() -> None:
    before = chunks_of("# A\n\nfirst\n\n# B\n\nsecond")
    after = chunks_of("# New\n\nnew\n\n# A\n\nfirst\n\n# B\n\nother")
    assert after[1].metadata["content_hash"] == before[0].metadata["content_hash"]
    assert after[2].metadata["content_hash"] != before[1].metadata["content_hash"]
    assert chunks_of("# A\n\nfirst", category="hr")[0].metadata["content_hash"] != before[0].metadata["content_hash"]


def test_a_chunk_over_two_pages_tells_where_each_begins() -> None:
    text = "One two three.\n\nFour five six."
    source = SourceDocument(document_id="d", title="T", text=text, source="d.pdf", kind="pdf", pages=((1, 0), (2, 16)))
    whole = chunk(source, ChunkingDefaults())[0]
    body = whole.page_content[whole.metadata["body_start"] :]
    (first, start), (second, offset) = whole.metadata["page_starts"]
    assert (first, start, second) == (1, 0, 2) and body[offset:].startswith("Four five")


def test_a_chunk_says_that_its_list_goes_on_in_the_next() -> None:
    items = "\n".join(f"- item {number} of a list of things" for number in range(12))
    text = f"# T\n\n## Things\n\nThese are needed:\n\n{items}\n\nAsk the porter, who has a list too.\n\n## Other\n\n- one\n- two"
    document = SourceDocument(document_id="d", title="T", text=text, source="d.md", kind="markdown")
    found = [one.metadata.get("list_goes_on") for one in chunk(document, ChunkingDefaults(limit=30))]
    assert found[0] is True and found[-1] is None and found[-2] is None
