"""``fit_context``: from ranked chunks to the labelled passages that the answer is written from.

Children give way to their parents, near duplicates to the better ranked, and the budget ends the list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal

from langchain_core.documents import Document
from langgraph.runtime import Runtime

from knowledge.sentences import split_sentences
from nodes.context import Context, Defaults, resolve
from nodes.state import Hit, Passage, State

#: Share of five-word runs that two passages have in common from which the lower ranked one is dropped.
NEAR_DUPLICATE = 0.8
_WORD = re.compile(r"\w+")
_NEGATIONS = frozenset({"not", "no", "never", "without", "except", "unless", "cannot", "не", "няма", "без", "освен"})

CountTokens = Callable[[str], int]


async def fit_context(
    state: State, runtime: Runtime[Context], *, count_tokens: CountTokens, defaults: Defaults
) -> dict[str, Any]:
    """The passages S1, S2, … best first, at most ``top_k`` and within the token budget."""
    options = resolve(runtime.context, defaults)
    documents = _with_parents(state["ranked"], state["candidates"], state.get("parents", {}))
    chosen = drop_near_duplicates(documents, limit=options.top_k)
    passages = fit(chosen, budget=options.token_budget, count_tokens=count_tokens)
    notices = dict.fromkeys(
        str(document.metadata["notice"]) for document in chosen[: len(passages)] if document.metadata.get("notice")
    )
    return {
        "context": passages,
        "chunk_ids": [passage["id"] for passage in passages],
        "notices": list(notices),
        **gate(state, passages, may_expand=options.expansion == ("auto",)),
    }


def gate(state: State, passages: Sequence[Passage], *, may_expand: bool) -> dict[str, Any]:
    """Whether what was found is enough to answer on, and if not, why: measured by evidence, never by fused ranks.

    An identifier that the question names and the documents know the kind of, but not the member, is the whole question: what lies
    near it is about something else.
    """
    if state["missing_identifiers"] and not state["identifiers"]:
        return {"refused": True, "refusal_reason": "nothing_found"}
    if passages and state["evidence"] >= state["threshold"]:
        return {"refused": False, "refusal_reason": None}
    if may_expand and "expand" not in state["model_calls"]:
        return {"refused": False, "refusal_reason": None, "expand_again": True}
    return {"refused": True, "refusal_reason": "weak_retrieval" if passages else "nothing_found"}


def after_fit(state: State) -> Literal["expand_query", "refuse", "generate_answer"]:
    """On to the answer, to a refusal, or once more round with added queries where ``auto`` found too little."""
    if state["refused"]:
        return "refuse"
    return "expand_query" if state.get("expand_again") and "expand" not in state["model_calls"] else "generate_answer"


def _with_parents(
    ranked: Sequence[Hit], candidates: dict[str, Document], parents: dict[str, Document]
) -> list[Document]:
    """Ranked documents, each child swapped for its parent, each parent once, at its best child's rank."""
    out: dict[str, Document] = {}
    for hit in ranked:
        child = candidates[hit["id"]]
        document = parents.get(str(child.metadata.get("parent_id")), child)
        out.setdefault(str(document.id), document)
    return list(out.values())


def drop_near_duplicates(documents: Sequence[Document], *, limit: int) -> list[Document]:
    """The first ``limit`` documents that are not near copies of a better ranked one."""
    kept: list[Document] = []
    seen: list[tuple[frozenset[str], str]] = []
    for document in documents:
        deciding, body = _deciding_words(str(document.page_content)), body_of(document)
        if any(
            deciding == other and _overlap(_shingles(body), _shingles(text)) >= NEAR_DUPLICATE for other, text in seen
        ):
            continue
        kept.append(document)
        seen.append((deciding, body))
        if len(kept) == limit:
            break
    return kept


def fit(documents: Sequence[Document], *, budget: int, count_tokens: CountTokens) -> list[Passage]:
    """Passages until the next would overflow ``budget`` tokens; a first one that is too long is cut at a sentence end."""
    passages: list[Passage] = []
    left = budget
    counted = not surely_fit([str(document.page_content) for document in documents], budget, count_tokens)
    for document in documents:
        text, truncated = body_of(document), False
        cost = count_tokens(str(document.page_content)) if counted else 0
        if cost > left:
            if passages:
                break
            text, truncated = cut_to_budget(text, budget=left, count_tokens=count_tokens), True
            cost = left
        passages.append(_as_passage(document, text, label=f"S{len(passages) + 1}", truncated=truncated))
        left -= cost
    return passages


def surely_fit(texts: Sequence[str], budget: int, count_tokens: CountTokens) -> bool:
    """Whether the texts' tokens are within ``budget`` together, counting those of the longest alone as long as that is enough.

    No tokenizer makes more tokens of a text than it has bytes, nor tokens of blanks alone; most contexts are far from the budget.
    """
    most = {text: len(text.encode("utf-8", "surrogatepass")) - text.count(" ") for text in texts}
    total = sum(most[text] for text in texts)
    for text in sorted(texts, key=most.__getitem__, reverse=True):
        if total <= budget:
            return True
        total += count_tokens(text) - most[text]
    return total <= budget


def cut_to_budget(text: str, *, budget: int, count_tokens: CountTokens) -> str:
    """The longest run of whole sentences within ``budget`` tokens, found by bisection; part of one where none fits."""
    ends = [end for _, end in split_sentences(text)] or [len(text)]
    if count_tokens(text[: ends[0]]) > budget:
        ends = [match.end() for match in re.finditer(r"\S+", text[: ends[0]])]
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(text[: ends[middle - 1]]) <= budget:
            low = middle
        else:
            high = middle - 1
    return text[: ends[low - 1]].rstrip() if low else ""


def body_of(document: Document) -> str:
    """A chunk's text without the heading path that leads it."""
    return str(document.page_content)[int(document.metadata.get("body_start", 0)) :]


def _as_passage(document: Document, text: str, *, label: str, truncated: bool) -> Passage:
    metadata = document.metadata
    passage = Passage(
        label=label,
        id=str(document.id),
        title=str(metadata.get("title", "")),
        source=str(metadata.get("source", "")),
        page=metadata.get("page"),
        section=str(metadata.get("section") or metadata.get("heading_path") or ""),
        category=str(metadata.get("category", "")),
        text=text,
        truncated=truncated,
    )
    if metadata.get("page_starts"):
        passage["page_starts"] = metadata["page_starts"]
    return passage


@lru_cache(maxsize=4096)
def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    size = min(5, len(words)) or 1
    return frozenset(zip(*(words[at:] for at in range(size)), strict=False))


@lru_cache(maxsize=4096)
def _deciding_words(text: str) -> frozenset[str]:
    """Numbers, codes and negations: two passages that differ in one of these are two rules, however alike they read."""
    words = _WORD.findall(text.casefold())
    return frozenset(
        word for word in words if word in _NEGATIONS or (not word.isalpha() and any(map(str.isdigit, word)))
    )


def _overlap(one: frozenset[Any], other: frozenset[Any]) -> float:
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0
