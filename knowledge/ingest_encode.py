"""Encoding while documents are still read: a thread takes the texts in windows and keeps the rows until they are wanted.

The first window is small, so that encoding starts soon, and each further one larger, since reading is many times faster than
encoding. Windows depend on how many texts came and on nothing else: the same texts are encoded in the same batches each time.
"""

from __future__ import annotations

import threading
from array import array
from collections import defaultdict, deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, Queue
from types import TracebackType

import numpy as np
import numpy.typing as npt
from langchain_core.documents import Document

from knowledge.embedding import EmbeddingModel

Rows = npt.NDArray[np.float32]

#: Texts of the first window, by how much each is larger than the one before, and of the largest. Within a window texts are sorted
#: by length, so a window of a few hundred pads hardly more than all texts sorted together.
_FIRST, _GROWTH, _LARGEST = 256, 4, 4096
#: Texts that a window leaves behind unless no more will come: the last one must be worth a model's way of reading many texts.
_RESERVE = 128
#: Batches that may be encoded and not taken, and rows that are kept while texts still come: past that encoding waits.
_AHEAD = 512
_KEPT = 32_768


@dataclass(frozen=True, slots=True)
class Awaited:
    """A chunk that waits for its vector, and its tokens' indices where they have been counted already."""

    piece: Document
    tokens: array[int] | None = None


class EncodingAhead:
    """Encodes what it is given, each text once. Leave its context to stop it; it then waits for the batch that is under way.

    One thread gives (``add``) and then takes (``encoded``). Either raises what encoding raised, as soon as that is known.

    Args:
        embedding: the model.
        first: texts of the first window, of at most as many as are known to come.

    Attributes:
        added: chunks given.
    """

    def __init__(self, embedding: EmbeddingModel, *, first: int = _FIRST) -> None:
        self.added = 0
        self._embedding = embedding
        self._awaited: defaultdict[str, list[Awaited]] = defaultdict(list)
        self._pending: list[str] = []
        self._size = max(first, 1)
        self._changed = threading.Condition()
        self._complete = self._stopped = False
        self._out: Queue[tuple[list[str], Rows] | None] = Queue(_AHEAD)
        self._early: deque[tuple[list[str], Rows]] = deque()
        self._kept = 0
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="ingest-encode")
        self._work: Future[None] | None = None

    def add(self, chunk: Awaited) -> None:
        """Encode this chunk's text, now or later."""
        self.added += 1
        awaiting = self._awaited[chunk.piece.page_content]
        awaiting.append(chunk)
        if len(awaiting) > 1:
            return
        with self._changed:
            self._pending.append(chunk.piece.page_content)
            if len(self._pending) < self._size + _RESERVE:
                return
            self._changed.notify()
        self._start()
        self._take_what_is_there()

    def encoded(self) -> Iterator[tuple[list[Awaited], Rows]]:
        """All chunks with their vectors, shape (len(chunks), dimension), as they come; called once, when all are given."""
        with self._changed:
            self._complete = True
            self._changed.notify()
        if self._awaited:
            self._start()
            while self._early:
                yield self._chunks(*self._early.popleft())
            while (batch := self._out.get()) is not None:
                yield self._chunks(*batch)
            self._raise_what_was_raised()

    def __enter__(self) -> EncodingAhead:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify()
        while self._work is not None and not self._work.done():
            try:  # it may wait for room
                self._out.get(timeout=0.05)
            except Empty:
                continue
        self._pool.shutdown()

    def _chunks(self, texts: list[str], rows: Rows) -> tuple[list[Awaited], Rows]:
        """The chunks of these texts, which are let go of, and a row for each."""
        chunks = [self._awaited.pop(text) for text in texts]
        return [one for same in chunks for one in same], np.repeat(rows, [len(same) for same in chunks], axis=0)

    def _start(self) -> None:
        if self._work is None:
            self._work = self._pool.submit(self._encode)

    def _take_what_is_there(self) -> None:
        """Make room for the encoding thread while nobody wants its rows yet."""
        while self._kept < _KEPT and not self._out.empty():  # what is there stays there: nobody else takes
            batch = self._out.get_nowait()
            if batch is None:
                self._raise_what_was_raised()
                return
            self._early.append(batch)
            self._kept += len(batch[0])

    def _raise_what_was_raised(self) -> None:
        if self._work is not None:
            self._work.result()

    def _encode(self) -> None:
        try:
            for texts, rows in self._embedding.encode_windows(self._windows()):
                if self._stopped:
                    return
                self._out.put((texts, rows))
        finally:
            self._out.put(None)

    def _windows(self) -> Iterator[list[str]]:
        while True:
            with self._changed:
                self._changed.wait_for(
                    lambda: self._stopped or self._complete or len(self._pending) >= self._size + _RESERVE
                )
                if self._stopped or not self._pending:
                    return
                whole = len(self._pending) < self._size + _RESERVE
                taken = len(self._pending) if whole else self._size
                window, self._pending = self._pending[:taken], self._pending[taken:]
                self._size = min(self._size * _GROWTH, _LARGEST)
            yield window
