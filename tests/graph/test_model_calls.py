"""Model calls a question as the benchmark counts them: none before a refusal, independent ones side by side."""

from __future__ import annotations

import pytest

from benchmarks.model_calls import CASES, Case, run
from graph.settings import Settings

EXPECTED: dict[str, tuple[dict[str, int], int]] = {
    "refused before generation": ({}, 0),
    "everything off": ({"answer": 1}, 1),
    "rewrite, 3 expansions": ({"rewrite": 1, "expand": 3, "answer": 1}, 3),
    "llm reranker": ({"rerank": 2, "answer": 1}, 2),
    "judge, two sentences": ({"answer": 1, "judge": 2}, 2),
    "repair": ({"answer": 2}, 1),
    "all of them": ({"rewrite": 1, "expand": 3, "rerank": 2, "answer": 2, "judge": 3}, 3),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_calls_are_counted_and_independent_ones_run_side_by_side(kartly: Settings, case: Case) -> None:
    made, seen, at_once, _ = await run(case, kartly, 0.1)
    calls, together = EXPECTED[case.name]
    assert {kind: count for kind, count in made.items() if count} == calls
    assert (seen, at_once) == (sum(calls.values()), together)
