"""Quoted answers from question-and-answer pages, long lists, and tables with footnotes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from nodes.extracting import extract
from nodes.passage_sentences import sentences_of
from nodes.state import Passage, State
from tests.nodes.kartly_passages import hashed, passage
from tests.nodes.runs import answered
from tests.nodes.test_extracting import quoted, state_of

FAQ = (
    "Do you ship abroad?\n\nWe do not.\n\nDo you wrap gifts?\n\nYes.\n\n"
    "Can I pay cash on delivery for a parcel of over 20 kg?\n\nNo. Cash is taken for smaller parcels only.\n\n"
    "Where do I collect a parcel?\n\nAt the depot in Mill Lane."
)


async def told(question: str, *passages: Passage) -> State:
    """The whole of it: quoted, then checked."""

    async def run(_: State) -> str:
        return await extract(state_of(question, passages), embed=hashed)

    return await answered(question, passages, None, extract=run)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Do you ship abroad?", "Do you ship abroad? We do not. [S1]"),
        ("Do you wrap gifts?", "Do you wrap gifts? Yes. [S1]"),
        (
            "Can I pay cash on delivery for a heavy parcel?",
            "Can I pay cash on delivery for a parcel of over 20 kg? No. [S1] Cash is taken for smaller parcels only. [S1]",
        ),
        ("Where do I collect a parcel?", "Where do I collect a parcel? At the depot in Mill Lane. [S1]"),
    ],
)
async def test_an_answer_is_quoted_behind_its_question(question: str, said: str) -> None:
    state = await told(question, passage(FAQ, title="FAQ"))
    assert not state["refused"], state.get("verdict")
    assert said in state["answer"]
    assert {one["text"] for one in state["verdict"]["sentences"]}.isdisjoint({"Do you ship abroad?"})
    quotes = [one["quote"] for one in state["citations"]]
    assert quotes and not any(quote.endswith("?") for quote in quotes)


@pytest.mark.parametrize(
    "layout",
    [
        "Do you ship abroad?\nWe do not.\n\nDo you wrap gifts?\nYes, for 3 EUR.",
        "Do you ship abroad? We do not. Do you wrap gifts? Yes, for 3 EUR.",
        "**Do you ship abroad?**\n\nWe do not.\n\n**Do you wrap gifts?**\n\nYes, for 3 EUR.",
        "- Do you ship abroad? We do not.\n- Do you wrap gifts? Yes, for 3 EUR.",
        "Q: Do you ship abroad?\nA: We do not.\n\nQ: Do you wrap gifts?\nA: Yes, for 3 EUR.",
    ],
)
async def test_question_and_answer_may_be_laid_out_in_many_ways(layout: str) -> None:
    state = await told("Do you ship abroad?", passage(layout, title="FAQ"))
    assert not state["refused"]
    assert "Do you ship abroad?" in state["answer"] and "We do not. [S1]" in state["answer"]
    assert "**" not in state["answer"]


async def test_an_answer_under_a_heading_that_asks_is_quoted_without_content_words() -> None:
    passages = [
        passage("We do not.", title="FAQ", section="FAQ > Do you ship abroad?"),
        passage("We ship within two days.", label="S2", title="FAQ", section="FAQ > How soon do you ship?"),
    ]
    state = await told("Do you ship abroad?", *passages)
    assert state["answer"].startswith("FAQ > Do you ship abroad?: We do not. [S1]")


async def test_a_question_by_itself_is_nothing_to_quote() -> None:
    answer = await quoted("lost card", passage("Lost your card?\n\nCall 555 to have the card blocked.", title="Cards"))
    assert answer == "Cards: Lost your card? Call 555 to have the card blocked. [S1]"
    only = await quoted("lost card", passage("Have you lost your card?", title="Cards"))
    assert only in ("", "Cards: Have you lost your card? [S1]")


async def test_two_answers_of_one_word_are_both_quoted() -> None:
    body = "Is parking free?\n\nYes.\n\nIs parking guarded?\n\nYes."
    answer = await quoted("Is parking free and guarded?", passage(body, title="Parking"))
    assert "Is parking free? Yes. [S1]" in answer and "Is parking guarded? Yes. [S1]" in answer


async def test_a_denial_without_content_words_comes_with_what_it_denies() -> None:
    body = "Some shops take parcels back without a receipt. We do not. Ask for a new receipt at the till."
    answer = await quoted("Do you take parcels back without a receipt?", passage(body, title="Returns"))
    assert "without a receipt. [S1] We do not. [S1]" in answer
    alone = await quoted("Where do I ask for a new receipt?", passage(body, title="Returns"))
    assert "We do not" not in alone.split("Some shops")[0]


TOOLS = [f"a tool of kind {number}" for number in range(1, 15)]


async def test_a_list_that_is_asked_for_is_quoted_whole() -> None:
    body = "You may borrow these tools:\n\n" + "\n".join(f"- {tool}" for tool in TOOLS)
    state = await told("Which tools may I borrow?", passage(body, title="Library"))
    assert all(f"{tool};" in state["answer"] or f"{tool}. [S1]" in state["answer"] for tool in TOOLS)


async def test_a_list_under_its_heading_is_quoted_whole() -> None:
    body = "\n".join(f"- {tool}" for tool in TOOLS)
    state = await told("Which tools may I borrow?", passage(body, title="Library", section="Library > Tools to borrow"))
    assert all(tool in state["answer"] for tool in TOOLS)


async def test_a_list_that_is_too_long_is_cut_with_a_mark() -> None:
    items = [f"thing of number {number}" for number in range(1, 90)]
    body = "You may borrow these things:\n\n" + "\n".join(f"- {item}" for item in items)
    state = await told("Which things may I borrow?", passage(body, title="Library"))
    assert items[0] in state["answer"] and items[-1] not in state["answer"]
    assert state["answer"].endswith("; … [S1]")
    assert not state["refused"] and len(state["citations"]) > 10


async def test_a_list_goes_on_in_the_next_chunk() -> None:
    first = "You may borrow these tools:\n\n" + "\n".join(f"- {tool}" for tool in TOOLS[:8])
    second = "\n".join(f"- {tool}" for tool in TOOLS[7:]) + "\n\nAsk the porter."
    passages = [passage(first, title="Library"), passage(second, label="S2", title="Library")]
    answer = await quoted(
        "Which tools may I borrow?",
        *passages,
        S1={"document_id": "library", "position": 1},  # type: ignore[dict-item]
        S2={"document_id": "library", "position": 2},  # type: ignore[dict-item]
    )
    assert all(tool in answer for tool in TOOLS)
    assert answer.count("kind 8") == 1 and "porter" not in answer


HOURS = (
    "| Ward | Hours |\n| --- | --- |\n| Children | 10-20* |\n| Surgery | 14-18† |\n| Eyes | 9-12 |\n\n"
    "* weekends only\n\n† by appointment with the ward sister"
)


async def test_a_row_brings_its_footnote() -> None:
    state = await told("hours of the children ward", passage(HOURS, title="Visits"))
    assert not state["refused"]
    assert "Ward: Children; Hours: 10-20*. [S1]" in state["answer"] and "* weekends only. [S1]" in state["answer"]


def notes_by_row(body: str) -> dict[str, list[str]]:
    """By a row's first cell the footnotes that are quoted with it."""
    found = sentences_of(passage(body, title="Visits"), 0, "en")
    by_place = {one.place: one.text for one in found}
    return {one.text.split(";")[0].split(": ")[1]: [by_place[at] for at in one.notes] for one in found if one.row}


