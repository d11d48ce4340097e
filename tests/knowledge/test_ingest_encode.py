"""Encoding ahead: when it starts, in which windows, that each text is encoded once, and how it stops."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document

from knowledge.embedding import EmbeddingModel
from knowledge.errors import ModelUnavailable
from knowledge.index.edge_store import EdgeStore
from knowledge.ingest import ingest
from knowledge.ingest_encode import Awaited, EncodingAhead
from knowledge.model_traits import Traits
from tests.knowledge.index.words import words


class Numbers:
    """An encoder whose vector of a text is its length and its number, and which may be held up or fail."""

    dimension = 2

    def __init__(self) -> None:
        self.free = threading.Event()
        self.free.set()
        self.started = threading.Event()
        self.batches: list[list[str]] = []
        self.fails = False

    def encode(self, texts: list[str], *, query: bool) -> npt.NDArray[np.float32]:
        self.started.set()
        assert self.free.wait(10)
        if self.fails:
            raise ModelUnavailable("gone")
        self.batches.append(texts)
        return np.asarray([[len(text), int(text.split()[0])] for text in texts], dtype=np.float32)

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def model(encoder: Numbers) -> EmbeddingModel:
    return EmbeddingModel("numbers", lambda: encoder, Traits(), dimension=2, batch=16)


def chunk(number: int, text: str) -> Awaited:
    return Awaited(Document(id=str(number), page_content=text))


def texts(count: int) -> Iterator[str]:
    return (f"{n + 1} {'x' * (n % 37)}" for n in range(count))


def test_encoding_starts_while_texts_still_come() -> None:
    encoder = Numbers()
    with EncodingAhead(model(encoder)) as ahead:
        for number, text in enumerate(texts(383)):
            ahead.add(chunk(number, text))
        assert not encoder.started.wait(0.02)
        ahead.add(chunk(383, "384 last"))
        assert encoder.started.wait(10)
        assert sum(len(chunks) for chunks, _ in ahead.encoded()) == 384


def test_each_chunk_gets_its_own_texts_vector_and_each_text_is_encoded_once() -> None:
    encoder = Numbers()
    given_texts = [*texts(700), *texts(100)]
    with EncodingAhead(model(encoder)) as ahead:
        for number, text in enumerate(given_texts):
            ahead.add(chunk(number, text))
        found = [(one, row) for chunks, rows in ahead.encoded() for one, row in zip(chunks, rows, strict=True)]
    assert ahead.added == len(found) == 800
    assert sorted(int(str(one.piece.id)) for one, _ in found) == list(range(800))
    for one, row in found:
        number = int(one.piece.page_content.split()[0])
        expected = np.array([len(one.piece.page_content), number])
        assert np.allclose(row, expected / np.linalg.norm(expected), atol=1e-6)
    assert sum(map(len, encoder.batches)) == 700


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 2500), st.sampled_from([64, 256, 5000]))
def test_the_batches_do_not_depend_on_when_texts_come(count: int, first: int) -> None:
    runs = []
    for held_up in (False, True):
        encoder = Numbers()
        if held_up:
            encoder.free.clear()
        with EncodingAhead(model(encoder), first=first) as ahead:
            for number, text in enumerate(texts(count)):
                ahead.add(chunk(number, text))
            encoder.free.set()
            for _ in ahead.encoded():
                pass
        runs.append(encoder.batches)
    assert runs[0] == runs[1]
    assert sum(map(len, runs[0])) == count


def test_nothing_given_encodes_nothing() -> None:
    encoder = Numbers()
    with EncodingAhead(model(encoder)) as ahead:
        assert list(ahead.encoded()) == []
    assert not encoder.started.is_set()


def test_a_failure_is_raised_to_whoever_takes() -> None:
    encoder = Numbers()
    encoder.fails = True
    with pytest.raises(ModelUnavailable, match="gone"), EncodingAhead(model(encoder)) as ahead:
        for number, text in enumerate(texts(20)):
            ahead.add(chunk(number, text))
        list(ahead.encoded())


def test_a_failure_ends_the_giving_of_texts_too() -> None:
    encoder = Numbers()
    encoder.fails = True
    with pytest.raises(ModelUnavailable, match="gone"), EncodingAhead(model(encoder)) as ahead:
        for number, text in enumerate(texts(1_000_000)):
            ahead.add(chunk(number, text))
            if number > 5_000:
                encoder.started.wait(0.001)


def test_leaving_stops_the_encoding_after_the_batch_under_way() -> None:
    encoder = Numbers()
    with pytest.raises(KeyboardInterrupt), EncodingAhead(model(encoder), first=20_000) as ahead:
        encoder.free.clear()
        for number, text in enumerate(texts(20_128)):
            ahead.add(chunk(number, text))
        assert encoder.started.wait(10)
        threading.Timer(0.05, encoder.free.set).start()
        raise KeyboardInterrupt
    done = len(encoder.batches)
    assert done < 20_000 / 16
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ingest-encode")]
    assert len(encoder.batches) == done


def many(folder: Path, count: int) -> None:
    folder.mkdir()
    for number in range(count):
        (folder / f"rule-{number:04}.md").write_text(
            f"# Rule {number}\n\nThe goods of order {number} will come within {number} days.\n"
        )


def test_an_ingest_encodes_while_it_reads(tmp_path: Path) -> None:
    many(tmp_path / "shelf", 500)
    embedding, seen = words()
    at_last_file: list[int] = []

    def tell(step: str, done: int, total: int) -> None:
        if step == "load" and (done, total) == (499, 500):
            for _ in range(1000):
                if seen:
                    break
                threading.Event().wait(0.01)
            at_last_file.append(len(seen))

    report = ingest([tmp_path / "shelf"], store=EdgeStore(tmp_path / "data"), embedding=embedding, progress=tell)
    assert at_last_file[0] > 0
    assert (report.documents, report.chunks, report.embedded) == (500, 500, 500)
    assert len(seen) == len(set(seen)) == 500


def test_an_ingest_that_is_stopped_while_it_reads_leaves_the_live_index(tmp_path: Path) -> None:
    store, shelf = EdgeStore(tmp_path / "data"), tmp_path / "shelf"
    many(shelf, 2)
    embedding, _ = words()
    first = ingest([shelf], store=store, embedding=embedding)
    many(tmp_path / "more", 500)

    def stop(step: str, done: int, total: int) -> None:
        if step == "load" and done == 450:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ingest([tmp_path / "more"], store=store, embedding=embedding, progress=stop)
    assert store.live() == first.index == "v0001"
    assert [info.name for info in store.versions()] == ["v0001"]
    assert not [path for path in (tmp_path / "data" / "index" / "versions").iterdir() if path.name != "v0001"]
    again = ingest([tmp_path / "more"], store=store, embedding=embedding)
    assert again.embedded == 498


def test_what_is_written_is_let_go_of(tmp_path: Path) -> None:
    many(tmp_path / "shelf", 3)
    (tmp_path / "shelf" / "long.md").write_text(
        "# Long\n\n" + "".join(f"## Part {n}\n\nText {n}.\n\n" for n in range(300))
    )
    embedding, _ = words()
    held: list[int] = []

    def tell(step: str, done: int, total: int) -> None:
        if (step, done) == ("commit", 0):
            gc.collect()
            held.append(
                sum(
                    isinstance(one, Document) and one.metadata.get("ingested_as") == "let go"
                    for one in gc.get_objects()
                )
            )

    ingest(
        [tmp_path / "shelf"], store=EdgeStore(tmp_path / "data"), embedding=embedding, tenant="let go", progress=tell
    )
    assert held == [0]


def test_the_average_length_is_that_of_all_chunks_but_parents(tmp_path: Path) -> None:
    from knowledge.bm25 import average_length

    many(tmp_path / "shelf", 400)
    store = EdgeStore(tmp_path / "data")
    embedding, seen = words()
    ingest([tmp_path / "shelf"], store=store, embedding=embedding)
    (info,) = store.versions()
    assert info.spec.average_length == round(average_length(seen, ["en"] * len(seen)), 2)
