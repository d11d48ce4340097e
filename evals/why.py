"""Why a chunk did not reach the answer: the stage that lost it, its rank and score in every list, and what would have kept it.

Where no chat model writes, the last stage is the quoting: a passage of the context of which nothing is quoted.

Nothing is guessed. The stage comes from a real run's state, and every remedy is a run of the same question with one thing
changed. All under the asker's tenant and permissions: another tenant's chunk is ``not_indexed`` like one that never existed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from langchain_core.documents import Document

from evals.golden import Item
from evals.placing import Place, places
from evals.running import RECORD, run_state
from evals.why_quoted import not_quoted
from knowledge.scope import REPEALED
from nodes.context import Context, Options, resolve
from nodes.fit_context import drop_near_duplicates
from nodes.state import State
from nodes.support import EmbedSentences

if TYPE_CHECKING:
    from graph.resources import Resources
    from graph.workflow import Graph
    from knowledge.index.port import ChunkIndex
    from knowledge.scope import Scope

Lost = Literal[
    "not_indexed",
    "filtered",
    "below_lists",
    "fused_too_low",
    "reranked_too_low",
    "near_duplicate",
    "over_budget",
    "refused",
    "not_quoted",
    "kept",
]

_ALL_TOKENS = 100_000
_WIDEST = {"candidate_k": 100, "rerank_k": 100, "top_k": 8}
#: Each filter of a question and its value when it lets everything through.
_FILTERS: dict[str, Any] = {
    "category": None,
    "document_ids": [],
    "languages": [],
    "include_repealed": True,
    "updated_since": None,
    "fields": {},
}


_FILTER_NAMES = {
    "category": "category",
    "document_ids": "document",
    "languages": "language",
    "include_repealed": "status",
    "updated_since": "updated since",
    "fields": "field",
}
_SCOPE_NAMES = {"category": "categories"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One thing changed, and whether the chunk then stood in the context, and at which place."""

    change: str
    options: Mapping[str, Any]
    kept: bool
    rank: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """``lost`` names the stage, ``sentence`` says it in words; ``chunk_id`` is the chunk followed: of several, the furthest."""

    question: str
    expected: str
    chunk_id: str | None
    lost: Lost
    sentence: str
    places: tuple[Place, ...] = ()
    attempts: tuple[Attempt, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Plain values, with the changes that would have kept the chunk under ``would_keep``."""
        return asdict(self) | {"would_keep": [attempt.change for attempt in self.attempts if attempt.kept]}


async def explain(graph: Graph, resources: Resources, question: str, expected: str, context: Context) -> Explanation:
    """Follow what ``expected`` names (a chunk id, a document id, or words that stand in a chunk) through a run of the question.

    ``graph`` is built with ``answer=False``. Raises what a run raises.
    """
    options = resolve(context, resources.settings.defaults())
    index = await resources.open_index()
    targets = await find_targets(index, expected, widened(options.scope))
    if not targets:
        said = f"No chunk has the id {expected!r} or holds these words: ingest its document, or check the spelling."
        return Explanation(question=question, expected=expected, chunk_id=None, lost="not_indexed", sentence=said)
    admitted = [target for target in targets if options.scope.admits(target.metadata)]
    item = Item(id="why", question=question)
    if not admitted:
        sentence, attempts = await _filtered(graph, item, context, options.scope, targets)
        return Explanation(
            question=question,
            expected=expected,
            chunk_id=str(targets[0].id),
            lost="filtered",
            sentence=sentence,
            attempts=attempts,
        )
    state = await run_state(graph, item, context)
    target = furthest(state, admitted)
    quotes = resources.settings.chat_model is None  # a model's answer is its own
    embed = resources.embed_sentences if quotes else None
    lost, sentence = await _lost(graph, item, context, options, state, target, expected, embed)
    return Explanation(
        question=question,
        expected=expected,
        chunk_id=str(target.id),
        lost=lost,
        sentence=sentence,
        places=await places(index, resources, state, str(target.id), options),
        attempts=()
        if lost in ("kept", "not_quoted")
        else await _try_changes(graph, item, context, options, admitted, expected),
    )


async def find_targets(index: ChunkIndex, expected: str, scope: Scope) -> list[Document]:
    """The chunks that ``expected`` names: by chunk id, else by record, document or parent id, else those that hold its words."""
    by_id = [chunk for chunk in await index.fetch([expected], scope) if chunk.metadata.get("kind") != "parent"]
    if by_id:
        return by_id
    chunks = await index.documents(scope)
    for key in (RECORD, "document_id", "parent_id"):
        named = [chunk for chunk in chunks if chunk.metadata.get(key) == expected]
        if named:
            return named
    words = _plain(expected)
    return [chunk for chunk in chunks if words and words in _plain(str(chunk.page_content))]


def widened(scope: Scope) -> Scope:
    """The scope without what this question filtered by; who asks, and what they may see at all, stays."""
    return replace(
        scope, categories=(), document_ids=(), languages=(), include_repealed=True, updated_since=None, fields={}
    )


def furthest(state: State, targets: Sequence[Document]) -> Document:
    """The target that got furthest through the stages; within a stage the better ranked."""

    def progress(target: Document) -> tuple[int, int]:
        name = str(target.id)
        if (at := fitted_rank(state, target)) is not None:
            return 4, -at
        for step, hits in ((3, state["ranked"]), (2, state["fused"])):
            ids = [hit["id"] for hit in hits]
            if name in ids:
                return step, -ids.index(name)
        return 0, 0

    return max(targets, key=progress)


def fitted_rank(state: State, target: Document, expected: str = "") -> int | None:
    """Its place among the passages from 1, by itself or as its parent; ``None`` where it, or the words expected, is not there."""
    names = {str(target.id), str(target.metadata.get("parent_id") or target.id)}
    for rank, passage in enumerate(state["context"], start=1):
        if passage["id"] in names:
            cut_away = passage["truncated"] and _plain(expected) in _plain(str(target.page_content))
            return rank if not cut_away or _plain(expected) in _plain(passage["text"]) else None
    return None


async def _lost(
    graph: Graph,
    item: Item,
    context: Context,
    options: Options,
    state: State,
    target: Document,
    expected: str,
    embed: EmbedSentences | None,
) -> tuple[Lost, str]:
    """The first stage that the chunk did not get through, in words. ``embed``: where the answer is quoted."""
    name = str(target.id)
    fused = [hit["id"] for hit in state["fused"]]
    ranked = [hit["id"] for hit in state["ranked"]]
    if (rank := fitted_rank(state, target, expected)) is not None:
        if state.get("refused"):
            return "refused", (
                f"It is passage {rank} of the context, but the question was refused ({state['refusal_reason']}): the evidence "
                f"is {state['evidence']:.2f}, the threshold {state.get('threshold') or 0:.2f}."
            )
        label = next((passage["label"] for passage in state["context"][rank - 1 : rank]), "")
        if embed is not None and (reason := await not_quoted(state, label, embed)):
            return "not_quoted", f"It is passage {rank} of the context, but the answer quotes nothing of it: {reason}"
        return "kept", f"It was not lost: it is passage {rank} of the context."
    if name not in fused:
        return "below_lists", f"No list found it within its first {options.candidate_k} places (candidate_k)."
    before, rank = fused.index(name) + 1, ranked.index(name) + 1
    twin = near_copy(state, target)
    if twin is not None:
        return "near_duplicate", f"Ranked at {rank}, and dropped as a near copy of {twin}, which ranks higher."
    unbounded = await run_state(graph, item, replace(context, token_budget=_ALL_TOKENS))
    if fitted_rank(unbounded, target, expected) is not None:
        return "over_budget", f"Ranked at {rank}, but the passages above it used up the {options.token_budget} tokens."
    if before > options.rerank_k:
        return "fused_too_low", (
            f"Fused at {before}, where only the first {options.rerank_k} are ranked further (rerank_k), so it stayed at {rank}; "
            f"{options.top_k} passages are kept (top_k)."
        )
    if state["reranked"]:
        return "reranked_too_low", (
            f"Fused at {before}, ranked at {rank} by {state['reranker']}, and only {options.top_k} passages are kept (top_k)."
        )
    return "fused_too_low", f"Fused at {rank}, not reranked, and only {options.top_k} passages are kept (top_k)."


def near_copy(state: State, target: Document) -> str | None:
    """The id of the passage in the context that the target was dropped for, by the rule of ``fit_context``."""
    documents = {**state["candidates"], **state.get("parents", {})}
    mine = documents.get(str(target.metadata.get("parent_id")), target)
    for passage in state["context"]:
        other = documents.get(passage["id"])
        if other is not None and len(drop_near_duplicates([other, mine], limit=2)) == 1:
            return passage["id"]
    return None


async def _filtered(
    graph: Graph, item: Item, context: Context, scope: Scope, targets: Sequence[Document]
) -> tuple[str, tuple[Attempt, ...]]:
    """Which filter kept the chunk out, found by taking away one at a time, then all."""
    in_use = [key for key, free in _FILTERS.items() if getattr(context, key) != free]
    if not any(target.metadata.get("status") == REPEALED for target in targets):
        in_use = [key for key in in_use if key != "include_repealed"]
    attempts = [
        await _attempt(graph, item, context, _without_filter(key), {key: _FILTERS[key]}, targets) for key in in_use
    ]
    if len(in_use) > 1:
        free = {key: _FILTERS[key] for key in in_use}
        attempts.append(await _attempt(graph, item, context, "without any filter", free, targets))
    metadata = targets[0].metadata
    shown = ("category", "language", "status", "updated_at")
    about = ", ".join(f"{key} {metadata[key]!r}" for key in shown if metadata.get(key))
    blocking = [_FILTER_NAMES[key] for key in in_use if _passes(scope, {key: _FILTERS[key]}, targets)]
    named = f" by {' or by '.join(blocking)}" if blocking else ""
    return f"It is indexed ({about}), but the question's filters leave it out{named}.", tuple(attempts)


def _without_filter(key: str) -> str:
    return "include repealed documents" if key == "include_repealed" else f"without the filter {_FILTER_NAMES[key]}"


def _passes(scope: Scope, change: Mapping[str, Any], targets: Sequence[Document]) -> bool:
    """Whether the scope with that one filter taken away admits a target."""
    free: dict[str, Any] = {
        _SCOPE_NAMES.get(key, key): tuple(value) if isinstance(value, list) else value for key, value in change.items()
    }
    if free.get("categories", ()) is None:
        free["categories"] = ()
    changed = replace(scope, **free)
    return any(changed.admits(target.metadata) for target in targets)


async def _try_changes(
    graph: Graph,
    item: Item,
    context: Context,
    options: Options,
    targets: Sequence[Document],
    expected: str,
) -> tuple[Attempt, ...]:
    out = []
    for change, changed in changes_to_try(options, targets[0]):
        out.append(await _attempt(graph, item, context, change, changed, targets, expected))
    return tuple(out)


def changes_to_try(options: Options, target: Document) -> list[tuple[str, dict[str, Any]]]:
    """Every option that may bring the chunk back, one at a time, then together; those that the run uses already are left out."""
    out: list[tuple[str, dict[str, Any]]] = []
    for key, values in (("candidate_k", (50, 100)), ("rerank_k", (50, 100)), ("top_k", (8,))):
        out += [(f"{key} {value}", {key: value}) for value in values if value > getattr(options, key)]
    for name in ("none", "evidence"):
        if options.reranker != name and not (name == "evidence" and options.reranker == "auto"):
            out.append((f"reranker {name}", {"reranker": name}))
    for budget in (2 * options.token_budget, 4 * options.token_budget):
        if budget <= _ALL_TOKENS:
            out.append((f"token_budget {budget}", {"token_budget": budget}))
    wider = {key: value for key, value in _WIDEST.items() if value > getattr(options, key)}
    if len(wider) > 1:
        out.append((" and ".join(f"{key} {value}" for key, value in wider.items()), wider))
    out.append(("threshold 0", {"threshold": 0.0}))
    category, document = target.metadata.get("category"), target.metadata.get("document_id")
    if category and options.scope.categories != (category,):
        out.append((f"category {category}", {"category": category}))
    if document and options.scope.document_ids != (document,):
        out.append((f"only the document {document}", {"document_ids": [document]}))
    return out


async def _attempt(
    graph: Graph,
    item: Item,
    context: Context,
    change: str,
    changed: Mapping[str, Any],
    targets: Sequence[Document],
    expected: str = "",
) -> Attempt:
    state = await run_state(graph, item, replace(context, **changed))
    ranks = [rank for target in targets if (rank := fitted_rank(state, target, expected)) is not None]
    kept = bool(ranks) and not state.get("refused")
    return Attempt(change=change, options=dict(changed), kept=kept, rank=min(ranks) if kept else None)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split()).casefold()
