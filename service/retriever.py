"""The desk inside other people's programs: its retrieval as a LangChain retriever, and the whole of it as an agent's tool."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    BaseCallbackManager,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, SkipValidation

from graph.background import BACKGROUND
from graph.resources import Resources
from graph.workflow import Graph, build_graph
from knowledge.errors import BadQuestion
from nodes.context import Context
from service.apart import alone
from service.results import answer_of

TOOL_DESCRIPTION = (
    "Answers a question from the organisation's own documents (policies, manuals, laws, handbooks), with citations such as "
    "[S1], or says that they do not hold the answer. Ask one complete question in plain words."
)


class PolicyRetriever(BaseRetriever):
    """Rewriting, expansion, both searches, fusion, reranking and fitting: everything but the answer.

    Returns the passages that an answer would be written from, best first. ``metadata`` holds ``id``, ``label``, ``title``,
    ``source``, ``page``, ``section``, ``category``, ``score`` (the ranking's last score; comparable within one call) and
    ``evidence`` (0 to 1, the same for all of a call). Where the desk would refuse, the list is empty, or with
    ``keep_weak=True`` holds what was found.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    resources: SkipValidation[Resources]
    context: Context = Field(default_factory=Context)
    keep_weak: bool = False
    _graph: Graph = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Build the graph once; models load with the first question."""
        super().model_post_init(context)
        self._graph = build_graph(self.resources, answer=False)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        return await self._retrieve(query, run_manager.get_child())

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return BACKGROUND.run(self._retrieve(query, run_manager.get_child()))

    async def _retrieve(self, query: str, callbacks: BaseCallbackManager) -> list[Document]:
        state = await self._graph.ainvoke(
            {"question": query},
            {"callbacks": callbacks},
            context=self.context,
            output_keys=["context", "ranked", "candidates", "evidence", "refused"],
        )
        return [] if state["refused"] and not self.keep_weak else _documents(state)


class _Arguments(BaseModel):
    """What an agent says to the tool."""

    question: Annotated[str, Field(description="One complete question, understandable without the conversation.")]


def as_tool(resources: Resources, *, context: Context | None = None, name: str = "policy_desk") -> BaseTool:
    """The desk as a tool: text for the model (answer or refusal, with its sources), and ``ask --json`` as the artifact.

    ``context`` fixes whose documents are searched; the agent can't change it. A question that can't be asked is told to the
    agent, which may ask another; what fails behind the desk is raised.
    """
    graph, fixed = build_graph(resources), context or Context()

    async def ask(question: str) -> tuple[str, dict[str, Any]]:
        try:
            state = await alone(graph.ainvoke({"question": question}, context=replace(fixed)))
        except BadQuestion as error:
            if error.field != "question":
                raise  # an option that the program fixed: not the agent's to mend
            raise ToolException(error.message) from None
        result = answer_of(state)
        return _for_model(result), result

    def ask_and_wait(question: str) -> tuple[str, dict[str, Any]]:
        return BACKGROUND.run(ask(question))

    return StructuredTool.from_function(
        func=ask_and_wait,
        coroutine=ask,
        name=name,
        description=TOOL_DESCRIPTION,
        args_schema=_Arguments,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


def _documents(state: dict[str, Any]) -> list[Document]:
    scores: dict[str, float] = {}
    for hit in state["ranked"]:
        scores.setdefault(hit["id"], hit["score"])
        parent = state["candidates"][hit["id"]].metadata.get("parent_id")
        if parent:  # a parent stands in for its children, with its best child's score
            scores.setdefault(str(parent), hit["score"])
    out = []
    for passage in state["context"]:
        kept = ("id", "label", "title", "source", "page", "section", "category", "truncated")
        metadata = {key: passage[key] for key in kept}
        metadata |= {"score": scores.get(passage["id"]), "evidence": state.get("evidence")}
        out.append(Document(page_content=passage["text"], id=passage["id"], metadata=metadata))
    return out


def _for_model(result: dict[str, Any]) -> str:
    lines = [result["answer"]]
    seen: dict[str, None] = {}
    for citation in result["citations"] or []:
        page = f", page {citation['page']}" if citation["page"] else ""
        seen.setdefault(f"[{citation['label']}] {citation['source']}{page}, {citation['section'] or citation['title']}")
    lines += ["", *seen] if seen else []
    lines += [*(result["notices"] or [])]
    return "\n".join(lines)
