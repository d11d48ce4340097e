from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import pytest

from knowledge.embedding import EmbeddingModel, Traits
from knowledge.lanes import LaneEncoder, Vectors, side_by_side


class Lanes:
    """Tells a text by its number, and waits until as many threads as there are lanes are inside."""

    dimension = 2
    lanes = 2

    def __init__(self) -> None:
        self.met = threading.Barrier(2)
        self.waits = True
        self.encoded: list[list[str]] = []

    def encode(self, texts: list[str], *, query: bool) -> Vectors:
        return np.array([[float(text.split()[-1]), 1.0] for text in texts], dtype=np.float32)

    def encode_alone(self, texts: list[str]) -> Vectors:
        if self.waits:
            self.met.wait(timeout=10)
        self.encoded.append(texts)
        return self.encode(texts, query=False)

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def test_batches_come_in_order_though_threads_share_them() -> None:
    encoder = Lanes()
    rows = list(side_by_side(encoder, iter([[str(n)] for n in range(20)])))
    assert [float(row[0, 0]) for row in rows] == list(range(20))


def test_many_texts_go_by_lanes_and_few_do_not() -> None:
    encoder = Lanes()
    model = EmbeddingModel("test", lambda: encoder, Traits(document="passage: "))
    texts = [f"{'word ' * (n % 7)}{n}" for n in range(256)]
    rows = model.embed_documents(texts)
    assert all(text.startswith("passage: ") for batch in encoder.encoded for text in batch)
    assert sum(map(len, encoder.encoded)) == 256
    for n, row in enumerate(rows):
        assert row[0] / row[1] == pytest.approx(n, rel=1e-4)
        assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)
    encoder.encoded.clear()
    assert model.embed_documents(texts[:20])[3] == pytest.approx(rows[3], abs=1e-6)
    assert encoder.encoded == []


class MeasuredLanes(Lanes):
    """Lanes that read the more tokens of a text the higher its number."""

    def lengths(self, texts: Sequence[str]) -> list[int]:
        return [int(text.split()[-1]) for text in texts]


def test_batches_hold_texts_of_like_tokens_where_the_encoder_knows_them() -> None:
    encoder = MeasuredLanes()
    model = EmbeddingModel("test", lambda: encoder, Traits())
    rows = model.embed_documents([f"{'word ' * (n % 7)}{n}" for n in range(256)])
    numbers = [encoder.lengths(batch) for batch in encoder.encoded]
    assert sorted(numbers, reverse=True) == [list(range(at, at - 8, -1)) for at in range(255, 0, -8)]
    assert [row[0] / row[1] for row in rows] == pytest.approx(list(range(256)), rel=1e-4)


def test_a_batch_that_fails_is_heard_of() -> None:
    encoder = Lanes()
    encoder.waits = False
    with pytest.raises(ValueError, match="could not convert"):
        list(side_by_side(encoder, iter([["1"], ["no number"], ["2"]])))


def test_who_leaves_early_waits_for_no_more_than_what_runs() -> None:
    encoder = Lanes()
    encoder.waits = False
    taken = side_by_side(encoder, iter([[str(n)] for n in range(1_000)]))
    next(taken)
    taken.close()
    assert len(encoder.encoded) < 20


def test_an_encoder_without_lanes_is_none() -> None:
    assert isinstance(Lanes(), LaneEncoder)
    assert not isinstance(object(), LaneEncoder)
