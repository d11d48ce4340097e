"""``rerank``: the best fused candidates read again, each against the question, and the evidence that they hold together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from knowledge.errors import PolicyDeskError
from knowledge.evidence import DEFAULT_THRESHOLD, refusal_score
from knowledge.reranking import Candidate, EvidenceReranker, Question, Reranker
from knowledge.tokens import tokenize
from nodes.asking import DEFAULT_LIMITS, Limits
from nodes.context import Context, Defaults, resolve
from nodes.reranking_llm import score_with_model
from nodes.state import Hit, RankedList, State

_log = logging.getLogger(__name__)

#: Passages nearest in meaning of which one is never ranked out of the context, for questions of at most so many words: the
#: vector of a long story is near to many passages.
NEAREST, SHORT = 2, 30

OpenReranker = Callable[[str], Awaitable[Reranker]]
#: The calibrated threshold of an index version and a reranker, or ``None``.
ReadThreshold = Callable[[str, str], float | None]


async def rerank(
    state: State,
    runtime: Runtime[Context],
    *,
    open_reranker: OpenReranker,
    chat: BaseChatModel | None,
    known_languages: frozenset[str] | None,
    read_unrelated: Callable[[], Awaitable[float]],
    read_threshold: ReadThreshold,
    defaults: Defaults,
    limits: Limits = DEFAULT_LIMITS,
) -> dict[str, Any]:
    """Reorder the best ``rerank_k`` fused candidates; the fused order stands where the reranker can't be used."""
    options = resolve(runtime.context, defaults)
    head = state["fused"][: options.rerank_k]
    question = question_of(state, known_languages, unrelated=await read_unrelated())
    candidates = [candidate_of(state, hit["id"], rank) for rank, hit in enumerate(head, start=1)]
    out: dict[str, Any] = {"ranked": head, "reranked": False, "reranker": "none"}
    if candidates and options.reranker != "none":
        out |= await _reranked(
            state, question, candidates, spec=options.reranker, open_reranker=open_reranker, chat=chat, limits=limits
        )
    tail = state["fused"][options.rerank_k :]
    out["ranked"] = behind_first([*out["ranked"], *_after(out["ranked"], tail)], state["sent_on"])
    short = len(question.text.split()) <= SHORT
    if out["reranker"] == EvidenceReranker.name and question.model_knows_language and short:
        out["ranked"] = with_nearest(out["ranked"], state["lists"], place=options.top_k)
    if out["reranker"] == EvidenceReranker.name:
        out["ranked"] = with_asked(out["ranked"], state["lists"], place=options.top_k)
    by_id = {candidate.id: candidate for candidate in candidates}
    out["evidence"] = (
        refusal_score(question, [by_id[hit["id"]] for hit in out["ranked"] if hit["id"] in by_id])
        if candidates
        else 0.0
    )
    out["threshold"] = options.threshold
    if options.threshold is None:
        calibrated = read_threshold(state["index_version"], out["reranker"])
        out["threshold"] = DEFAULT_THRESHOLD if calibrated is None else calibrated
    return out


def behind_first(ranked: Sequence[Hit], sent_on: Sequence[str]) -> list[Hit]:
    """The ranking with what a withdrawn entry sends to right behind it, since that is where its content stands.

    They take the score of the first, which they are to be read with.
    """
    if not ranked or not sent_on:
        return list(ranked)
    moved = [Hit(id=chunk_id, score=ranked[0]["score"]) for chunk_id in sent_on if chunk_id != ranked[0]["id"]]
    taken = {hit["id"] for hit in moved}
    return [ranked[0], *moved, *(hit for hit in ranked[1:] if hit["id"] not in taken)]


def with_nearest(ranked: Sequence[Hit], lists: Sequence[RankedList], *, place: int) -> list[Hit]:
    """The ranking with one of the two passages nearest in meaning moved up to ``place``, where both or one lay behind it.

    The evidence favours the document that holds most of it, and can push out the one rule of another document that decides: a
    torn jacket's damage rule behind five passages on returns.
    """
    nearest = next((ranked_list["hits"][:NEAREST] for ranked_list in lists if ranked_list["kind"] == "dense"), [])
    first = {hit["id"] for hit in ranked[:place]}
    lost = next((hit["id"] for hit in nearest if hit["id"] not in first), None)
    return _moved_up(ranked, lost, place) if place >= 2 else list(ranked)


