"""What an answer is to those outside: the run's public JSON, and under a refusal no passages, which would look like its sources.

Which chunks were found, with their ranks at every stage, stands there all the same; ``/api/search`` shows their text.
"""

from __future__ import annotations

from typing import Any

from nodes.state import as_json


def answer_of(state: Any) -> dict[str, Any]:
    """The JSON of ``ask`` for a finished run's state."""
    result = as_json(state, answer=True)
    return {**result, "context": []} if result["refused"] else result
