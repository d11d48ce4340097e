"""What is not quoted beside the answer: other sections that say no more of the question, contents, titles alone."""

from __future__ import annotations

from nodes.passage_sentences import sentences_of
from tests.nodes.kartly_passages import passage
from tests.nodes.test_extracting import quoted

LEAVE = passage("You get three paid days when a grandparent dies.", title="Leave", section="Leave > Mourning")


async def test_another_section_with_one_shared_word_is_not_quoted() -> None:
    other = passage("You get 18 days of holiday.", label="S2", title="Leave", section="Leave > Holiday")
    answer = await quoted("How many days do I get when my grandparent dies?", LEAVE, other)
    assert answer == "Leave > Mourning: You get three paid days when a grandparent dies. [S1]"


async def test_another_section_that_says_another_word_of_the_question_is_quoted() -> None:
    other = passage("A holiday when a grandparent dies is paid.", label="S2", title="Leave", section="Leave > Holiday")
    answer = await quoted("How many days when my grandparent dies, and is a holiday paid?", LEAVE, other)
    assert "[S2]" in answer


async def test_what_restricts_in_another_section_is_quoted() -> None:
    passages = [
        passage("A parcel may be returned within ten days.", title="Parcels", section="Parcels > Returns"),
        passage("A parcel may not be returned damp.", label="S2", title="Parcels", section="Parcels > State"),
    ]
    assert "may not" in await quoted("May a parcel be returned?", *passages)


async def test_what_stands_below_a_quoted_section_goes_into_it() -> None:
    passages = [
        passage("You may have one free account.", title="Terms", section="Terms > Accounts"),
        passage("One free account may be a robot's.", label="S2", title="Terms", section="Terms > Accounts > Robots"),
        passage("A free account is blue.", label="S3", title="Terms", section="Terms > Colours"),
    ]
    answer = await quoted("How many free accounts may I have?", *passages)
    assert "[S2]" in answer and "blue" not in answer


async def test_the_same_of_another_subject_is_not_quoted() -> None:
    passages = [
        passage("The company pays 75% of the premium each month.", title="Perks", section="Perks > Medical insurance"),
        passage(
            "The company pays 100% of the premium each month.",
            label="S2",
            title="Perks",
            section="Perks > Life insurance",
        ),
    ]
    answer = await quoted("How much of the medical insurance premium does the company pay each month?", *passages)
    assert "75%" in answer and "100%" not in answer
    both = await quoted("How much of the medical and the life insurance premium does the company pay?", *passages)
    assert "75%" in both and "100%" in both


async def test_a_number_word_is_said_by_its_digits() -> None:
    passages = [
        passage("Late cancellations cost a fee.", title="Club", section="Club > Cancellations"),
        passage("After 3 late cancellations the card is blocked.", label="S2", title="Club", section="Club > Fees"),
    ]
    assert "blocked" in await quoted("What happens after three late cancellations?", *passages)


async def test_a_line_of_contents_is_not_quoted_beside_its_section() -> None:
    contents = passage(
        "| Section | What is there |\n|---|---|\n| [C. Phone calls](#c-phone-calls) | We take no phone calls. |",
        title="Terms",
        section="Terms > Summary",
    )
    rule = passage(
        "We take no phone calls by night.", label="S2", title="Terms", section="Terms > C. Phone calls > 1. Hours"
    )
    answer = await quoted("Do you take phone calls?", contents, rule)
    assert "[S2]" in answer and "[S1]" not in answer
    alone = await quoted("Do you take phone calls?", contents)
    assert "[S1]" in alone


async def test_a_bare_title_is_never_quoted_alone() -> None:
    body = (
        "1. The club has a leader.\n\n5. Club Leader.\n   The leader speaks for the club.\n\nAppointment.\n\n"
        "The leader is appointed by vote."
    )
    answer = await quoted("How is the club leader appointed, what is the appointment?", passage(body, title="Club"))
    assert "Club Leader. [S1]" not in answer and "Appointment. [S1]" not in answer and "by vote" in answer


def test_short_answers_and_items_are_no_titles() -> None:
    body = "Is parking free?\n\nYes.\n\nThe days are:\n\n- Labor Day.\n- Christmas Day.\n\nTalk To Us. We answer."
    names = [one.text for one in sentences_of(passage(body, title="FAQ"), 0, "en") if one.name]
    assert names == []
