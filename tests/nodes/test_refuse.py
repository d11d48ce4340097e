from __future__ import annotations

from typing import Any, cast, get_args

import pytest

from nodes.refuse import refusal_text, refuse
from nodes.state import RefusalReason, State
from tests.nodes.runs import runtime


@pytest.mark.parametrize("reason", get_args(RefusalReason))
@pytest.mark.parametrize("language", ["en", "bg", "de", "fr", "es", "und", "ja"])
async def test_each_reason_has_a_fixed_answer_without_sources(reason: RefusalReason, language: str) -> None:
    events: list[dict[str, Any]] = []
    state = cast(State, {"refusal_reason": reason, "language": language, "citations": ["x"], "notices": ["y"]})
    out = await refuse(state, runtime(events))
    assert out["answer"] == refusal_text(reason, language) and out["answer"]
    assert (out["refused"], out["refusal_reason"], out["citations"], out["notices"]) == (True, reason, [], [])
    assert out["messages"][0].text == out["answer"]
    assert events == [{"node": "refuse", "event": "refused", "reason": reason}]


def test_the_answer_is_in_the_questions_language_or_english() -> None:
    assert "документи" in refusal_text("nothing_found", "bg")
    assert refusal_text("nothing_found", "ru") == "Этого нет в ваших документах."
    assert "AX-999" in refusal_text("nothing_found", "ru", missing=["AX-999"])
    assert all("документ" in refusal_text(reason, "ru") for reason in get_args(RefusalReason))
    assert refusal_text("nothing_found", "ja") == "I don't have that in your documents."


@pytest.mark.parametrize(
    ("ranked", "reason"), [([], "nothing_found"), ([{"id": "a#1", "score": 0.1}], "weak_retrieval")]
)
async def test_without_a_reason_what_was_ranked_decides(ranked: list[Any], reason: str) -> None:
    out = await refuse(cast(State, {"refusal_reason": None, "ranked": ranked}), runtime())
    assert out["refusal_reason"] == reason
