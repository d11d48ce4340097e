from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.references import (
    StubClues,
    find_references,
    link_anchors,
    parents_of,
    rank_redirects,
    stub_clues,
)


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("[Withdrawn: Incorporated into AC-6 and AC-3(2)]", ["ac-6", "ac-3(2)"]),
        ("[Withdrawn: Moved to AC-6 (9), AU-12].", ["ac-6(9)", "au-12"]),
        ("This is bounded by least privilege (see AC-6).", ["ac-6"]),
        ("See also Articles 41, 42 and 43.", ["art-41", "art-42", "art-43"]),
        ("as set out in Section 12", ["sec-12"]),
        ("Pursuant to clause 4.2 the fee is due.", ["clause-4.2"]),
        ("по реда на чл. 41", ["art-41"]),
        ("виж чл. 41 и чл. 42", ["art-41", "art-42"]),
        ("съгласно чл. 40, ал. 5", ["art-40(5)", "art-40"]),
        ("прилага се чл. 418 от ЗЗД", ["art-418@ззд"]),
        ("Replaced by BX-900.", ["bx-900"]),
    ],
)
def test_a_sending_is_a_reference(text: str, targets: list[str]) -> None:
    assert find_references(text) == targets


@pytest.mark.parametrize(
    "text",
    [
        "Related to: AC-2, AC-3.",
        "This can operate in conjunction with AC-3 (4).",
        "лицата по чл. 36",
        "See the damage policy within 30 days.",
        "See you in 2024.",
        "AC-2 is required.",
        "We follow up within 48 hours.",
        "",
    ],
)
def test_a_mention_is_none(text: str) -> None:
    assert find_references(text) == []


def test_a_passage_does_not_send_to_itself() -> None:
    assert find_references("See AC-9 and AC-10.", "AC-9 Sessions") == ["ac-10"]
    assert find_references("Чл. 40. (1) Виж чл. 40, ал. 2. (2) Край.", "КСО, чл. 40") == []


def test_an_article_without_an_act_is_the_passages_own() -> None:
    heading = "Закон за задълженията и договорите (ЗЗД), чл. 165"
    text = "Чл. 165. Прилагат се съответно разпоредбите на чл. 418 и чл. 160. Виж и чл. 5 от НПК."
    assert "art-160@ззд" in find_references(text, heading)
    assert "art-5@нпк" in find_references(text, heading)


def test_links_name_a_file_and_a_heading() -> None:
    text = (
        "Report it ([Damage](damage.md#reporting)), [whole](../policies/Late%20Fees.md), [here](#top), [self](returns.md#returns)"
        " ![picture](photo.png) [web](https://example.com/a.md#b) [mail](mailto:a@b.example)"
    )
    assert find_references(text, "Returns", "shelf/returns.md") == ["damage#reporting", "late fees#", "returns#top"]
    assert find_references("[here](#top)", "Returns") == []


def test_a_link_reaches_the_chunk_of_that_heading() -> None:
    target = find_references("[Damage](damage.md#reporting-a-late-parcel)", "Returns", "returns.md")[0]
    assert target in link_anchors("policies/damage.md", "Damage > Reporting a late parcel!")
    assert "damage#" in link_anchors("policies/damage.md", "Damage > Else")


def test_a_stub_leaves_its_whole_and_its_name() -> None:
    heading = "AC-7(1) Automatic Account Lock"
    expected = StubClues(parents=("ac-7",), name="Automatic Account Lock")
    assert stub_clues("[Withdrawn]", heading) == expected
    assert stub_clues(f"{heading}\n\n[Withdrawn]", heading) == expected
    assert stub_clues("This control has been withdrawn.", heading) == expected
    assert stub_clues("Отменен.", "РД-7 Ред за достъп") == StubClues(parents=(), name="Ред за достъп")


def test_a_stub_that_says_where_to_go_needs_no_clues() -> None:
    assert stub_clues("[Withdrawn: Incorporated into AC-6]", "AC-7(1) Automatic Account Lock") is None
    assert stub_clues("Accounts are locked after five failures.", "AC-7 Lock") is None
    assert (
        stub_clues("Reserved parking is for staff with permits at any time of the day or night here.", "P-1 Parking")
        is None
    )


def test_redirects_go_to_the_whole_then_by_the_votes_of_the_hits() -> None:
    clues = StubClues(parents=("si-3",), name="Portable Storage Devices")
    hits = [(["ac-20(2)"], ""), (["mp-7(1)"], ""), (["mp-7(4)"], ""), (["mp-7(2)"], ""), ([], "")]
    ranked = rank_redirects(clues, hits)
    assert ranked[:2] == ["si-3", "ac-20(2)"]
    assert ranked.index("mp-7") < ranked.index("mp-7(4)")
    assert rank_redirects(clues, [*hits, (["xy-1"], "portable storage devices")])[:2] == ["si-3", "xy-1"]


def test_paragraphs_are_no_parts_of_their_own() -> None:
    assert parents_of(["ac-7(1)", "art-40(5)", "ac-7", "ac-7(2)"]) == ["ac-7"]


@given(st.text(max_size=300), st.text(max_size=40), st.sampled_from(["", "a/b.md"]))
def test_any_text_is_read(text: str, heading: str, source: str) -> None:
    targets = find_references(text, heading, source)
    assert len(set(targets)) == len(targets)
    stub_clues(text, heading)


def test_hostile_texts_are_read_in_time() -> None:
    for text in (
        "[" * 20_000,
        "see " * 20_000 + "AC-2",
        "[a](" * 10_000,
        "see AC-2 and " * 5_000,
        "control " * 20_000 + "AC-2",
    ):
        find_references(text)
