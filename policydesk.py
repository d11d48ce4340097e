"""The public face for other programs. Each name is loaded when it is first used, so importing this costs nothing.

from policydesk import Settings, build_graph, open_resources

graph = build_graph(open_resources(Settings(data="my-index")))
result = await graph.ainvoke({"question": "Can I return damaged headphones?"}, context={"tenant": "acme"})
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graph.resources import Resources, open_resources
    from graph.settings import Settings
    from graph.workflow import build_graph
    from knowledge.errors import PolicyDeskError
    from nodes.context import Context
    from service.api import create_app
    from service.retriever import PolicyRetriever, as_tool

__all__ = [
    "Context",
    "PolicyDeskError",
    "PolicyRetriever",
    "Resources",
    "Settings",
    "as_tool",
    "build_graph",
    "create_app",
    "open_resources",
]

_HOMES = {
    "Context": "nodes.context",
    "PolicyDeskError": "knowledge.errors",
    "PolicyRetriever": "service.retriever",
    "Resources": "graph.resources",
    "Settings": "graph.settings",
    "as_tool": "service.retriever",
    "build_graph": "graph.workflow",
    "create_app": "service.api",
    "open_resources": "graph.resources",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'policydesk' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)


if __name__ == "__main__":  # python -m policydesk
    import_module("service.cli").main()
