"""What is read once: the passages' sentences, and the question that the search has read already."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from graph import resources as module
from graph.resources import Resources
from graph.settings import Settings
from knowledge.embedding import EmbeddingModel
from knowledge.model_traits import Traits


class Counted:
    """A model that keeps what it reads; a text's vector is its length's."""

    dimension = 2

    def __init__(self) -> None:
        self.read: list[str] = []

    def encode(self, texts: list[str], *, query: bool) -> npt.NDArray[np.float32]:
        self.read += texts
        return np.asarray([[len(text), 1.0] for text in texts], dtype=np.float32)

    def count_tokens(self, text: str) -> int:
        return len(text)


@pytest.fixture
def counted() -> Counted:
    return Counted()


def over(counted: Counted, **traits: Any) -> Resources:
    return Resources(Settings(_env_file=None), embedding=EmbeddingModel("counted", lambda: counted, Traits(**traits)))


async def test_the_question_is_read_once(counted: Counted) -> None:
    resources = over(counted, alike=True)
    (asked,) = await resources.embed_queries(["May I?"])
    vectors = await resources.embed_sentences(["May I?", "You may.", "May I?"])

    assert counted.read == ["May I?", "You may."]
    assert vectors[0].tolist() == vectors[2].tolist() == asked
    assert vectors[1].tolist() == pytest.approx(resources.embedding.embed_documents(["You may."])[0])


async def test_a_model_that_reads_questions_in_another_way_reads_it_twice(counted: Counted) -> None:
    resources = over(counted, query="query: ")
    await resources.embed_queries(["May I?"])
    await resources.embed_sentences(["May I?"])

    assert counted.read == ["query: May I?", "May I?"]


async def test_sentences_are_kept_up_to_a_number(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REMEMBERED_SENTENCES", 10)
    resources = over(counted)
    for number in range(40):
        texts = [f"sentence {number}", f"sentence {number // 2}"]
        vectors = await resources.embed_sentences(texts)
        assert len(vectors) == 2
        assert len(resources._sentences) <= 10
    counted.read.clear()
    await resources.embed_sentences(["sentence 39"])
    assert counted.read == [], "the latest are there"


async def test_many_that_wait_for_one_sentence_read_it_once(counted: Counted) -> None:
    resources = over(counted)
    found = await asyncio.gather(*(resources.embed_sentences(["the same", f"own {number}"]) for number in range(8)))

    assert counted.read.count("the same") == 1
    assert {tuple(vectors[0].tolist()) for vectors in found} == {tuple(found[0][0].tolist())}
