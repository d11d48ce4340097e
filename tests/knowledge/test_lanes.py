from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pytest

from knowledge.embedding import EmbeddingModel
from knowledge.lanes import LaneEncoder, Tokens, Vectors, side_by_side
from knowledge.model_traits import Traits


class Lanes:
    """Tells a text by its number, and waits until as many threads as there are lanes are inside."""

    dimension = 2
    lanes = 2

    def __init__(self) -> None:
        self.met = threading.Barrier(2)
        self.waits = True
        self.texts: list[str] = []
        self.encoded: list[list[Tokens]] = []

    def encode(self, texts: list[str], *, query: bool) -> Vectors:
        return np.array([[float(text.split()[-1]), 1.0] for text in texts], dtype=np.float32)

    def read(self, texts: Sequence[str]) -> list[Tokens]:
        self.texts += texts
        return [[int(text.split()[-1])] for text in texts]

    def encode_alone(self, rows: Sequence[Tokens]) -> Vectors:
        if self.waits:
            self.met.wait(timeout=10)
        self.encoded.append(list(rows))
        return self.encode([str(row[0]) for row in rows], query=False)

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def test_batches_come_in_order_though_threads_share_them() -> None:
    encoder = Lanes()
    rows = list(side_by_side(encoder, iter([[[n]] for n in range(20)])))
    assert [float(row[0, 0]) for row in rows] == list(range(20))


def test_many_texts_go_by_lanes_and_few_do_not() -> None:
    encoder = Lanes()
    model = EmbeddingModel("test", lambda: encoder, Traits(document="passage: "))
    texts = [f"{'word ' * (n % 7)}{n}" for n in range(256)]
    rows = model.embed_documents(texts)
    assert all(text.startswith("passage: ") for text in encoder.texts)
    assert sum(map(len, encoder.encoded)) == 256
    for n, row in enumerate(rows):
        assert row[0] / row[1] == pytest.approx(n, rel=1e-4)
        assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)
    encoder.encoded.clear()
    assert model.embed_documents(texts[:20])[3] == pytest.approx(rows[3], abs=1e-6)
    assert encoder.encoded == []


class MeasuredLanes(Lanes):
    """Lanes that read the more tokens of a text the higher its number."""

    def read(self, texts: Sequence[str]) -> list[Tokens]:
        return [row * (row[0] + 1) for row in map(list, super().read(texts))]


def test_batches_hold_texts_of_like_tokens_where_the_encoder_knows_them() -> None:
    encoder = MeasuredLanes()
    model = EmbeddingModel("test", lambda: encoder, Traits())
    rows = model.embed_documents([f"{'word ' * (n % 7)}{n}" for n in range(256)])
    numbers = [[row[0] for row in batch] for batch in encoder.encoded]
    assert sorted(numbers, reverse=True) == [list(range(at, at - 8, -1)) for at in range(255, 0, -8)]
    assert [row[0] / row[1] for row in rows] == pytest.approx(list(range(256)), rel=1e-4)


def test_windows_are_encoded_in_one_go_each_longest_first() -> None:
    encoder = MeasuredLanes()
    model = EmbeddingModel("test", lambda: encoder, Traits())
    windows = [[str(n) for n in range(start, start + 160)] for start in (0, 160)]
    found = list(model.encode_windows(iter(windows)))
    numbers = [[int(text) for text in texts] for texts, _ in found]
    assert numbers == [list(range(at, at - 8, -1)) for start in (159, 319) for at in range(start, start - 160, -8)]
    assert [row[0] / row[1] for _, rows in found for row in rows] == pytest.approx(
        list(chain.from_iterable(numbers)), rel=1e-4
    )


def test_the_next_window_is_asked_for_before_the_last_batch_is_done() -> None:
    encoder, asked = Lanes(), threading.Event()

    def wait(rows: Sequence[Tokens], plain: Any = encoder.encode_alone) -> Vectors:
        assert rows[0][0] < 120 or asked.wait(timeout=10)  # the last batch of the first window waits for the second
        return plain(rows)

    def windows() -> Iterator[list[str]]:
        yield [str(n) for n in range(128)]
        asked.set()
        yield [str(n) for n in range(128)]

    encoder.waits, encoder.encode_alone = False, wait  # type: ignore[method-assign]
    found = list(EmbeddingModel("test", lambda: encoder, Traits()).encode_windows(windows()))
    assert sum(len(texts) for texts, _ in found) == 256


@pytest.mark.parametrize("sizes", [[], [0], [3], [127], [128], [128, 1], [300, 128, 7]])
def test_windows_of_any_size_give_every_text_its_vector(sizes: list[int]) -> None:
    encoder = Lanes()
    encoder.waits = False
    windows = [[f"{'word ' * (n % 5)}{n + 1_000 * at}" for n in range(size)] for at, size in enumerate(sizes)]
    found = list(EmbeddingModel("test", lambda: encoder, Traits()).encode_windows(iter(windows)))
    told = [(text, row[0] / row[1]) for texts, rows in found for text, row in zip(texts, rows, strict=True)]
    assert sorted(text for text, _ in told) == sorted(chain.from_iterable(windows))
    assert [number for _, number in told] == pytest.approx([int(text.split()[-1]) for text, _ in told], rel=1e-4)


def test_a_batch_that_fails_is_heard_of() -> None:
    encoder = Lanes()
    encoder.waits = False
    with pytest.raises(ValueError, match="could not convert"):
        list(side_by_side(encoder, iter([[[1]], [["no number"]], [[2]]])))


def test_who_leaves_early_waits_for_no_more_than_what_runs() -> None:
    encoder = Lanes()
    encoder.waits = False
    taken = side_by_side(encoder, iter([[[n]] for n in range(1_000)]))
    next(taken)
    taken.close()
    assert len(encoder.encoded) < 20


def test_an_encoder_without_lanes_is_none() -> None:
    assert isinstance(Lanes(), LaneEncoder)
    assert not isinstance(object(), LaneEncoder)
