"""What flows through the graph: the input, the state that keeps every stage's list, and the output.

State holds only what a checkpoint can store and load again: plain values, LangChain Documents and messages.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from langchain_core.documents import Document
from langchain_core.messages import AnyMessage, convert_to_messages
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from knowledge.errors import BadQuestion

QueryKind = Literal["original", "paraphrase", "sub_question", "hyde"]
ListKind = Literal["dense", "keyword", "exact", "reference"]
RefusalReason = Literal["nothing_found", "weak_retrieval", "not_in_documents", "unsupported_answer"]


class Query(TypedDict):
    """One text to search for. A ``hyde`` query is searched by its vector only. ``weight`` multiplies its lists' weights."""

    text: str
    kind: QueryKind
    weight: float


class Hit(TypedDict):
    """A chunk and its score by the measure of the list it stands in."""

    id: str
    score: float


class RankedList(TypedDict):
    """One engine list, best first. ``weight`` is its say in the fusion."""

    query: str
    kind: ListKind
    weight: float
    hits: list[Hit]


class Signals(TypedDict):
    """What is known of a candidate by the original question: cosine, BM25 score, and whether it holds an identifier asked for."""

    dense: float
    keyword: float
    exact: bool


class Passage(TypedDict):
    """A labelled passage as the model (and the reader) sees it. ``text`` is the body, without the heading path.

    ``page_starts``: ``[page, offset in text]`` wherever a page begins, where the passage stands on several.
    """

    label: str
    id: str
    title: str
    source: str
    page: int | None
    section: str
    category: str
    text: str
    truncated: bool
    page_starts: NotRequired[list[list[int]]]


class Citation(TypedDict):
    """Where a sentence of the answer stands. ``quote == passage["text"][start:end]`` of the passage of that label."""

    label: str
    id: str
    title: str
    source: str
    page: int | None
    section: str
    quote: str
    start: int
    end: int


class SentenceVerdict(TypedDict):
    """One sentence of the answer: the labels it cites, whether they support it, and if not, why."""

    text: str
    labels: list[str]
    supported: bool
    problem: str | None


class Verdict(TypedDict):
    """``faithful`` when every sentence is supported."""

    faithful: bool
    sentences: list[SentenceVerdict]


#: All that LangChain raises for what is no message, pydantic's error too, which is a ``ValueError``.
_UNREADABLE = (ValueError, TypeError, KeyError, NotImplementedError)


def add_turns(held: Any, given: Any) -> Any:
    """LangGraph's ``add_messages``, before any node runs. Raises ``BadQuestion`` for what can't be read as messages."""
    try:
        return add_messages(held, given)
    except _UNREADABLE:
        raise BadQuestion(
            'The messages can\'t be read: send a list such as [{"role": "user", "content": "May I return it?"}].',
            field=_unreadable(given),
        ) from None


def _unreadable(given: Any) -> str:
    """The field of the first thing that is no message."""
    for at, one in enumerate(given if isinstance(given, list) else []):
        try:
            convert_to_messages([one])
        except _UNREADABLE:
            return f"messages.{at}"
    return "messages"


class Input(TypedDict, total=False):
    """A question, or a conversation whose last message is the question."""

    question: str
    messages: Annotated[list[AnyMessage], add_turns]


class State(TypedDict, total=False):
    """Everything a run knows. ``rewrite_query`` sets each key afresh, so that a thread's next turn starts clean."""

    question: str
    messages: Annotated[list[AnyMessage], add_turns]
    messages_seen: int
    standalone_question: str
    language: str
    queries: list[Query]
    identifiers: list[str]
    missing_identifiers: list[str]
    near_identifiers: dict[str, str]
    lists: list[RankedList]
    candidates: dict[str, Document]
    parents: dict[str, Document]
    signals: dict[str, Signals]
    sent_on: list[str]
    term_idf: dict[str, float]
    index: str
    index_version: str
    fused: list[Hit]
    reranked: bool
    reranker: str
    ranked: list[Hit]
    evidence: float
    threshold: float
    context: list[Passage]
    expand_again: bool
    refused: bool
    refusal_reason: RefusalReason | None
    answer: str
    draft: str
    findings: list[SentenceVerdict]
    repairs: int
    citations: list[Citation]
    verdict: Verdict
    chunk_ids: list[str]
    notices: list[str]
    model: str
    model_calls: dict[str, int]
    warnings: list[str]
    timings_ms: dict[str, float]


class Output(TypedDict, total=False):
    """What a caller gets: the JSON contract of ``ask --json``, and the messages for chat front ends."""

    question: str
    standalone_question: str
    queries: list[Query]
    lists: list[RankedList]
    fused: list[Hit]
    reranked: bool
    reranker: str
    ranked: list[Hit]
    context: list[Passage]
    evidence: float
    threshold: float
    refused: bool
    refusal_reason: RefusalReason | None
    answer: str
    citations: list[Citation]
    verdict: Verdict
    chunk_ids: list[str]
    notices: list[str]
    model: str
    model_calls: dict[str, int]
    warnings: list[str]
    timings_ms: dict[str, float]
    messages: list[AnyMessage]


#: The keys of ``search --json`` in their order: what came out first, the long lists of the stages last.
SEARCH_KEYS = (
    "question",
    "standalone_question",
    "refused",
    "refusal_reason",
    "evidence",
    "threshold",
    "warnings",
    "timings_ms",
    "reranked",
    "reranker",
    "context",
    "queries",
    "ranked",
    "fused",
    "lists",
)
ANSWER_KEYS = ("answer", "citations", "verdict", "chunk_ids", "notices", "model", "model_calls")
_ANSWER_FIRST = (
    "question",
    "answer",
    "refused",
    "refusal_reason",
    "citations",
    "notices",
    "verdict",
    "chunk_ids",
    "model",
)
#: Those of ``ask --json``: both, the answer and what it stands on first.
ASK_KEYS = tuple(dict.fromkeys((*_ANSWER_FIRST, *ANSWER_KEYS, *SEARCH_KEYS)))


def as_json(state: State | Output, *, answer: bool) -> dict[str, Any]:
    """The public JSON of a run: ``search`` keys, and with ``answer`` those of an answer too."""
    values: dict[str, Any] = dict(state)
    return {key: values.get(key) for key in (ASK_KEYS if answer else SEARCH_KEYS)}
