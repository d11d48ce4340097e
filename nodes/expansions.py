"""The ways of adding search queries beside the original question."""

from __future__ import annotations

from typing import Literal

Expansion = Literal["none", "auto", "multi_query", "decompose", "hyde"]
