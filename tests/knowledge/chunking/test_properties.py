"""What holds for every chunker, whatever the text: nothing lost, nothing invented, nothing over its limit."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.chunking import ChunkingDefaults, chunk
from knowledge.chunking.options import OPTIONS, Options, parse_options
from knowledge.chunking.registry import cut
from knowledge.chunking.ruler import Ruler
from knowledge.documents import SourceDocument

WORD = st.sampled_from(
    (
        "the",
        "return",
        "window",
        "is",
        "seven",
        "days",
        "AX-204",
        "3.5",
        "Art.",
        "чл.",
        "No.",
        "e.g.",
        "на",
        "правото",
        "§",
        "5",
    )
)
ENDING = st.sampled_from(("refund!", "why?", "end.", "край.", "ok...", "(2)", "x"))
PROSE = st.lists(st.one_of(WORD, WORD, ENDING), min_size=1, max_size=30).map(" ".join)
LINE = st.one_of(
    PROSE,
    st.tuples(st.integers(1, 4), PROSE).map(lambda pair: "#" * pair[0] + " " + pair[1][:40]),
    st.tuples(st.sampled_from(["- ", "1. ", "(1) ", "(2) ", "а) ", "> "]), PROSE).map("".join),
    st.tuples(
        st.sampled_from(["Чл. 5.", "Чл. 40а. (1)", "Article 7", "§ 5.", "Section 12", "Глава втора", "Art. 41."]), PROSE
    ).map(" ".join),
    st.lists(PROSE, min_size=1, max_size=4).map(
        lambda rows: "\n".join(["| a | b |", "|---|---|", *(f"| {row} | x |" for row in rows)])
    ),
    PROSE.map(lambda code: f"```\n{code}\n# not a heading\n\n{code}\n```"),
    PROSE.map(lambda title: f"\n{title[:30]}\n====\n"),
    st.just(""),
    st.text(alphabet="ab .\n\r\t#|-`~=*>\u00a0\x0c\u2028\u3002é", max_size=30),
)
TEXT = st.tuples(
    st.lists(LINE, max_size=12), st.sampled_from(["\n", "\r\n", "\n\n"]), st.sampled_from(["", "\n", "  \n\n"])
).map(lambda parts: parts[1].join(parts[0]) + parts[2])
SIZES = {
    "structural": st.fixed_dictionaries({"limit": st.integers(1, 40), "overlap": st.integers(0, 3)}),
    "recursive": st.integers(1, 40).flatmap(
        lambda limit: st.fixed_dictionaries({"limit": st.just(limit), "overlap": st.integers(0, limit - 1)})
    ),
    "semantic": st.fixed_dictionaries({"limit": st.integers(1, 40), "percentile": st.integers(0, 100)}),
    "parent_child": st.integers(1, 20).flatmap(
        lambda limit: st.fixed_dictionaries({"limit": st.just(limit), "parent_limit": st.integers(limit, 60)})
    ),
    "legal": st.fixed_dictionaries({"limit": st.integers(1, 40)}),
}
SIZES["fixed"] = SIZES["recursive"]
UNIT = st.sampled_from(["words", "characters", "tokens"])
#: Marks that headings and fences are made of; they are not words of the text.
MARKUP = re.compile(r"[#=\-*]+$")
#: An item of a list: ``structural`` keeps a list whole up to a limit of its own.
LIST = re.compile(r"^[ \t>]*(?:[-*+•‣▪◦–—]|\d{1,3}[.)]|\(?[a-zа-я]\))\s", re.MULTILINE)
CASES = settings(max_examples=40, deadline=None)


def embed(texts: list[str]) -> list[list[float]]:
    return [[len(text) % 7, text.count("e"), 1.0] for text in texts]


def document(text: str, **known: object) -> SourceDocument:
    return SourceDocument(document_id="d", title="The title", text=text, source="d.md", **known)  # type: ignore[arg-type]


def words(text: str, *, markup: bool = False) -> list[str]:
    return [word.replace("**", "") for word in text.split() if markup or not MARKUP.match(word)]


def is_subsequence(needed: list[str], held: list[str]) -> bool:
    stream = iter(held)
    return all(any(word == other for other in stream) for word in needed)


EACH_CHUNKER = pytest.mark.parametrize("name", sorted(OPTIONS))


def draw_options(data: st.DataObject, name: str) -> Options:
    given = data.draw(SIZES[name])
    unit = data.draw(UNIT)
    if unit == "characters":
        given = {key: value * 6 if key.endswith("limit") else value for key, value in given.items()}
    return parse_options(name, {**given, "unit": unit})


@EACH_CHUNKER
@CASES
@given(data=st.data())
def test_every_word_stands_in_some_chunk_in_order(name: str, data: st.DataObject) -> None:
    text = data.draw(TEXT)
    options = draw_options(data, name)
    source = document(text, chunker=name, chunker_options=options.model_dump())
    chunks = [one for one in chunk(source, ChunkingDefaults(), embed=embed) if one.metadata.get("kind") != "parent"]
    assert is_subsequence(words(text), [word for one in chunks for word in words(one.page_content)])


@EACH_CHUNKER
@CASES
@given(data=st.data())
def test_no_word_is_invented(name: str, data: st.DataObject) -> None:
    text = data.draw(TEXT)
    options = draw_options(data, name)
    for pieces in cut(document(text), options, embed):
        for piece in pieces:
            for start, end in piece.spans:
                assert 0 <= start < end <= len(text)
                assert text[start:end] == text[start:end].strip()
            if piece.article is None:  # an article's heading names it in a form of its own: "ARTICLE 7" as "Article 7"
                assert is_subsequence(
                    [word for heading in piece.path for word in heading.split()], words(text, markup=True)
                )


@EACH_CHUNKER
@CASES
@given(data=st.data())
def test_no_chunk_is_over_its_limit(name: str, data: st.DataObject) -> None:
    text = data.draw(TEXT)
    options = draw_options(data, name)
    ruler = Ruler(text, options.unit)
    pieces, parents = cut(document(text), options, embed)
    for some, limit in ((pieces, options.limit), (parents, getattr(options, "parent_limit", 0))):
        for piece in some:
            size = sum(ruler.size(*span) for span in piece.spans) + (len(piece.spans) - 1) * (
                options.unit == "characters"
            )
            body = "\n".join(text[start:end] for start, end in piece.spans)
            is_row = "|" in body and "\n" not in body
            most = getattr(options, "list_limit", limit) if LIST.search(body) else limit
            assert size <= most or len(body.split()) == 1 or is_row
