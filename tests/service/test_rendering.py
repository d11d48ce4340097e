"""What the terminal shows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.rendering import print_answer, print_stages, shortened


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def cited(
    label: str, quote: str, start: int = 0, *, section: str = "Warranty", page: int | None = None
) -> dict[str, Any]:
    return {
        "label": label,
        "id": f"warranty#{label[1:]}",
        "title": "Warranty",
        "source": "warranty.md",
        "page": page,
        "section": section,
        "quote": quote,
        "start": start,
        "end": start + len(quote),
    }


def answer(capsys: pytest.CaptureFixture[str], *citations: dict[str, Any]) -> list[str]:
    print_answer({"answer": "Yes. [S1]", "refused": False, "citations": list(citations)})
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()][2:]


def test_passages_of_one_heading_are_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, cited("S1", "Batteries: 6 months."), cited("S2", "Repair: 15 days.")) == [
        "[S1] [S2] warranty.md · Warranty",
        "    “Batteries: 6 months.” [S1]",
        "    “Repair: 15 days.” [S2]",
    ]


def test_quotes_of_one_passage_stand_in_reading_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, cited("S1", "| Express | 49 |", 30), cited("S1", "| Service | Fee |", 0)) == [
        "[S1] warranty.md · Warranty",
        "    “| Service | Fee |”",
        "    “| Express | 49 |”",
    ]


def test_a_quote_is_shown_under_its_own_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, cited("S1", "One.", page=2), cited("S1", "Two.", 9, page=3)) == [
        "[S1] warranty.md, page 2 · Warranty",
        "    “One.”",
        "[S1] warranty.md, page 3 · Warranty",
        "    “Two.”",
    ]


@given(st.text(max_size=400), st.integers(min_value=10, max_value=120))
def test_shortened_text_fits_and_ends_between_words(text: str, width: int) -> None:
    line = " ".join(text.split())
    short = shortened(text, width)
    assert len(short) <= width
    if short != line:
        assert short.endswith(" …")
        head = short[:-2]
        assert line.startswith(head)


def test_a_long_passage_is_cut_between_words() -> None:
    assert shortened("A refund for a normal return covers the price.", 30) == "A refund for a normal return …"
    assert shortened("x" * 40, 20) == "x" * 18 + " …"


def test_the_stage_view_shows_where_a_passage_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    words = " ".join(f"word{n}" for n in range(100))
    print_stages(
        {
            "standalone_question": "q",
            "queries": [{"text": "q", "kind": "original", "weight": 1.0}],
            "lists": [],
            "fused": [],
            "ranked": [],
            "reranked": False,
            "context": [{"label": "S1", "id": "a#1", "section": "A", "source": "a.md", "text": words}],
            "refused": False,
            "timings_ms": {},
        }
    )
    shown = capsys.readouterr().out
    text = " ".join(shown.split())
    assert "S1 a#1 a.md · A" in text
    cut = text.split("word0 ")[1].split(" …")[0].split()
    assert all(word in words.split() for word in cut)
