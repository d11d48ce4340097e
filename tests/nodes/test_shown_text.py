"""How an answer shows a document's text: no link targets, no marks of emphasis, and headings that a colon may follow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.citing import shown_heading
from nodes.shown_text import shown
from tests.nodes.kartly_passages import passage
from tests.nodes.test_quoted_layouts import told


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("See the [rules](/rules#a) first.", "See the rules first."),
        ('See [rules (old)](Rules_(old) "wikilink").', "See rules (old)."),
        ("See [a](#a) and [b](https://b.example/c_d_e).", "See a and b."),
        ("Every *three* years, _not_ two.", "Every three years, not two."),
        ("In short: *We take no calls.", "In short: We take no calls."),
        ("We take no calls.*", "We take no calls."),
        ("Close the **valve** at 2 * 3 bar", "Close the valve at 2 * 3 bar"),
        ("Set my_own_name and 2*3*4.", "Set my_own_name and 2*3*4."),
        ("Call `*args` and _kwargs_.", "Call `*args` and _kwargs_."),
        ('The default is "_cups" here.', 'The default is "_cups" here.'),
        ('Try "Types _cups,_print" first.', 'Try "Types _cups,_print" first.'),
        ("Hours: 10-20*", "Hours: 10-20*"),
        ("* weekends only", "* weekends only"),
        ("[Repealed]", "[Repealed]"),
    ],
)
def test_markdown_is_shown_as_it_reads(text: str, read: str) -> None:
    assert shown(text) == read


@given(st.text(alphabet="ab *_[]()#.`\\", max_size=60))
def test_any_text_can_be_shown(text: str) -> None:
    assert len(shown(text)) <= len(text)


@pytest.mark.parametrize(
    ("heading", "read"),
    [
        ("Terms > 1 Definitions.", "Terms > 1 Definitions"),
        ("FAQ > May I call?", "FAQ > May I call?"),
        ("*Terms* > [Calls](#calls)", "Terms > Calls"),
    ],
)
def test_a_heading_is_shown_so_that_a_colon_may_follow(heading: str, read: str) -> None:
    assert shown_heading(heading) == read


async def test_the_answer_has_no_targets_and_the_citation_is_verbatim() -> None:
    body = (
        "You may keep *two* [spare keys](/keys#spare) a year.\n\nFor a key you need these papers:\n\n"
        "- the [form](https://forms.example/key_form)\n- a *recent* photo"
    )
    rules = passage(body, title="Keys", section="Keys > 1 Spare keys.")
    state = await told("How many spare keys may I keep a year?", rules)
    assert state["answer"].startswith("Keys > 1 Spare keys: You may keep two spare keys a year. [S1]")
    assert state["citations"][0]["quote"] == "You may keep *two* [spare keys](/keys#spare) a year."
    listed = await told("Which papers do I need for a key?", rules)
    assert "these papers: the form; a recent photo. [S1]" in listed["answer"]
    assert "- the [form](https://forms.example/key_form)" in body and all(
        body[one["start"] : one["end"]] == one["quote"] for one in listed["citations"]
    )
