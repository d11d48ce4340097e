"""The quoted answer: what a reader gets where no chat model writes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import pytest
from langchain_core.documents import Document

from knowledge.tokens import tokenize
from nodes.extracting import Sentence, compose, extract
from nodes.state import Passage, State
from nodes.tables import row_at
from tests.nodes.kartly_passages import hashed, passage
from tests.nodes.runs import answered

FEES = (
    "Delivery within the city costs a fee.\n\n| Service | Time | Fee |\n| --- | --- | --- |\n| Standard | 5 days | free |\n"
    "| Express | 1 day | 49 INR. Not in the hills. |\n\nFees include tax."
)


def state_of(question: str, passages: Sequence[Passage]) -> State:
    known = dict.fromkeys(tokenize(question, "en"), 1.0)
    state: dict[str, Any] = {
        "standalone_question": question,
        "language": "en",
        "context": list(passages),
        "identifiers": [],
        "candidates": {one["id"]: Document(one["text"]) for one in passages},
        "parents": {},
        "lists": [],
        "term_idf": known,
    }
    return cast(State, state)


def test_a_row_is_read_with_its_header() -> None:
    start = FEES.index("| Express")
    end = FEES.index("\n\nFees include")
    row = row_at(FEES, start, end)
    assert row is not None
    assert row.labelled == "Service: Express; Time: 1 day; Fee: 49 INR. Not in the hills."
    assert FEES[slice(*row.header)] == "| Service | Time | Fee |"
    assert row_at(FEES, 0, 10) is None
    header = FEES.index("| Service")
    assert row_at(FEES, header, header + 24) is None


@pytest.mark.parametrize(
    ("table", "labelled"),
    [
        ("| | Fee |\n|---|---|\n| Express | 49 |", "Express; Fee: 49"),
        ("A | B\n--|--\nx | y", "A: x; B: y"),
        ("| A | B |\n|---|---|\n| x | |", "A: x"),
        ("| A | B |\n|---|---|\n| x | y \\| z | more |", "A: x; B: y | z; more"),
        ("| **A** | B: |\n|---|---|\n| x | `y` |", "A: x; B: `y`"),
    ],
)
def test_cells_are_named_by_what_stands_above_them(table: str, labelled: str) -> None:
    row = row_at(table, table.rindex("\n") + 1, len(table))
    assert row is not None
    assert row.labelled == labelled


def test_a_row_of_a_table_whose_header_is_elsewhere_is_cells() -> None:
    row = row_at("| Express | 49 INR |", 0, 20)
    assert row is not None
    assert (row.labelled, row.header) == ("Express: 49 INR", None)
    several = row_at("| Express | 1 day | 49 INR |", 0, 28)
    assert several is not None and several.labelled == "Express; 1 day; 49 INR"


def test_names_and_values_need_no_header() -> None:
    table = "| | |\n| --- | --- |\n| Owner | HR |"
    row = row_at(table, table.rindex("\n") + 1, len(table))
    assert row is not None and (row.labelled, row.header) == ("Owner: HR", None)


def test_the_answer_names_the_cells_and_cites_header_and_row() -> None:
    question = "What is the fee for express service?"
    passages = [passage(FEES, title="Shipping")]
    state = asyncio.run(answered(question, passages, None, extract=_extractor(question, passages)))
    assert not state["refused"]
    assert "Service: Express; Time: 1 day; Fee: 49 INR. [S1]" in state["answer"]
    assert "|" not in state["answer"]
    quotes = [citation["quote"] for citation in state["citations"]]
    assert "| Service | Time | Fee |" in quotes
    assert "| Express | 1 day | 49 INR. Not in the hills. |" in quotes
    assert all(FEES[one["start"] : one["end"]] == one["quote"] for one in state["citations"])


def test_a_header_row_is_no_sentence_to_quote() -> None:
    question = "service time fee"
    answer = asyncio.run(_extractor(question, [passage(FEES, title="Shipping")])(state_of(question, [])))
    assert "Service; Time" not in answer and "---" not in answer


def test_a_heading_stands_once_over_what_two_chunks_of_it_say() -> None:
    passages = [
        passage("First rule.", label="S1", title="Warranty", section="Coverage"),
        passage("Other rule.", label="S2", title="Returns"),
        passage("Second rule.", label="S3", title="Warranty", section="Coverage"),
    ]
    chosen = [
        Sentence(label, rank, 0, text, frozenset(), frozenset())
        for rank, (label, text) in enumerate((("S1", "First rule."), ("S2", "Other rule."), ("S3", "Second rule.")))
    ]
    assert compose(chosen, passages) == (
        "Warranty > Coverage: First rule. [S1] Second rule. [S3]\nReturns: Other rule. [S2]"
    )


def test_items_and_rows_end_with_a_stop_and_without_a_bullet() -> None:
    text = "- Express parcels to the city\n- Standard parcels to the city\n\n| Parcels | Fee |\n|---|---|\n| Express | 49 |"
    question = "express standard parcels city fee"
    answer = asyncio.run(_extractor(question, [passage(text, title="Parcels")])(state_of(question, [])))
    assert "Express parcels to the city. [S1]" in answer
    assert "- " not in answer
    assert all(part.rstrip().endswith(".") for part in answer.split("[S1]")[:-1])


def test_two_copies_of_a_rule_are_quoted_once() -> None:
    rule = "Express delivery costs 49 INR for each parcel."
    passages = [passage(rule, label="S1", title="Fees"), passage(rule, label="S2", title="Shipping")]
    question = "What does express delivery cost?"
    answer = asyncio.run(_extractor(question, passages)(state_of(question, [])))
    assert answer == f"Fees: {rule} [S1]"


def _extractor(question: str, passages: Sequence[Passage]) -> Any:
    async def run(_: State) -> str:
        return await extract(state_of(question, passages), embed=hashed)

    return run
