"""The graph's nodes run one after another where nobody watches them: what LangGraph does between two nodes costs more than most.

Between the nodes LangGraph keeps what streaming, tracing, stopping and going on need: tasks, channels, callbacks. A plain
``invoke`` without a checkpointer uses none of it, and it is a good third of a quoted answer's time. So a run that is watched
(streamed, traced, stored, stopped half-way, inside another graph) is LangGraph's, and any other goes straight through the same
nodes along the same edges, with the same result.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import get_async_callback_manager_for_config, var_child_runnable_config
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from graph.background import BACKGROUND
from knowledge.errors import IndexUnavailable
from nodes.context import Context
from nodes.state import Input, Output, State, add_turns

_STATE_KEYS = frozenset(State.__annotations__)
_INPUT_KEYS = frozenset(Input.__annotations__)
_OUTPUT_KEYS = tuple(Output.__annotations__)


@dataclass(frozen=True, slots=True)
class Step:
    """A node as the graph runs it, and where it leads: by the state, or always to the one end."""

    run: Callable[..., Awaitable[dict[str, Any]]]
    choose: Callable[[State], str] | None
    ends: Mapping[Any, str]

    def after(self, state: State) -> str:
        """The name of the node that comes next."""
        return self.ends[self.choose(state) if self.choose else None]


def steps_of(builder: StateGraph[State, Context, Input, Output]) -> dict[str, Step]:
    """The nodes of a graph by name. Raises ``ValueError`` where a node has not just one way on: such a graph is not straight."""
    steps = {}
    for name, node in builder.nodes.items():
        ways: list[tuple[Any, Any]] = [(None, {None: end}) for begin, end in builder.edges if begin == name]
        ways += [(branch.path.func, branch.ends) for branch in builder.branches.get(name, {}).values()]  # type: ignore[attr-defined]
        if len(ways) != 1:
            raise ValueError(f"The node {name!r} has {len(ways)} ways on; a straight run needs one.")
        steps[name] = Step(node.runnable.afunc, *ways[0])  # type: ignore[union-attr]
    return steps


class PolicyGraph(CompiledStateGraph[State, Context, Input, Output]):
    """LangGraph's compiled graph, with a straight way through its nodes for runs that nobody watches."""

    @classmethod
    def over(cls, compiled: CompiledStateGraph[State, Context, Input, Output]) -> PolicyGraph:
        """The compiled graph as one of these."""
        return cls(**{name: value for name, value in vars(compiled).items() if name != "__orig_class__"})

    def __init__(self, *, steps: Mapping[str, Step] | None = None, **compiled: Any) -> None:
        super().__init__(**compiled)
        self.steps = steps or steps_of(self.builder)  # LangGraph's ``copy`` hands each attribute on by its name
        (self.first,) = (end for begin, end in self.builder.edges if begin == START)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Any:
        """As LangGraph's."""
        if self._watched(input, config, options):
            return await super().ainvoke(input, config, **options)
        try:
            return await self._straight(input, **options)
        except IndexUnavailable:
            return await super().ainvoke(input, config, **options)  # it tries again, by its policy

    def invoke(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Any:
        """As LangGraph's."""
        if self._watched(input, config, options):
            return super().invoke(input, config, **options)
        return BACKGROUND.run(self.ainvoke(input, config, **options))

    def _watched(self, input: Any, config: RunnableConfig | None, options: Mapping[str, Any]) -> bool:
        """Whether a run needs what LangGraph keeps; any run that is not known to do without it does."""
        if self.checkpointer or options.keys() - {"context", "output_keys"} or not isinstance(input, dict):
            return True
        given = [one for one in (var_child_runnable_config.get(), self.config, config) if one] or [RunnableConfig()]
        if any(one.get("configurable") for one in given):
            return True
        return any(get_async_callback_manager_for_config(one).handlers for one in given)

    async def _straight(
        self, input: Any, *, context: Any = None, output_keys: str | Sequence[str] | None = None
    ) -> Any:
        """What the nodes leave behind, cut to ``output_keys``."""
        runtime: Runtime[Context] = Runtime(context=Context(**context) if isinstance(context, dict) else context)
        state: dict[str, Any] = {}
        _update(state, {key: value for key, value in input.items() if key in _INPUT_KEYS})
        at = self.first
        while at != END:
            step = self.steps[at]
            _update(state, await step.run(cast("State", dict(state)), runtime=runtime))
            at = step.after(cast("State", state))
        if isinstance(output_keys, str):
            return state.get(output_keys)
        return {key: state[key] for key in output_keys or _OUTPUT_KEYS if key in state}


def _update(state: dict[str, Any], update: Mapping[str, Any]) -> None:
    """What the caller or a node wrote, into the state: messages are added, anything else takes the place of what was there."""
    for key, value in update.items():
        if key == "messages":
            state[key] = add_turns(state.get(key, []), value)
        elif key in _STATE_KEYS:
            state[key] = value
