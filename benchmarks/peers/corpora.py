"""What is searched and what is asked: BEIR folders, and one large corpus made by joining them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import TypeVar

from evals.golden import CORPUS, is_beir, read_golden_set, records

T = TypeVar("T")

JOINED = "joined"
DEFAULT = ("conditionalqa_dev", "tau2_banking", JOINED)
#: The order in which sets are joined; policies first.
JOINING = ("conditionalqa_dev", "tau2_banking", "nist_800_53", "obd_codes", "clapnq_dev", "bg_acts")


@dataclass(frozen=True)
class Record:
    """One chunk, which is one document of its set."""

    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Question:
    """``needed``: record id -> grade, at least one."""

    id: str
    text: str
    needed: Mapping[str, int]


@dataclass(frozen=True)
class Corpus:
    """A corpus with its judged questions."""

    name: str
    records: Sequence[Record]
    questions: Sequence[Question]

    def write(self, folder: Path) -> Path:
        """As ``corpus.jsonl``, which every worker reads."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / CORPUS
        rows = ({"_id": one.id, "title": one.title, "text": one.text} for one in self.records)
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
        return path


def read_corpus(folder: Path) -> Corpus:
    """A BEIR folder: every record, and the questions that something is needed for. Raises ``BadInput``."""
    rows = [
        Record(str(row["_id"]), str(row.get("title") or ""), str(row.get("text") or ""))
        for row in records(folder / CORPUS)
    ]
    held = {row.id for row in rows}
    asked = [
        Question(item.id, item.question, dict(item.needed))
        for item in read_golden_set(folder).items
        if item.needed and set(item.needed) <= held
    ]
    return Corpus(folder.name, rows, asked)


def join(corpora: Sequence[Corpus], filler: Iterable[Record], *, chunks: int, questions: int) -> Corpus:
    """One corpus of that many chunks, set after set until it is full, topped up from ``filler``.

    Ids carry their set's name. Half of the questions are the first set's, the other half the others' in turn, each set's spread
    evenly over it; a question whose needed records did not all get in is not asked. Fewer chunks or questions where there are
    no more.
    """
    rows = [Record(f"{one.name}/{row.id}", row.title, row.text) for one in corpora for row in one.records]
    rows = list(islice(chain(rows, filler), chunks))
    held = {row.id for row in rows}
    pools = [
        [ask for ask in map(partial(_prefixed, one.name), one.questions) if set(ask.needed) <= held] for one in corpora
    ]
    first = spread(pools[0], questions // 2) if pools else []
    rest = spread_over(pools[1:], questions - len(first))
    return Corpus(JOINED, rows, [*first, *rest])


def spread(items: Sequence[T], number: int) -> list[T]:
    """That many of them, at even distances, in their order; all where there are fewer."""
    if number >= len(items):
        return list(items)
    return [items[at * len(items) // number] for at in range(number)]


def spread_over(pools: Sequence[Sequence[T]], number: int) -> list[T]:
    """That many of several pools, one of each in turn; a small pool gives what it has."""
    share = -(-number // max(1, sum(1 for pool in pools if pool)))
    turns = chain.from_iterable(zip_longest(*(spread(pool, share) for pool in pools)))
    return list(islice((one for one in turns if one is not None), number))


def shelf(folder: Path) -> Iterator[Record]:
    """The demo shelf's paragraphs, to top a corpus up with."""
    for path in sorted(folder.glob("*.md")):
        blocks = [block.strip() for block in path.read_text("utf-8").split("\n\n") if len(block.split()) > 10]
        yield from (Record(f"{path.stem}/{n}", path.stem, block) for n, block in enumerate(blocks, start=1))


def load(
    names: Sequence[str], datasets: Path, *, chunks: int, questions: int, topping: Path
) -> tuple[list[Corpus], list[str]]:
    """The corpora of those names, and a sentence for each that isn't there."""
    found, missing = [], []
    for name in names:
        parts = [part for part in (JOINING if name == JOINED else (name,)) if is_beir(datasets / part)]
        if not parts:
            missing.append(f"{name} is left out: {datasets / name} holds no corpus.jsonl, queries.jsonl and qrels.tsv.")
        elif name == JOINED:
            joined = join(
                [read_corpus(datasets / part) for part in parts], shelf(topping), chunks=chunks, questions=questions
            )
            if len(joined.records) < chunks:
                missing.append(f"{JOINED} has {len(joined.records):,} chunks, not {chunks:,}: the sets hold no more.")
            found.append(joined)
        else:
            found.append(read_corpus(datasets / name))
    return found, missing


def _prefixed(name: str, one: Question) -> Question:
    return Question(f"{name}/{one.id}", one.text, {f"{name}/{at}": grade for at, grade in one.needed.items()})
