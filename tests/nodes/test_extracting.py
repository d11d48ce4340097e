"""The quoted answer: what a reader gets where no chat model writes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import pytest
from langchain_core.documents import Document

from knowledge.tokens import tokenize
from nodes.extracting import Sentence, compose, extract, relevant
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


CODES = (
    "| Code | What to do |\n| --- | --- |\n| K-11 | Close the valve. Do not open the lid. |\n"
    "| K-12 | Call service about the valve. |\n\nThe lid stays shut."
)
FINES = (
    "Section 9. Fines.\n(1) The fine for mooring is 40 euros.\n(2) The fine for fishing is 70 euros.\n"
    "(3) A fine paid within a week is reduced. This does not apply to the fine in subsection (2)."
)
MOORING = (
    "Section 5. Where mooring is prohibited.\n(1) No person shall moor a boat:\n(a) within 10 metres of a lock;\n"
    "(b) at a landing stage.\n(2) Clause (1)(b) does not apply to ferries."
)


async def quoted(question: str, *passages: Passage, names: Sequence[str] = (), **about: dict[str, list[str]]) -> str:
    """The quoted answer. ``about``: by label, what the passage's metadata say that it ``defines`` and ``mentions``."""
    state = state_of(question, passages)
    state["identifiers"] = list(names)
    for one in passages:
        state["candidates"][one["id"]].metadata.update(about.get(one["label"], {}))
    return await extract(state, embed=hashed)


async def test_of_a_list_of_codes_the_one_asked_for_is_quoted_and_no_neighbour() -> None:
    answer = await quoted(
        "What to do about code K-11 of the valve?",
        passage(CODES, title="Pump"),
        names=["k-11"],
        S1={"defines": ["k-11", "k-12"]},
    )
    assert "Code: K-11; What to do: Close the valve. [S1] Do not open the lid. [S1]" in answer
    assert "K-12" not in answer


async def test_of_a_passage_about_something_else_what_holds_the_code_is_quoted() -> None:
    prices = passage(
        "| Part | For |\n| --- | --- |\n| ZB-1 filter | TX-9 |\n| ZB-2 filter | TX-8 |", label="S2", title="Prices"
    )
    manual = passage("The TX-9 has a filter for water.", title="TX-9 manual")
    other = passage("The filter of the TX-8 is for air.", label="S3", title="TX-8 manual")
    answer = await quoted(
        "Which filter part for the TX-9?",
        manual,
        prices,
        other,
        names=["tx-9"],
        S1={"defines": ["tx-9"]},
        S2={"defines": ["zb-1", "zb-2"], "mentions": ["tx-9", "tx-8"]},
        S3={"defines": ["tx-8"], "mentions": []},
    )
    assert "Part: ZB-1 filter; For: TX-9. [S2]" in answer
    assert "TX-8" not in answer


async def test_the_paragraph_asked_for_is_quoted_first() -> None:
    answer = await quoted(
        "section 9(2)", passage(FINES, title="Harbour", section="Section 9"), names=["sec-9"], S1={"defines": ["sec-9"]}
    )
    assert answer == (
        "Harbour > Section 9: (2) The fine for fishing is 70 euros. [S1] (3) A fine paid within a week is reduced. [S1] "
        "This does not apply to the fine in subsection (2). [S1]"
    )


async def test_an_articles_name_is_no_sentence_and_its_label_is_said_once() -> None:
    answer = await quoted("fines for mooring", passage(FINES, title="Harbour", section="Section 9"))
    assert "Fines. [S1]" not in answer and "Section 9: Section 9" not in answer
    only = await quoted("section 6 repealed", passage("Section 6. [Repealed]", title="Harbour", section="Section 6"))
    assert only == "Harbour > Section 6: [Repealed]. [S1]"


async def test_an_item_brings_its_lead_in_and_the_paragraph_that_takes_it_back() -> None:
    answer = await quoted("moor at a landing stage", passage(MOORING, title="Harbour", section="Section 5"))
    assert "(1) No person shall moor a boat: (b) at a landing stage. [S1]" in answer
    assert answer.endswith("(2) Clause (1)(b) does not apply to ferries. [S1]")


async def test_a_sentence_brings_the_one_behind_it_that_takes_part_of_it_back() -> None:
    answer = await quoted("Is a fine paid within a week reduced?", passage(FINES, title="Harbour", section="Section 9"))
    assert (
        "(3) A fine paid within a week is reduced. [S1] This does not apply to the fine in subsection (2). [S1]"
        in answer
    )


async def test_a_lead_in_brings_its_items_and_for_a_table_the_best_row_stands_in() -> None:
    papers = passage("For a mooring permit you need these papers:\n\n- a photo\n- proof of address", title="Permits")
    answer = await quoted("Which papers do you need for a mooring permit?", papers)
    assert answer == "Permits: For a mooring permit you need these papers: a photo; proof of address. [S1]"
    table = passage(
        "Mooring fees by place are:\n\n| Place | Fee |\n| --- | --- |\n| Lock | 5 |\n| Quay | 9 |", title="Fees"
    )
    answer = await quoted("What are the mooring fees by place at the quay?", table)
    assert answer == "Fees: Place: Quay; Fee: 9. [S1]"