def test_a_footnote_belongs_to_the_rows_with_its_sign() -> None:
    assert notes_by_row(HOURS) == {
        "Children": ["* weekends only"],
        "Surgery": ["† by appointment with the ward sister"],
        "Eyes": [],
    }


@pytest.mark.parametrize(
    ("sign", "note"),
    [("\\*", "\\*"), (" *", "*"), ("**", "**"), ("¹", "¹"), (" (1)", "(1)"), (" [a]", "[a]"), (" 1)", "1)")],
)
def test_signs_of_footnotes(sign: str, note: str) -> None:
    body = f"| Ward | Hours |\n|---|---|\n| Children | 10-20{sign} |\n| Eyes | 9-12 |\n\n{note} on weekends only"
    assert notes_by_row(body) == {"Children": [f"{note.lstrip(chr(92))} on weekends only"], "Eyes": []}


def test_a_sign_in_the_header_is_every_rows() -> None:
    body = "| Ward | Fee* |\n|---|---|\n| Children | 5 |\n| Eyes | 9 |\n\n* without tax"
    assert notes_by_row(body) == {"Children": ["* without tax"], "Eyes": ["* without tax"]}


def test_a_list_below_a_table_is_no_footnote() -> None:
    body = "| Ward | Hours |\n|---|---|\n| Children | *10-20* |\n\n* bring a mask\n* wash your hands"
    assert notes_by_row(body) == {"Children": []}
    one = "| Ward | Hours |\n|---|---|\n| Children | *10-20* |\n\n* bring a mask"
    assert notes_by_row(one) == {"Children": []}


def test_state_of_is_what_the_graph_gives() -> None:
    assert asyncio.run(extract(state_of("nothing", []), embed=hashed)) == ""


WARDS = (
    "| Ward | Weekends | Visitors at a time |\n|---|---|---|\n| Medical | 11-20 | 2 |\n| Surgical | 11-19 | 2 |\n"
    "| Maternity | 10-20 | 3* |\n\n* One of them may stay overnight."
)


async def test_of_a_table_the_rows_that_the_question_names_are_quoted() -> None:
    wards = passage(WARDS, title="Visits")
    answer = await quoted("When can I visit the surgical ward on weekends?", wards)
    assert "Ward: Surgical" in answer and "Medical" not in answer and "Maternity" not in answer
    both = await quoted("When can I visit the surgical and the medical ward on weekends?", wards)
    assert "Ward: Surgical" in both and "Ward: Medical" in both and "Maternity" not in both
    none = await quoted("When may visitors come to a ward on weekends?", wards)
    assert none.count("Ward: ") > 1


