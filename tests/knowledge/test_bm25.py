from __future__ import annotations

import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.bm25 import DEFAULT_AVERAGE_LENGTH, Bm25, average_length, token_index

TEXTS = ["AX-204 headphones charge fast", "headphones headphones", "refunds within 30 days of delivery"]


def test_a_document_weighs_by_the_formula() -> None:
    vector = Bm25(average_length=4, language="en").embed_documents(["headphones headphones charge"])[0]
    weights = dict(zip(vector.indices, vector.values, strict=True))
    norm = 1.2 * (1 - 0.75 + 0.75 * 3 / 4)
    assert weights[token_index("headphon")] == pytest.approx(2 * 2.2 / (2 + norm))
    assert weights[token_index("charg")] == pytest.approx(2.2 / (1 + norm))


def test_a_question_weighs_each_token_as_often_as_it_is_asked() -> None:
    vector = Bm25(average_length=4).embed_query("refund refunds headphones")
    weights = dict(zip(vector.indices, vector.values, strict=True))
    assert weights == {token_index("refund"): 2.0, token_index("headphon"): 1.0}


def test_a_question_meets_the_document_however_it_writes_the_code() -> None:
    bm25 = Bm25(average_length=4, language="en")
    document = set(bm25.embed_documents(["The AX-204 charges."])[0].indices)
    for written in ("AX204", "ax 204", "AX–204", "ax_204"):
        assert token_index("ax-204") in document & set(bm25.embed_query(written).indices)


def test_each_text_may_have_its_own_language() -> None:
    bm25 = Bm25(average_length=4, language="en")
    english, bulgarian = bm25.embed_documents(["the charging", "the charging"], languages=["en", "bg"])
    assert english.indices == [token_index("charg")]
    assert bulgarian.indices == [token_index("the"), token_index("charging")]
    detected = Bm25(average_length=4).embed_documents(["Können die Kopfhörer wieder geladen werden"])[0]
    assert token_index("kopfhor") in detected.indices


def test_the_index_of_a_token_never_changes() -> None:
    assert token_index("ax-204") == 814567945
    assert all(0 <= token_index(token) < 2**32 for token in ("", "a", "чл", "\ud800"))


def test_the_average_length_counts_tokens() -> None:
    assert average_length(TEXTS, ["en"] * 3) == pytest.approx((4 + 2 + 5) / 3)
    assert average_length([]) == average_length(["the", "?!"]) == DEFAULT_AVERAGE_LENGTH


@pytest.mark.parametrize(
    ("name", "value"), [("average_length", 0.0), ("average_length", math.nan), ("k1", -1.0), ("b", 1.5)]
)
def test_impossible_settings_are_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        Bm25(**{"average_length": 4.0, name: value})


@given(st.text(max_size=200))
def test_vectors_have_distinct_indices_and_bounded_weights(text: str) -> None:
    bm25 = Bm25(average_length=5)
    for vector in (*bm25.embed_documents([text]), bm25.embed_query(text)):
        assert len(set(vector.indices)) == len(vector.indices) == len(vector.values)
    assert all(0 < value < 2.2 for value in bm25.embed_documents([text])[0].values)


def test_the_langchain_form_is_an_instance_of_its_interface_and_agrees() -> None:
    from langchain_qdrant.sparse_embeddings import SparseEmbeddings

    from knowledge.bm25 import Bm25Embeddings

    embeddings = Bm25Embeddings(average_length=4, language="en")
    assert isinstance(embeddings, SparseEmbeddings)
    ours = Bm25(average_length=4, language="en")
    for theirs, vector in zip(embeddings.embed_documents(TEXTS), ours.embed_documents(TEXTS), strict=True):
        assert (theirs.indices, theirs.values) == (vector.indices, vector.values)
    assert embeddings.embed_query("AX204").indices == ours.embed_query("AX204").indices


def test_the_search_does_not_import_the_langchain_form() -> None:
    code = (
        "import sys, knowledge.bm25; sys.exit(any(m.startswith(('langchain', 'qdrant', 'torch')) for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
