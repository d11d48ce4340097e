"""The LLM reranker: a chat model scores passages 0 to 10, several in one prompt, read tolerantly."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from langchain_core.language_models import BaseChatModel

from knowledge.errors import RerankerUnavailable
from knowledge.reranking import Candidate
from nodes.asking import DEFAULT_LIMITS, Limits, ask
from nodes.prompts import fill
from nodes.quoting import quoted
from nodes.structured import read_scores

#: Passages in one prompt: few enough for a small model to keep apart.
PER_PROMPT = 10
_CHARACTERS = 900


async def score_with_model(
    question: str, candidates: Sequence[Candidate], chat: BaseChatModel | None, *, limits: Limits = DEFAULT_LIMITS
) -> tuple[list[float], int]:
    """A score from 0 to 10 for each candidate and the calls made. A passage that the model does not name gets 0.

    Raises ``RerankerUnavailable`` without a chat model or when a reply holds no score, ``ModelUnavailable`` when it fails.
    """
    if chat is None:
        raise RerankerUnavailable(
            "The llm reranker needs a chat model: set CHAT_MODEL or SMALL_MODEL.", field="reranker"
        )
    batches = [candidates[at : at + PER_PROMPT] for at in range(0, len(candidates), PER_PROMPT)]
    scored = await asyncio.gather(*(_scores(question, batch, chat, limits) for batch in batches))
    scores = [score for batch in scored for score in batch]
    if candidates and not any(scores):
        raise RerankerUnavailable(
            "The llm reranker gave no passage a score; its reply could not be read.", field="reranker"
        )
    return scores, len(batches)


async def _scores(question: str, batch: Sequence[Candidate], chat: BaseChatModel, limits: Limits) -> list[float]:
    passages = "\n\n".join(_passage(number, item) for number, item in enumerate(batch, start=1))
    values = {"question": quoted(question), "passages": passages, "count": str(len(batch))}
    reply = await ask(chat, fill("rerank", values), limits=limits)
    return read_scores(reply.text, len(batch))


def _passage(number: int, candidate: Candidate) -> str:
    text = candidate.text if len(candidate.text) <= _CHARACTERS else candidate.text[:_CHARACTERS] + " …"
    return f"<passage>\nPassage {number}\n{quoted(text)}\n</passage>"