async def test_a_footnote_is_not_quoted_without_a_row() -> None:
    answer = await quoted("May one of them stay overnight?", passage(WARDS, title="Visits"))
    assert (
        answer
        == "Visits: Ward: Maternity; Weekends: 10-20; Visitors at a time: 3*. [S1] * One of them may stay overnight. [S1]"
    )


@pytest.mark.parametrize(
    "section", ["Claims > 4 What is never paid", "Claims > 4.1. What is never paid", "Claims > What is never paid"]
)
async def test_a_list_is_asked_for_by_its_heading_without_its_number(section: str) -> None:
    body = "- fines\n- minibar\n- gym fees\n- personal phones\n- lounge membership"
    answer = await quoted("What is never paid?", passage(body, title="Claims", section=section))
    assert all(item in answer for item in ("fines", "minibar", "gym fees", "personal phones", "lounge membership"))


async def test_a_list_that_answers_a_question_of_the_page_is_quoted_whole() -> None:
    items = ["nightwear", "slippers", "toiletries", "hearing aids", "a list of medicines"]
    body = "**What should I bring for a patient?**\n\n" + "\n".join(f"- {item}" for item in items)
    state = await told("What should I bring for a patient?", passage(f"{body}\n\n**May I smoke?**\n\nNo.", title="FAQ"))
    assert all(item in state["answer"] for item in items) and "smoke" not in state["answer"]


async def test_an_answer_of_a_word_to_another_question_is_not_quoted() -> None:
    passages = [
        passage("In an emergency we may enter your home without notice.", title="Access"),
        passage("No.", label="S2", title="FAQ", section="FAQ > Can I sublet my home?"),
    ]
    assert "sublet" not in await quoted("Can you enter my home without notice?", *passages)


async def test_an_answer_is_quoted_from_its_beginning() -> None:
    body = "Who approves my claim?\n\nYour line manager. Claims over 500 GBP are approved by finance too."
    answer = await quoted("Who approves claims of over 500 GBP?", passage(body, title="FAQ"))
    assert answer.startswith("FAQ: Who approves my claim? Your line manager. [S1] Claims over 500 GBP")
    under = passage(body.split("\n\n")[1], title="FAQ", section="FAQ > Who approves my claim?")
    assert "Your line manager. [S1]" in await quoted("Who approves claims of over 500 GBP?", under)


async def test_a_title_is_nothing_to_quote() -> None:
    passages = [
        passage("INFECTION RULES FOR VISITORS", title="INFECTION RULES FOR VISITORS"),
        passage("Rule 1. Clean your hands.", label="S2", title="INFECTION RULES FOR VISITORS", section="Rule 1"),
    ]
    answer = await quoted("What are the infection rules for visitors, rule 1?", *passages)
    assert "VISITORS. [S1]" not in answer and "Clean your hands. [S2]" in answer


LIMITS = "| City | Hotel | Lunch |\n|---|---|---|\n| London | 180 | 15 |\n| Sofia | 110 | 12 |\n| All other cities | 130 | 11 |"


async def limits(question: str) -> str:
    passages = [passage(LIMITS, title="Limits")]
    state = state_of(question, passages)
    state["term_idf"] = dict.fromkeys(("lunch", "hotel", "limit", "london", "sofia"), 1.0)
    return await extract(state, embed=hashed)


async def test_what_no_row_names_is_in_the_row_of_all_others() -> None:
    answer = await limits("What is the lunch limit in Paris?")
    assert "All other cities" in answer and "London" not in answer
    assert "All other cities" not in await limits("What is the lunch limit in London?")
    assert "London" in await limits("What are the lunch limits?")


async def test_a_yes_or_no_answers_its_own_question_alone() -> None:
    passages = [
        passage("Balloons are not allowed because of latex.", title="Gifts"),
        passage("No, except registered dogs.", label="S2", title="FAQ", section="FAQ > Can I bring my dog?"),
    ]
    answer = await quoted("Are balloons allowed as gifts?", *passages)
    assert "Balloons" in answer and "dog" not in answer
    assert "except registered dogs" in await quoted("Can I bring my dog?", *passages)


async def test_a_list_whose_rest_is_not_at_hand_is_marked() -> None:
    body = "You may borrow these tools:\n\n" + "\n".join(f"- {tool}" for tool in TOOLS[:5])
    cut: dict[str, Any] = {"document_id": "library", "position": 1, "list_goes_on": True}
    answer = await quoted("Which tools may I borrow?", passage(body, title="Library"), S1=cut)
    assert answer.endswith("a tool of kind 5; … [S1]")
    one = await quoted(
        "May I borrow the tool of kind 3?", passage(f"{body}\n\nAsk the porter.", title="Library"), S1=cut
    )
    assert "…" not in one
