"""What ``langgraph.json`` names: the graph with the process's own settings. The server brings its checkpointer."""

from __future__ import annotations

from graph.resources import Resources
from graph.settings import load_settings
from graph.workflow import build_graph

graph = build_graph(Resources(load_settings()))
