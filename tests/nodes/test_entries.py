"""How a passage is laid out, and what is word for word a list or a row of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from knowledge.sentences import split_sentences
from nodes.checking import check_answer
from nodes.entries import item_text, list_parts, opened_by, places, row_parts
from tests.nodes.kartly_passages import hashed, passage

MOORING = (
    "Section 5. Where mooring is prohibited.\n(1) No person shall moor a boat:\n(a) within 10 metres of a lock;\n"
    "(b) at a landing stage.\n(2) Clause (1)(b) does not apply to ferries. It applies to canoes."
)
CODES = (
    "The codes are:\n\n| Code | What to do |\n| --- | --- |\n| K-11 | Close the valve. Do not open the lid. |\n"
    "| K-12 | Call service. |\n\nOther codes go out."
)


def placed(body: str) -> list[tuple[str, int, str, int | None, bool]]:
    return [
        (body[start:end], place.block, place.number, place.lead, place.row)
        for (start, end), place in zip(split_sentences(body), places(body), strict=True)
    ]


def test_items_hang_on_their_lead_in_and_bear_their_numbers() -> None:
    found = {text: (number, lead) for text, _, number, lead, _ in placed(MOORING)}
    assert found["(a) within 10 metres of a lock;"] == ("(1)(a)", 1)
    assert found["(b) at a landing stage."] == ("(1)(b)", 1)
    assert found["(2) Clause (1)(b) does not apply to ferries."] == ("(2)", None)
    assert found["It applies to canoes."] == ("(2)", None)


def test_rows_are_blocks_of_their_own() -> None:
    rows = [(block, lead) for text, block, _, lead, row in placed(CODES) if row and text.startswith("| K")]
    assert rows[0][0] != rows[1][0] and [lead for _, lead in rows] == [0, 0]
    assert placed(CODES)[-1][3] is None


def test_a_list_of_its_own_stays_under_a_bullet_that_ends_with_a_colon() -> None:
    body = "- Bring:\n  - a card\n  - a photo\n- Come early"
    assert [lead for *_, lead, _ in placed(body)] == [None, 0, 0, None]


@given(st.text(alphabet="ab(1):.;|-\n *", max_size=80))
def test_there_is_a_place_for_each_sentence(body: str) -> None:
    known = places(body)
    assert len(known) == len(split_sentences(body))
    assert all(place.lead is None or place.lead < at for at, place in enumerate(known))


def test_what_a_block_opens_with() -> None:
    assert "k-11" in opened_by("| K-11 | Close the valve. |")
    assert "k-11" in opened_by("- **K-11** Close the valve")
    assert "k-11" not in opened_by("Close the valve after K-11.")


def test_a_lead_in_with_its_items_is_a_quotation_and_with_anothers_is_not() -> None:
    stated = set(split_sentences(MOORING))
    whole = list_parts(MOORING, "(1) No person shall moor a boat: (b) at a landing stage.", stated)
    assert whole and [MOORING[slice(*span)] for span in whole] == [
        "(1) No person shall moor a boat:",
        "(b) at a landing stage.",
    ]
    both = "(1) No person shall moor a boat: (a) within 10 metres of a lock; (b) at a landing stage."
    assert len(list_parts(MOORING, both, stated) or ()) == 3
    assert list_parts(MOORING, "(1) No person shall moor a boat: (b) at a landing stage today.", stated) is None
    assert list_parts(MOORING, "(1) No person shall moor a boat:", stated) is None
    lists = "You may bring:\n- dogs\n\nYou may not bring:\n- cats"
    assert list_parts(lists, "You may bring: cats.", set(split_sentences(lists))) is None
    assert list_parts(lists, "You may bring: dogs.", set(split_sentences(lists))) is not None


def test_a_row_in_several_sentences_is_one_only_where_all_of_them_are_said() -> None:
    stated = set(split_sentences(CODES))
    first, second = "Code: K-11; What to do: Close the valve.", "Do not open the lid."
    assert row_parts(CODES, first, stated, [first, second]) == row_parts(CODES, second, stated, [first, second])
    assert row_parts(CODES, first, stated, [first, second]) is not None
    assert row_parts(CODES, first, stated, [first]) is None


async def test_the_check_takes_a_quoted_row_and_a_quoted_list_for_what_they_are() -> None:
    passages = [passage(CODES, title="Pump"), passage(MOORING, title="Boats", label="S2")]
    answer = (
        "Pump: Code: K-11; What to do: Close the valve. [S1] Do not open the lid. [S1]\n"
        "Boats: (1) No person shall moor a boat: (b) at a landing stage. [S2]"
    )
    assert [item.problem for item in await check_answer(answer, passages, embed=hashed)] == [None] * 3


def test_an_item_without_what_parts_it_from_the_next() -> None:
    assert [item_text(text) for text in ("- a card; or", "(a) a card,", "* a  card.", "a card")] == [
        "a card",
        "(a) a card",
        "a card",
        "a card",
    ]
