"""Recursive and fixed windows, semantic turns, parents and children."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document

from knowledge.chunking import ChunkingDefaults, chunk
from knowledge.chunking.options import FixedOptions, RecursiveOptions, SemanticOptions
from knowledge.chunking.registry import cut
from knowledge.chunking.ruler import Ruler
from knowledge.documents import DocumentKind, SourceDocument
from knowledge.errors import BadInput
from knowledge.model_tokens import count

WORDS = [f"w{number}" for number in range(60)]
TEXT = st.lists(
    st.sampled_from(["one", "two.", "three\n", "four\n\n", "AX-204", "правото", "x"]), min_size=1, max_size=80
).map(" ".join)


def source(text: str, chunker: str, kind: DocumentKind = "text", **options: int | float | str) -> SourceDocument:
    return SourceDocument(
        document_id="d", title="T", text=text, source="d", kind=kind, chunker=chunker, chunker_options=options
    )


def bodies(chunks: list[Document]) -> list[str]:
    return [one.page_content[one.metadata["body_start"] :] for one in chunks]


def test_fixed_moves_forward_by_limit_less_overlap() -> None:
    found = bodies(chunk(source(" ".join(WORDS), "fixed", limit=20, overlap=5, unit="words"), ChunkingDefaults()))
    assert [body.split() for body in found] == [WORDS[at : at + 20] for at in (0, 15, 30, 45)]


@given(TEXT, st.sampled_from(["words", "characters", "tokens"]), st.data())
@settings(deadline=None, max_examples=60)
def test_windows_share_what_was_asked_for_and_no_more(text: str, unit: str, data: st.DataObject) -> None:
    limit = data.draw(st.integers(12, 60))
    overlap = data.draw(st.integers(0, limit - 1))
    ruler = Ruler(text, unit)  # type: ignore[arg-type]
    for options in (
        FixedOptions(limit=limit, overlap=overlap, unit=unit),  # type: ignore[arg-type]
        RecursiveOptions(limit=limit, overlap=overlap, unit=unit),  # type: ignore[arg-type]
    ):
        spans = [piece.spans[0] for piece in cut(source(text, options.name), options)[0]]
        for before, after in pairwise(spans):
            assert before[0] < after[0]
            assert before[1] < after[1]
            shared = ruler.size(after[0], before[1]) if after[0] < before[1] else 0
            assert shared == 0 if overlap == 0 else True
            if options.name == "recursive":
                assert shared <= overlap
            elif unit == "words":
                assert shared == overlap or after[1] == len(text.rstrip())


def test_recursive_prefers_blank_lines_then_lines_then_sentences() -> None:
    def cut_at(text: str, limit: int) -> list[str]:
        return bodies(chunk(source(text, "recursive", limit=limit, overlap=0, unit="words"), ChunkingDefaults()))

    assert cut_at("a b c\n\nd e f\ng h. i j", 8) == ["a b c\n\nd e f", "g h. i j"]
    assert cut_at("a b c d\n\ne f. g h", 6) == ["a b c d", "e f. g h"]
    assert cut_at("A b c d\ne f. G h", 6) == ["A b c d", "e f. G h"]
    assert cut_at("A b c d. E f g h", 6) == ["A b c d.", "E f g h"]
    assert cut_at("a b c d e f g h", 6) == ["a b c d e f", "g h"]


def test_recursive_overlap_begins_at_a_sentence() -> None:
    text = "One two three. Four five six. Seven eight nine. Ten eleven twelve."
    found = bodies(chunk(source(text, "recursive", limit=6, overlap=4, unit="words"), ChunkingDefaults()))
    assert found == [
        "One two three. Four five six.",
        "Four five six. Seven eight nine.",
        "Seven eight nine. Ten eleven twelve.",
    ]


def test_headings_above_lead_a_window() -> None:
    text = "# A\n\none two three four\n\n## B\n\nfive six seven"
    found = chunk(source(text, "recursive", kind="markdown", limit=6, overlap=0, unit="words"), ChunkingDefaults())
    assert [one.page_content for one in found] == ["T\n\n# A\n\none two three four", "T > A\n\n## B\n\nfive six seven"]


def test_pages_of_windows() -> None:
    document = SourceDocument(
        document_id="d", title="T", text="one two three four", source="d", kind="pdf", pages=((1, 0), (2, 8)), chunker="fixed",
        chunker_options={"limit": 2, "overlap": 0, "unit": "words"},
    )  # fmt: skip
    assert [one.metadata["page"] for one in chunk(document, ChunkingDefaults())] == [1, 2]


def by_topic(texts: list[str]) -> list[list[float]]:
    return [[1.0, 0.0] if "cat" in text else [0.0, 1.0] for text in texts]


def test_semantic_cuts_where_the_topic_turns() -> None:
    text = "A cat sat. The cat ate. One more cat. Tax is due. Tax is high. Pay tax."
    found = bodies(chunk(source(text, "semantic", percentile=80), ChunkingDefaults(), embed=by_topic))
    assert found == ["A cat sat. The cat ate. One more cat.", "Tax is due. Tax is high. Pay tax."]
    whole = bodies(chunk(source(text, "semantic", percentile=100), ChunkingDefaults(), embed=by_topic))
    assert whole == [text]


def test_semantic_leaves_under_three_sentences_whole_and_unembedded() -> None:
    def fail(texts: list[str]) -> list[list[float]]:
        raise AssertionError(texts)

    assert bodies(chunk(source("A cat. A tax.", "semantic"), ChunkingDefaults(), embed=fail)) == ["A cat. A tax."]


def test_semantic_never_crosses_a_heading_and_embeds_once() -> None:
    calls: list[list[str]] = []

    def embed(texts: list[str]) -> list[list[float]]:
        calls.append(texts)
        return by_topic(texts)

    text = "# A\nA cat. A cat. A cat.\n# B\nA cat. A cat. A tax."
    found = chunk(source(text, "semantic", kind="markdown", percentile=50), ChunkingDefaults(), embed=embed)
    assert [one.page_content for one in found] == [
        "T > A\n\nA cat. A cat. A cat.",
        "T > B\n\nA cat. A cat.",
        "T > B\n\nA tax.",
    ]
    assert len(calls) == 1


def test_semantic_says_what_it_lacks() -> None:
    with pytest.raises(BadInput, match="needs an embedding model"):
        chunk(source("a", "semantic"), ChunkingDefaults())
    with pytest.raises(BadInput, match="1 vectors for 3 sentences"):
        cut(source("A b. C d. E f.", "semantic"), SemanticOptions(), lambda texts: [[1.0]])


def test_children_stand_in_their_parents_and_parents_once() -> None:
    text = "# A\n\nOne two three. Four five six.\n\n## B\n\nSeven eight.\n\n# C\n\n" + "Nine ten eleven. " * 8
    found = chunk(source(text, "parent_child", kind="markdown", limit=4, parent_limit=16), ChunkingDefaults())
    parents = {one.id: one for one in found if one.metadata.get("kind") == "parent"}
    children = [one for one in found if one.metadata.get("kind") != "parent"]
    assert list(parents) == ["d#p1", "d#p2", "d#p3"]
    assert [one.id for one in children] == [f"d#{number}" for number in range(1, len(children) + 1)]
    assert parents["d#p1"].page_content == "T > A\n\nOne two three. Four five six.\n\n## B\n\nSeven eight."
    assert [one.metadata["heading_path"] for one in children[:3]] == ["T > A", "T > A", "T > A > B"]
    for one in children:
        assert bodies([one])[0] in parents[one.metadata["parent_id"]].page_content
    assert {one.metadata["parent_id"] for one in children} == set(parents)
    assert "parent_id" not in parents["d#p1"].metadata


@given(st.text(alphabet="abc def.\n-AX204é правоþ\u00a0", max_size=200))
def test_tokens_of_words_add_up_to_tokens_of_the_text(text: str) -> None:
    assert Ruler(text, "tokens").size(0, len(text)) == count(text)


@given(TEXT, st.integers(1, 30), st.sampled_from(["words", "characters", "tokens"]), st.data())
def test_ruler_fits_as_much_as_it_can(text: str, limit: int, unit: str, data: st.DataObject) -> None:
    ruler = Ruler(text, unit)  # type: ignore[arg-type]
    start, last = ruler.trim(0, len(text))
    start = ruler.next_word(data.draw(st.integers(start, last - 1)))
    if start >= last:
        return
    end = ruler.fit(start, last, limit)
    one_word = len(text[start:end].split()) == 1
    assert ruler.size(start, end) <= limit or one_word
    if end < last:
        further = ruler.fit(ruler.next_word(end), last, 1)
        assert ruler.size(start, further) > limit or unit == "tokens"
    back = ruler.back(end, limit)
    assert ruler.size(back, end) <= limit or back == end