async def test_the_paragraph_that_a_quoted_passage_sends_to_is_quoted() -> None:
    rule = passage(
        "Section 4. Fishing.\nNo person shall fish at a lock. The fine is set out in section 9(2).",
        title="Harbour",
        section="Section 4",
    )
    fines = passage(FINES, label="S2", title="Harbour", section="Section 9")
    answer = await quoted(
        "Which fine must a person pay who fishes at a lock?",
        rule,
        fines,
        S1={"defines": ["sec-4"]},
        S2={"defines": ["sec-9"]},
    )
    assert "(2) The fine for fishing is 70 euros. [S2]" in answer


PAID = "- Parking fines\n- Lost property\n- Childcare on journeys"


async def test_a_list_under_the_heading_that_is_asked_for_is_quoted_whole() -> None:
    claims = passage(PAID, title="Claims", section="Claims > What is never paid")
    other = passage("Claims are paid with the salary.", label="S2", title="Claims", section="Claims > Payment")
    answer = await quoted("What is never paid?", claims, other)
    assert all(item in answer for item in ("Parking fines.", "Lost property.", "Childcare on journeys."))
    assert "Lost property" not in await quoted("What is paid with the salary?", other, claims)


async def test_all_of_the_asked_entry_is_quoted() -> None:
    body = "F01: Sensor open. Call service.\n\nF04: Container full. Empty the box and start again.\n\nF07: Belt broken."
    answer = await quoted("F04", passage(body, title="Dryer"), names=["f-04"], S1={"defines": ["f-01", "f-04", "f-07"]})
    assert answer == "Dryer: F04: Container full. [S1] Empty the box and start again. [S1]"


async def test_each_row_that_a_code_opens_is_an_entry_of_its_own() -> None:
    body = "| Part | Price |\n| --- | --- |\n| ZB-11 | price 31 |\n| P-44 | price 39 |"
    answer = await quoted("p44 price", passage(body, title="Parts"), names=["p-44"], S1={"defines": ["zb-11", "p-44"]})
    assert answer == "Parts: Part: P-44; Price: price 39. [S1]"


async def test_strong_text_is_quoted_without_its_marks_and_an_asking_name_is_a_name() -> None:
    answer = await quoted("valve", passage("- **K-11** Close the __valve__ at 2 * 3 bar", title="Pump"))
    assert answer == "Pump: K-11 Close the valve at 2 * 3 bar. [S1]"
    answer = await quoted("Where is mooring prohibited?", passage(MOORING, title="Harbour", section="Section 5"))
    assert "Where mooring is prohibited" not in answer and "No person shall moor a boat" in answer


async def test_a_denial_before_a_table_comes_with_its_row() -> None:
    body = (
        "These items are not allowed in the cabin:\n\n| Item | Reason |\n| --- | --- |\n"
        "| Scissors | blade over 6 cm |\n| Lighters | fuel inside |"
    )
    answer = await quoted("Are scissors allowed in the cabin?", passage(body, title="Cabin"))
    assert "not allowed in the cabin" in answer and "Scissors" in answer


async def test_an_item_within_an_item_brings_both_lead_ins() -> None:
    body = (
        "The following may not be brought into the pool area:\n- animals, except\n  - assistance dogs\n- glass bottles"
    )
    answer = await quoted("Can I bring my assistance dogs?", passage(body, title="Pool"))
    assert "may not be brought" in answer and "animals, except" in answer and "assistance dogs" in answer


async def test_short_items_are_quoted() -> None:
    body = "- Sauna\n- Pool\n- Parking at the hotel"
    answer = await quoted("What is not included?", passage(body, title="Stay", section="Stay > What is not included"))
    assert "Sauna" in answer and "Pool" in answer


async def test_what_takes_a_rule_back_in_the_next_paragraph_is_quoted() -> None:
    body = "Opened software can be returned.\n\nThis does not apply to software with a broken seal."
    assert "broken seal" in await quoted("Can I return opened software?", passage(body, title="Returns"))
    body = "(1) Extra time of up to 25 percent is granted.\n\n(2) In exceptional cases up to 50 percent is granted."
    assert "25 percent" in await quoted("How much extra time is granted?", passage(body, title="Exams"))


def test_rules_of_two_categories_stand_together_unless_on_the_same_matter() -> None:
    def titles(*given: tuple[str, str]) -> list[str]:
        passages = [
            passage("The deposit is kept.", title=title, category=category, label=f"S{number}")
            for number, (title, category) in enumerate(given, start=1)
        ]
        return [one["title"] for one in relevant(state_of("Is my deposit kept?", passages))]

    assert titles(("Deposits", "admin"), ("Sedation", "aftercare")) == ["Deposits", "Sedation"]
    assert titles(("Electronics Returns", "electronics"), ("Clothing Returns", "clothing")) == ["Electronics Returns"]
    assert titles(("Opening Policy", "admin"), ("Sedation Policy", "aftercare")) == [
        "Opening Policy",
        "Sedation Policy",
    ]


async def test_an_articles_name_behind_a_paragraph_sign_is_no_sentence() -> None:
    body = (
        "§ 13 Master's thesis\n(1) The thesis is written within 24 weeks. It may be started once 75 credits are there."
    )
    answer = await quoted(
        "How many credits do I need to start the master's thesis?", passage(body, title="Rules", section="§ 13")
    )
    assert "75 credits" in answer and "Master's thesis." not in answer


def _extractor(question: str, passages: Sequence[Passage]) -> Any:
    async def run(_: State) -> str:
        return await extract(state_of(question, passages), embed=hashed)

    return run
