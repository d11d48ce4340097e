from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.citing import (
    Said,
    citation,
    labels_in,
    renumbering,
    sentences_of,
    shown_heading,
    without_copied_heading,
    without_heading,
    written,
)
from nodes.state import Passage
from tests.nodes.kartly_passages import passage


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("x [S1]", ["S1"]),
        ("x [S1, S3]", ["S1", "S3"]),
        ("x [S1][S3]", ["S1", "S3"]),
        ("x [s1; s3]", ["S1", "S3"]),
        ("x [S1 and S3]", ["S1", "S3"]),
        ("x [1]", ["S1"]),
        ("x [1, 3]", ["S1", "S3"]),
        ("x (S1)", ["S1"]),
        ("x (S1, S3)", ["S1", "S3"]),
        ("x 【S1】", ["S1"]),
        ("x 【1†source】", ["S1"]),
        ("x [Source 2]", ["S2"]),
        ("x [S1-S3]", ["S1", "S3", "S2"]),
        ("seven (7) days", []),
        ("Article 7(2)", []),
        ("AC-2(3)", []),
        ("⟦S9⟧", []),
        ("[note] [see 5 below]", []),
    ],
)
def test_labels_however_they_are_written(text: str, labels: list[str]) -> None:
    assert labels_in(text) == labels


def test_sentences_with_their_labels() -> None:
    answer = "You have 7 days [S2]. Damage is reported in 48 hours. [S1, S3]\n- **Note:** pickup is free (S4)\n2. Last 【5】."
    assert sentences_of(answer) == [
        Said("You have 7 days.", ["S2"]),
        Said("Damage is reported in 48 hours.", ["S1", "S3"]),
        Said("Note: pickup is free", ["S4"]),
        Said("Last.", ["S5"]),
    ]


def test_a_mark_alone_on_its_line_belongs_to_the_sentence_before() -> None:
    assert sentences_of("You have 7 days.\n\n[S2]") == [Said("You have 7 days.", ["S2"])]


def test_renumbering_in_order_of_use() -> None:
    passages = [passage("a", label=f"S{n}") for n in (1, 2, 3)]
    said = [Said("One.", ["S3"]), Said("Two.", ["S1", "S3"])]
    names = renumbering(said, passages)
    assert names == {"S3": "S1", "S1": "S2", "S2": "S3"}
    assert written(said, names) == "One. [S1] Two. [S2, S1]"


def test_a_passages_heading_before_a_sentence_is_no_claim() -> None:
    group = [passage("x", title="Returns", section="Returns > Electronics")]
    assert without_heading("Returns > Electronics: Seven days.", group) == "Seven days."
    assert without_heading("Returns: Seven days.", group) == "Seven days."
    assert without_heading("Free returns: Seven days.", group) == "Free returns: Seven days."


@given(st.lists(st.integers(min_value=1, max_value=99), min_size=1, max_size=4, unique=True))
def test_what_is_written_is_read(numbers: list[int]) -> None:
    labels = [f"S{number}" for number in numbers]
    assert sentences_of(written([Said("Some rule.", labels)])) == [Said("Some rule.", labels)]


@given(st.text(max_size=200))
def test_nothing_raises(text: str) -> None:
    for said in sentences_of(text):
        assert said.text


def test_a_quote_is_cited_by_its_own_page() -> None:
    text = "First page rule. Second page rule."
    on_two: Passage = {
        "label": "S1", "id": "p#1", "title": "P", "source": "p.pdf", "page": 3, "section": "", "category": "general",
        "text": text, "truncated": False, "page_starts": [[3, 0], [4, 17]],
    }  # fmt: skip
    assert citation(on_two, 0, 16)["page"] == 3
    assert citation(on_two, 17, len(text))["page"] == 4
    assert citation({**on_two, "page_starts": []}, 17, len(text))["page"] == 3


@pytest.mark.parametrize(
    ("heading", "shown"),
    [
        ("Waste > 4. Large items", "Waste > 4 Large items"),
        ("FAQ > Can I return it? > Time", "FAQ > Can I return it > Time"),
        ("Section 13. Appeals", "Section 13. Appeals"),
        ("By-law No. 2018-21", "By-law No. 2018-21"),
        ("Can I return it?", "Can I return it?"),
        ("Returns [S1] here", "Returns here"),
    ],
)
def test_a_heading_is_no_sentence_of_its_own(heading: str, shown: str) -> None:
    assert shown_heading(heading) == shown
    said = sentences_of(f"{shown}: You can. [S1]")
    assert [one.text for one in said] == [f"{shown}: You can."]


def test_a_heading_copied_from_the_prompt_is_no_part_of_the_answer() -> None:
    rest = "A refund covers the full price."
    for heading in ("Refunds > Refund amount", "Refund Policy > Refund amounts", "Damage Policy"):
        copied = f"{heading} (applies to: general)"
        assert without_copied_heading(f"{copied} {rest}") == without_copied_heading(f"{copied}: {rest}") == rest
        assert without_copied_heading(copied) == ""
    for other in ("Refunds > Refund amount: A refund covers it.", f"{rest} It is paid (applies to: all).", rest):
        assert without_copied_heading(other) == other
