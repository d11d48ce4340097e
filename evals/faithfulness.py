"""How faithful answers are to the passages they were written from, 1 (not at all) to 5 (fully), rated by a judge model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from langchain_core.language_models import BaseChatModel

from evals.running import OnDone, Outcome
from nodes.judging import support_probability


async def rate(judge: BaseChatModel, outcomes: Sequence[Outcome], *, on_done: OnDone | None = None) -> list[Outcome]:
    """The outcomes with ``faithfulness`` where an answer was given and the judge's reply could be read.

    The judge sees every passage of the context at once, for an answer may rest on several. Its probability p of support becomes
    1 + 4 p. Raises ``ModelUnavailable``: a mean over those that happened to be rated is no measurement.
    """
    rated = []
    for outcome in outcomes:
        if outcome.answer and outcome.passages and not outcome.refused:
            probability, _ = await support_probability(judge, "\n\n".join(outcome.passages), outcome.answer)
            if probability is not None:
                outcome = replace(outcome, faithfulness=round(1 + 4 * probability, 3))
        rated.append(outcome)
        if on_done is not None:
            on_done()
    return rated
