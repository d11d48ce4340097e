"""Two versions of an index over the same golden questions, in pairs: what ``policydesk index compare`` shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from evals.bootstrap import Difference, paired_difference
from evals.golden import GoldenSet
from evals.metrics import RANKING, mean
from evals.running import FINAL, Outcome, run_set
from evals.summary import stage_scores
from nodes.context import Context

if TYPE_CHECKING:
    from graph.resources import Resources
    from knowledge.index.port import ChunkIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedMetric:
    """A metric of both versions and the paired difference, second minus first, with its 95 % interval."""

    metric: str
    first: float
    second: float
    difference: Difference

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


async def compare(
    first: ChunkIndex,
    second: ChunkIndex,
    golden: GoldenSet,
    resources: Resources,
    *,
    options: Context | None = None,
    on_done: Callable[[], None] | None = None,
) -> list[ComparedMetric]:
    """Every ranking metric of both versions; empty where the set judges no question.

    ``resources`` bring the models, ``on_done`` is called once a question and version. Raises ``IndexMismatch`` when a version was
    built with another embedding model than the one in use.
    """
    runs = [await _run(index, golden, resources, options or Context(), on_done) for index in (first, second)]
    return compared(*runs)


def compared(first: Sequence[Outcome], second: Sequence[Outcome]) -> list[ComparedMetric]:
    """The metrics of two runs over the same questions."""
    one, two = stage_scores(first, FINAL), stage_scores(second, FINAL)
    if not one:
        return []
    means = [mean(scores.values()) for scores in (one, two)]
    return [
        ComparedMetric(
            metric=name,
            first=means[0][name] or 0.0,
            second=means[1][name] or 0.0,
            difference=paired_difference([one[at][name] for at in one], [two[at][name] for at in one]),
        )
        for name in RANKING
    ]


async def _run(
    index: ChunkIndex, golden: GoldenSet, resources: Resources, options: Context, on_done: Callable[[], None] | None
) -> list[Outcome]:
    from graph.resources import Resources
    from graph.workflow import build_graph
    from knowledge.index.locate import check_embedding

    check_embedding(index.spec.embedding, resources.embedding.name)
    over = Resources(resources.settings, embedding=resources.embedding, index=index)
    graph = build_graph(over, answer=False)
    return await run_set(graph, golden.items, options, judges=golden.judges, on_done=on_done)
