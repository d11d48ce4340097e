"""What HTTP and LangServe take and give. Unknown fields are errors, so that nobody thinks that a tenant in the body counts."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from langchain_core.messages import AIMessage, HumanMessage
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from knowledge.errors import PolicyDeskError
from nodes.context import MAX_QUESTION_CHARACTERS, Context, check_question
from nodes.state import Citation, Hit, Passage, Query, RankedList, RefusalReason, Verdict

MAX_TURNS = 40
#: An earlier answer may be longer than a question.
MAX_TURN_CHARACTERS = 8000


def _whole_characters(text: str) -> str:
    """JSON may hold halves of characters (lone surrogates), which nothing after this could write down."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("The text is not valid Unicode.")
    return text


def _a_number(value: object) -> object:
    """Python takes true for 1 and pydantic "3" for 3; whoever sends those means something else."""
    if isinstance(value, (bool, str)):
        raise PydanticCustomError("float_type", "Input should be a number")
    return value


Text = Annotated[str, AfterValidator(_whole_characters)]
Name = Annotated[
    str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$"), AfterValidator(_whole_characters)
]
Whole = Annotated[int, BeforeValidator(_a_number)]
Number = Annotated[float, BeforeValidator(_a_number)]

FieldValue = Name | int | bool

EXAMPLES: list[Any] = [
    {"question": "Can I return my damaged headphones after 10 days?"},
    {"question": "How long does a refund take?", "category": "general", "top_k": 3},
    {
        "messages": [
            {"role": "user", "content": "Can I return headphones?"},
            {"role": "assistant", "content": "Electronics can be returned within 7 days of delivery. [S1]"},
            {"role": "user", "content": "And if they are damaged?"},
        ]
    },
]


def wrong(message: str, *, field: str) -> PydanticCustomError:
    """What a check of a whole body raises: pydantic itself can name a field only for a check of that field."""
    return PydanticCustomError("bad_question", "{message}", {"message": message, "field": field})


class Turn(BaseModel):
    """One message of a conversation."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["user", "assistant"]
    content: Annotated[Text, StringConstraints(max_length=MAX_TURN_CHARACTERS)]


class Options(BaseModel):
    """Per-question options. What is left out takes the service's setting. The tenant is the key's and can't be given."""

    model_config = ConfigDict(extra="forbid")

    category: Name | None = Field(default=None, description="Only this category, and general.")
    document_ids: list[Name] = Field(default_factory=list, max_length=100, description="Only these documents.")
    languages: list[Name] = Field(default_factory=list, max_length=20, description="Only these languages (ISO 639-1).")
    include_repealed: bool = Field(default=False, strict=True, description="Also documents marked repealed.")
    updated_since: Text | None = Field(
        default=None, max_length=10, description="Only documents updated since YYYY-MM-DD."
    )
    fields: dict[Name, FieldValue | list[FieldValue]] = Field(
        default_factory=dict, max_length=20, description="Further manifest fields: a value, or a list of values."
    )
    top_k: Whole | None = Field(default=None, ge=1, le=8, description="Passages for the answer.")
    candidate_k: Whole | None = Field(default=None, ge=1, le=100, description="Length of each list.")
    rerank_k: Whole | None = Field(default=None, ge=1, le=100, description="Candidates reranked.")
    token_budget: Whole | None = Field(default=None, ge=50, le=100_000, description="Tokens of all passages.")
    expansion: Text | None = Field(
        default=None, max_length=60, description="none, auto, or any of multi_query, decompose, hyde joined by commas."
    )
    reranker: Literal["auto", "evidence", "llm", "none"] | None = Field(
        default=None, description="Loading a model by name is the operator's choice, not the caller's."
    )
    threshold: Number | None = Field(default=None, ge=0, le=1, description="Least evidence to answer on.")

    def context(self, *, tenant: str, categories: tuple[str, ...]) -> Context:
        """The graph's context under the caller's scope."""
        options = {name: getattr(self, name) for name in Options.model_fields}
        return Context(**options, tenant=tenant, allowed_categories=list(categories))


class Ask(Options):
    """A question, or a conversation whose last message is the question."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": EXAMPLES})

    question: Text | None = Field(default=None, description=f"Up to {MAX_QUESTION_CHARACTERS:,} characters.")
    messages: list[Turn] = Field(default_factory=list, max_length=MAX_TURNS, description="Oldest first.")

    @model_validator(mode="after")
    def _asks_one_thing(self) -> Ask:
        field = "messages" if self.messages else "question"
        if (self.question is None) == (not self.messages):
            raise wrong("Give either a question or messages.", field=field)
        if self.messages and self.messages[-1].role != "user":
            raise wrong("The last message must be the user's question.", field=field)
        try:
            check_question(self.text())
        except PolicyDeskError as error:
            raise wrong(error.message, field=field) from None
        return self

    def text(self) -> str:
        """The question itself."""
        return self.question if self.question is not None else self.messages[-1].content

    def graph_input(self) -> dict[str, Any]:
        """What the graph takes."""
        if self.question is not None:
            return {"question": self.question}
        kinds = {"user": HumanMessage, "assistant": AIMessage}
        return {"messages": [kinds[turn.role](turn.content) for turn in self.messages]}


class SearchResult(BaseModel):
    """Every stage of the retrieval."""

    id: str = Field(description="The question's id, as in the service's log.")
    question: str
    standalone_question: str = Field(description="What was searched for, where the question leaned on a conversation.")
    refused: bool
    refusal_reason: RefusalReason | None
    evidence: float | None = Field(description="0 to 1; under the threshold the desk refuses.")
    threshold: float | None
    warnings: list[str]
    timings_ms: dict[str, float]
    reranked: bool
    reranker: str | None
    context: list[Passage] = Field(
        description="The labelled passages that the answer is written from, best first; none under a refusal of /api/ask."
    )
    queries: list[Query]
    ranked: list[Hit]
    fused: list[Hit]
    lists: list[RankedList]


class _Answer(BaseModel):
    """What an answer adds; its fields come first."""

    id: str
    question: str
    answer: str
    refused: bool
    refusal_reason: RefusalReason | None
    citations: list[Citation] = Field(description="Where each sentence stands; none under a refusal.")
    notices: list[str]
    verdict: Verdict | None
    chunk_ids: list[str] = Field(description="What was fitted for the answer, best first; also under a refusal.")
    model: str | None
    model_calls: dict[str, int] | None


class AskResult(SearchResult, _Answer):
    """The checked answer or the refusal, then the retrieval behind it."""


class Chunk(BaseModel):
    """One chunk as it is stored, without the heading path that leads its text."""

    id: str
    document_id: str
    title: str
    source: str
    page: int | None
    section: str
    category: str
    language: str
    status: str
    updated_at: str | None
    text: str


class Listed(BaseModel):
    """One document that the caller may see."""

    id: str
    title: str
    source: str
    category: str
    language: str
    status: str
    updated_at: str | None
    chunks: int


class Documents(BaseModel):
    """Documents that the caller may see, ordered by title."""

    total: int
    documents: list[Listed]
    categories: dict[str, int] = Field(description="Documents a category.")


class Problem(BaseModel):
    """What is wrong."""

    code: str
    message: str
    field: str | None


class ErrorBody(BaseModel):
    """The body of every error."""

    error: Problem
