"""The judge: a chat model that says whether a source supports a claim, as a probability.

The judge is asked for yes or no, and where the provider gives token probabilities the answer is P(yes); else it rates from 1 to 5
too, and its yes or no counts half as much as the rating. The prompts use plain words: told to be strict, small models say no to
everything, and asked how certain they are, 3. The rule about orders stands before the text for a word and in the system message
for a number, which is where each was answered best. A judge that is down changes nothing: the checks without a model decide.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langchain_core.language_models import BaseChatModel

from knowledge.errors import ModelUnavailable
from nodes.asking import DEFAULT_LIMITS, Limits, ask
from nodes.checking import Checked
from nodes.prompts import fill
from nodes.quoting import heading_of, quoted
from nodes.state import Passage
from nodes.structured import read_rating

#: A sentence that passed every other check falls when the judge's probability is below this.
DOUBTED = 0.35
#: The judge's say in a score; the rest is what words and meaning say.
_SAY = 0.6
#: What its rating counts beside its yes or no.
_RATING = 2 / 3
_MIDDLE = 0.5
_AT_ONCE = 4
_YES, _NO = frozenset({"yes", "да", "true"}), frozenset({"no", "не", "false"})


async def judged(
    checked: Sequence[Checked],
    passages: Sequence[Passage],
    judge: BaseChatModel,
    *,
    limits: Limits = DEFAULT_LIMITS,
    measuring: bool = False,
) -> tuple[list[Checked], int, str | None]:
    """The verdicts with the judge's say on those that stand, the calls made, and a warning where the judge could not be asked.

    ``measuring`` is for claims from a file: one that cites nothing is judged by all passages, and one that fails is judged too,
    for its score, which no judge lifts over the middle.
    """
    by_label = {passage["label"]: passage for passage in passages}
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(item: Checked) -> tuple[Checked, int, str | None]:
        sources = [by_label[label] for label in item.said.labels if label in by_label] or list(
            passages if measuring else ()
        )
        if not (item.supported or measuring) or not sources:
            return item, 0, None
        source = "\n\n".join(f"{heading_of(passage)}\n{passage['text']}" for passage in sources)
        async with gate:
            try:
                probability, calls = await support_probability(judge, source, item.said.text, limits=limits)
            except ModelUnavailable as error:
                return item, 1, f"The judge was not asked: {error.message}"
        if probability is None:
            return item, calls, "The judge's reply could not be read."
        score = round((1 - _SAY) * item.score + _SAY * probability, 4)
        if not item.supported:
            return replace(item, score=min(score, _MIDDLE)), calls, None
        if probability >= DOUBTED:
            return replace(item, score=score), calls, None
        problem = "is not supported by what it cites, says the judge"
        return replace(item, supported=False, problem=problem, score=score), calls, None

    results = await asyncio.gather(*(one(item) for item in checked))
    warning = next((result[2] for result in results if result[2]), None)
    return [result[0] for result in results], sum(result[1] for result in results), warning


async def support_probability(
    judge: BaseChatModel, source: str, claim: str, *, limits: Limits = DEFAULT_LIMITS
) -> tuple[float | None, int]:
    """The probability that the source supports the claim (``None`` where the reply says nothing) and the calls made."""
    values = {"source": quoted(source), "claim": " ".join(quoted(claim).split())}
    calls = 0
    said: float | None = None
    if "logprobs" in type(judge).model_fields:
        reply = await ask(judge, fill("judge", values), limits=limits, logprobs=True, top_logprobs=10)
        calls += 1
        probability = _yes_share(reply.metadata.get("logprobs"))
        if probability is not None:
            return probability, calls
        said = _yes_or_no(reply.text)
    reply = await ask(judge, fill("rate", values), limits=limits)
    rating = read_rating(reply.text)
    if rating is None:
        return said, calls + 1
    rated = (rating - 1) / 4
    return (rated if said is None else _RATING * rated + (1 - _RATING) * said), calls + 1


def _yes_or_no(reply: str) -> float | None:
    """1 for a reply that begins with yes, 0 with no, ``None`` for another."""
    word = re.search(r"\w+", reply)
    first = word[0].casefold() if word else ""
    return 1.0 if first in _YES else 0.0 if first in _NO else None


def _yes_share(logprobs: Any) -> float | None:
    """P(yes) / (P(yes) + P(no)) at the first token where either is likely, from Ollama's or OpenAI's shape; else ``None``."""
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else logprobs
    for token in tokens if isinstance(tokens, list) else []:
        yes = no = 0.0
        for choice in token.get("top_logprobs") or [token]:
            word = re.sub(r"\W", "", str(choice.get("token", ""))).casefold()
            mass = math.exp(min(0.0, float(choice.get("logprob", -math.inf))))
            yes += mass if word in _YES else 0.0
            no += mass if word in _NO else 0.0
        if yes + no > 0.05:
            return yes / (yes + no)
    return None
