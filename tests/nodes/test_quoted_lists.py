"""Lists that are asked for come whole, and sections of the opposite sense do not answer."""

from __future__ import annotations

from typing import Any

import pytest

from nodes.whole_lists import asks_several
from tests.nodes.kartly_passages import passage
from tests.nodes.test_extracting import quoted

DAYS = ["Harbour Day", "Lantern Day", "Midsummer Eve", "Ferry Day", "Autumn Fair", "Founders Day", "Winter Eve"]
CLOSED = "These are the days on which the ferry is closed. Who minds, really?\n\n" + "\n".join(
    f"- {one}" for one in DAYS
)


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("What are the closed days?", True),
        ("Which papers do I need?", True),
        ("What side work is not allowed?", True),
        ("Who makes decisions in the club?", True),
        ("What is the fee for a dog?", False),
        ("What happens if I am late?", False),
        ("How long can I stay?", False),
    ],
)
def test_which_questions_ask_for_several_things(question: str, several: bool) -> None:
    assert asks_several(question) is several


async def test_a_list_behind_a_sentence_without_a_colon_comes_whole() -> None:
    answer = await quoted("What are the closed days of the ferry?", passage(CLOSED, title="Ferry"))
    assert all(day in answer for day in DAYS)
    one = await quoted("Is the ferry closed on Ferry Day?", passage(CLOSED, title="Ferry"))
    assert "Autumn Fair" not in one


async def test_two_items_that_are_asked_for_bring_their_list() -> None:
    body = "Please send in your message:\n\n- name of the owner\n- number of the owner\n- a photo\n- the wish"
    answer = await quoted("What must I send of the owner, name and number?", passage(body, title="Boats"))
    assert "name of the owner; number of the owner; a photo; the wish. [S1]" in answer


async def test_a_list_in_two_chunks_comes_whole_and_in_order() -> None:
    section = "Jobs > Not OK"
    first = "1. Work for a rival firm.\n\n2. Go on a long work tour.\n\n3. Work by night."
    second = "3. Work by night.\n\n4. Advertise your work widely."
    where: dict[str, Any] = {"document_id": "jobs"}
    answer = await quoted(
        "What work is not allowed?",
        passage(second, title="Jobs", section=section),
        passage(first, label="S2", title="Jobs", section=section),
        S1=where | {"position": 2},
        S2=where | {"position": 1},
    )
    places = [answer.index(text) for text in ("rival firm", "work tour", "by night", "widely")]
    assert places == sorted(places) and answer.count("by night") == 1


async def test_a_section_of_the_opposite_sense_is_not_quoted() -> None:
    passages = [
        passage("1. A job on the side for a friend.\n\n2. Unpaid work.", title="Jobs", section="Jobs > OK"),
        passage("1. A job for a rival.\n\n2. Work by night.", label="S2", title="Jobs", section="Jobs > Not OK"),
    ]
    answer = await quoted("What job on the side is not allowed?", *passages)
    assert "rival" in answer and "friend" not in answer
    both = await quoted("Can I take a job on the side for a friend?", *passages)
    assert "friend" in both
    times = [
        passage("Telephone: turn the travel lock off.", title="Travel", section="Travel > When you arrive"),
        passage(
            "Turn the travel lock of your telephone on.", label="S2", title="Travel", section="Travel > Before you go"
        ),
    ]
    answer = await quoted("What must I do with my telephone before I travel?", *times)
    assert "lock of your telephone on" in answer and "off" not in answer


async def test_an_item_that_names_the_items_within_it_comes_with_them() -> None:
    body = "- Telephone\n  - set a long code\n  - turn the lock on\n- Laptop\n  - leave it at home"
    answer = await quoted("What must I do with my telephone?", passage(body, title="Travel"))
    assert "Telephone" in answer and "set a long code" in answer and "turn the lock on" in answer
    assert "at home" not in answer


async def test_what_goes_on_in_the_next_chunk_comes_with_its_lead_in() -> None:
    first = "You may not bring these animals on board:\n\n- horses"
    second = "- snakes of any kind\n- parrots"
    where: dict[str, Any] = {"document_id": "ferry"}
    answer = await quoted(
        "May I bring snakes of any kind?",
        passage(second, title="Ferry"),
        passage(first, label="S2", title="Ferry"),
        S1=where | {"position": 2},
        S2=where | {"position": 1},
    )
    assert "snakes" in answer and "You may not bring these animals" in answer