def with_asked(ranked: Sequence[Hit], lists: Sequence[RankedList], *, place: int) -> list[Hit]:
    """The ranking with the first passage of each identifier among the first ``place``: it is what was asked for by name, though
    it may hold no other word of the question ("section 8 of the GPL", where another document speaks of the GPL all the time).
    """
    exact = [[hit["id"] for hit in ranked_list["hits"]] for ranked_list in lists if ranked_list["kind"] == "exact"]
    # Of "Article III, Section 4" the passage that is both comes before another article's section 4.
    both = [name for name in exact[0] if all(name in others for others in exact[1:])][:1] if exact else []
    asked = dict.fromkeys([*both, *(names[0] for names in exact)])
    kept = set(list(asked)[:place])
    first, behind = ranked[:place], ranked[place:]
    lost = [hit for hit in behind if hit["id"] in kept]
    if not lost:
        return list(ranked)
    others = [hit["id"] for hit in first if hit["id"] not in kept]
    going = set(others[len(others) - len(lost) :])
    stay = [hit for hit in first if hit["id"] not in going]
    score = (stay or first)[-1]["score"]
    moved = [Hit(id=hit["id"], score=score) for hit in lost]
    return [*stay, *moved, *(hit for hit in ranked if hit["id"] in going), *(hit for hit in behind if hit not in lost)]


def _moved_up(ranked: Sequence[Hit], chunk_id: str | None, place: int) -> list[Hit]:
    """The ranking with that passage at the ``place``, counted from 1, and the others behind it."""
    at = next((at for at, hit in enumerate(ranked) if hit["id"] == chunk_id), None)
    if at is None:
        return list(ranked)
    moved = Hit(id=ranked[at]["id"], score=ranked[place - 1]["score"])
    return [*ranked[: place - 1], moved, *ranked[place - 1 : at], *ranked[at + 1 :]]


def _after(ranked: Sequence[Hit], tail: Sequence[Hit]) -> list[Hit]:
    """The candidates that were not reranked, in their fused order, scored below the last that was."""
    last = min((hit["score"] for hit in ranked), default=0.0)
    return [Hit(id=hit["id"], score=round(last - place, 6)) for place, hit in enumerate(tail, start=1)]


def question_of(state: State, known_languages: frozenset[str] | None, *, unrelated: float = 0.0) -> Question:
    """The stand-alone question as rerankers and the refusal gate read it."""
    text, language = state["standalone_question"], state["language"]
    return Question(
        text=text,
        tokens=tuple(tokenize(text, language)),
        term_idf=state["term_idf"],
        language=language,
        identifiers=tuple(state["identifiers"]),
        model_knows_language=known_languages is None or language in known_languages,
        unrelated=unrelated,
    )


def candidate_of(state: State, chunk_id: str, fused_rank: int) -> Candidate:
    """A candidate with all that is known of it."""
    document: Document = state["candidates"][chunk_id]
    signals = state["signals"][chunk_id]
    metadata = document.metadata
    return Candidate(
        id=chunk_id,
        text=str(document.page_content),
        heading=str(metadata.get("heading_path", "")),
        document_id=str(metadata.get("document_id", "")),
        position=int(metadata.get("position", 0)),
        language=str(metadata.get("language", state["language"])),
        dense=signals["dense"],
        keyword=signals["keyword"],
        exact=signals["exact"],
        fused_rank=fused_rank,
    )


async def _reranked(
    state: State,
    question: Question,
    candidates: Sequence[Candidate],
    *,
    spec: str,
    open_reranker: OpenReranker,
    chat: BaseChatModel | None,
    limits: Limits,
) -> dict[str, Any]:
    try:
        if spec == "llm":
            scores, calls = await score_with_model(question.text, candidates, chat, limits=limits)
            counted = {"model_calls": {**state.get("model_calls", {}), "rerank": calls}}
            name = "llm"
        else:
            reranker = await open_reranker(spec)
            scores, counted, name = await _scores(reranker, question, candidates), {}, reranker.name
    except PolicyDeskError as error:
        _log.warning("reranker %s failed: %s", spec, error.code)
        return {"warnings": [*state["warnings"], f"Not reranked: {error.message}"]}
    order = sorted(range(len(candidates)), key=lambda at: (-scores[at], at))
    ranked = [Hit(id=candidates[at].id, score=round(float(scores[at]), 6)) for at in order]
    return {"ranked": ranked, "reranked": True, "reranker": name, **counted}


async def _scores(reranker: Reranker, question: Question, candidates: Sequence[Candidate]) -> list[float]:
    """Arithmetic runs where it is called; a model's forward passes run in a thread."""
    if reranker.blocking:
        return await asyncio.to_thread(reranker.score, question, candidates)
    return reranker.score(question, candidates)
