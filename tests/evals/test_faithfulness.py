from __future__ import annotations

import asyncio

from langchain_core.language_models import FakeListChatModel

from evals.faithfulness import rate
from evals.golden import Item
from evals.running import STAGES, Outcome
from evals.summary import summarise


def outcome(number: int, answer: str, *, refused: bool = False) -> Outcome:
    item = Item(id=str(number), question="?", needed={"a": 1})
    return Outcome(
        item=item, stages=dict.fromkeys(STAGES, ()), answer=answer, passages=("Within 7 days.",), refused=refused
    )


def test_answers_are_rated_and_refusals_are_not() -> None:
    judge = FakeListChatModel(responses=["5", "2", "I can't say"])
    run = [outcome(1, "7 days."), outcome(2, "9 days."), outcome(3, "No.", refused=True), outcome(4, "Perhaps.")]
    rated = asyncio.run(rate(judge, run))
    assert [one.faithfulness for one in rated] == [5, 2, None, None]
    assert summarise(rated, answers=True)["metrics"]["faithfulness"] == 3.5
    assert summarise(run, answers=True)["metrics"]["faithfulness"] is None
