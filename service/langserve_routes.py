"""LangServe: ``/desk`` (a question in, the whole result out) and ``/chat`` (messages in, a message out), for ``RemoteRunnable``.

The caller is the one that the service's outermost layer found. Nothing of the scope travels in a run's config: LangServe's batch
drops what a per-request modifier puts there, and a client writes to it. Clients may send no config at all.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableGenerator
from langchain_core.runnables.utils import AddableDict
from langserve import add_routes
from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, ValidationError, WithJsonSchema
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from knowledge.errors import BadQuestion
from service.batching import Charged, batched
from service.desk import Desk
from service.error_handlers import is_json
from service.errors import BadBody, WrongMediaType
from service.schemas import MAX_TURNS, Ask, Turn
from service.streaming import ask_events
from service.wording import NOT_JSON, body_of_validation

#: What is served. Not ``stream_events`` and no feedback: they show or take more than a caller needs. The playgrounds ask by
#: ``config_hashes``; what such a hash holds is dropped as a config in the body is.
ENDPOINTS = (
    "invoke",
    "batch",
    "stream",
    "stream_log",
    "playground",
    "input_schema",
    "output_schema",
    "config_schema",
    "config_hashes",
)


class DeskInput(Ask):
    """A question, or a conversation whose last message is the question."""

    # Described without nulls, which LangServe's playground can't draw.

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        described = handler(schema)
        fields = handler.resolve_ref_schema(described)["properties"]
        for name in [name for name in fields if name not in ("question", "messages")]:
            fields[name] = fields.pop(name)  # the question first, the options after it
        for name, field in fields.items():
            kinds = [kind for kind in field.pop("anyOf", []) if kind != {"type": "null"}]
            if len(kinds) == 1:
                field.update(kinds[0])
            if field.get("default", 0) is None:
                del field["default"]
            field.setdefault("title", name)
        return described


class Conversation(BaseModel):
    """A conversation whose last message is the question."""

    model_config = ConfigDict(extra="forbid")

    messages: list[Annotated[HumanMessage | AIMessage | AIMessageChunk, Field(discriminator="type")]] = Field(
        min_length=1,
        max_length=MAX_TURNS,
        json_schema_extra={"widget": {"type": "chat", "input": "messages"}},
    )


_AI: dict[str, Any] = {"type": {"type": "string", "enum": ["ai"]}, "content": {"type": "string"}}
#: An ``AIMessage``, described the way LangServe's chat playground knows one: pydantic's own description says ``const``.
_Reply: Any = Annotated[AIMessage, WithJsonSchema({"anyOf": [{"type": "object", "properties": _AI}]})]


def add_langserve(app: FastAPI, desk: Desk) -> None:
    """Add the routes to ``app``."""
    options: dict[str, Any] = {
        "config_keys": (),
        "enabled_endpoints": ENDPOINTS,
        "dependencies": [Depends(_readable_json)],
    }
    add_routes(app, desk_runnable(desk), path="/desk", **options)
    add_routes(app, chat_runnable(desk), path="/chat", playground_type="chat", **options)


def desk_runnable(desk: Desk) -> Runnable[Any, Any]:
    """A question or a conversation in; ``ask --json`` out, with ``stages`` first as they end when streamed."""
    return QuestionDesk(desk).with_types(input_type=DeskInput, output_type=dict[str, Any])


class QuestionDesk(RunnableGenerator[Any, Any]):
    """The desk as it is: the whole result, in pieces as the stages end."""

    def __init__(self, desk: Desk) -> None:
        async def work(inputs: AsyncIterator[Any]) -> AsyncIterator[AddableDict]:
            async for given in inputs:
                admitted = desk.admit(_as_ask(given), door="langserve", charged=isinstance(given, Charged))
                async for name, data in ask_events(desk, admitted):
                    if name == "stage" and data["status"] == "done":
                        yield AddableDict(stages=[data])
                    elif name == "result":
                        yield AddableDict(data)

        super().__init__(work, name="desk")
        self._desk = desk

    async def abatch(self, inputs: list[Any], config: Any = None, **kwargs: Any) -> list[Any]:
        """The results of all, or the first error."""
        self._desk.charge([_as_ask(given) for given in inputs])
        with self._desk.running.batch():
            return await batched(self.ainvoke, inputs, config, at_once=self._desk.running.most)


def chat_runnable(desk: Desk) -> Runnable[Any, Any]:
    """Messages in, the answer as a message out; its ``response_metadata`` holds citations and the refusal's reason."""
    return ChatDesk(desk).with_types(input_type=Conversation, output_type=_Reply)


class ChatDesk(Runnable[Any, AIMessage]):
    """The desk as a chat model is met: a whole message when invoked, a piece of one (the whole, once checked) when streamed."""

    name = "chat"

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AIMessage:
        """Not served: the graph is asynchronous."""
        raise BadQuestion("This runnable is asynchronous; call ainvoke.")

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AIMessage:
        """The answer to the last message."""
        return await self._acall_with_config(self._reply, input, config)

    async def abatch(self, inputs: list[Any], config: Any = None, **kwargs: Any) -> list[Any]:
        """The answers to all, or the first error."""
        self._desk.charge([_conversation(given) for given in inputs])
        with self._desk.running.batch():
            return await batched(self.ainvoke, inputs, config, at_once=self._desk.running.most)

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[AIMessage]:
        """The answer as one piece."""

        async def inputs() -> AsyncIterator[Any]:
            yield input

        async for piece in self._atransform_stream_with_config(inputs(), self._pieces, config):
            yield piece

    async def _pieces(self, inputs: AsyncIterator[Any]) -> AsyncIterator[AIMessage]:
        async for given in inputs:
            reply = await self._reply(given)
            yield AIMessageChunk(content=str(reply.content), id=reply.id, response_metadata=reply.response_metadata)

    async def _reply(self, given: Any) -> AIMessage:
        charged = isinstance(given, Charged)
        result = await self._desk.run(self._desk.admit(_conversation(given), door="langserve-chat", charged=charged))
        kept = ("id", "refused", "refusal_reason", "citations", "notices")
        return AIMessage(result["answer"], id=result["id"], response_metadata={key: result[key] for key in kept})


def _conversation(given: Any) -> Ask:
    return _as_ask({"messages": [_as_turn(message) for message in given["messages"]]})


def _as_turn(message: HumanMessage | AIMessage) -> Turn:
    try:
        return Turn(role="user" if message.type == "human" else "assistant", content=str(message.text))
    except ValidationError as error:
        told = body_of_validation(error.errors(), chat=True)["error"]["message"]
        raise BadQuestion(f"In messages, {told}", field="messages") from None


def _as_ask(given: Any) -> Ask:
    try:
        return Ask.model_validate(given)
    except ValidationError as error:
        said = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise BadQuestion(said, field="messages" if "messages" in given else "question") from None


async def _readable_json(request: Request) -> None:
    """LangServe reads the body itself and takes only some of what can be wrong with it for the client's fault."""
    if request.method != "POST":
        return
    if not is_json(request) and await request.body():
        raise WrongMediaType
    try:
        body = await request.json()
    except (ValueError, RecursionError):
        raise BadBody(NOT_JSON) from None
    if not isinstance(body, dict):
        raise BadQuestion("The body must be a JSON object.")
    if request.url.path.endswith("/batch") and not isinstance(body.get("inputs"), list):
        raise BadQuestion("inputs must be a list.", field="inputs")
    for name in ("config", "kwargs"):
        if name in body and body[name] is None:  # what JavaScript sends for nothing; LangServe sees this same dict
            del body[name]
