"""What a question, a thread and a small ingest cost: the scripts run on a tiny scale, and count what was really sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import threads, tokens, versions
from evals.golden import Item
from graph.resources import Resources
from graph.settings import Settings
from knowledge.embedding import open_embedding
from knowledge.index.locate import open_store
from knowledge.ingest import ingest

SHELF = Path(__file__).resolve().parents[2] / "knowledge" / "kartly"
QUESTION = "How long do I have to return electronics?"
HISTORY = ({"role": "user", "content": QUESTION}, {"role": "assistant", "content": "7 days."})


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Resources:
    embedding = open_embedding("minilm")
    settings = Settings(data=tmp_path_factory.mktemp("kartly"))
    ingest([SHELF], store=open_store(settings.index_location()), embedding=embedding)
    return Resources(settings, embedding=embedding)


async def test_every_option_is_counted_and_a_refusal_calls_no_answer_model(resources: Resources) -> None:
    items = [
        Item(id="1", question=QUESTION),
        Item(id="2", question="and for jackets?", history=HISTORY),
        Item(id="3", question="Who won the chess championship of 1972?"),
    ]
    bench = await tokens.measure(resources, items)
    assert bench.refused == 1
    calls = {name: cost.calls for name, cost in bench.costs.items()}
    assert calls["rewrite"] == [1] and calls["multi_query"] == calls["hyde"] == [1, 1, 1]
    assert calls["answer"][2] == calls["judge"][2] == calls["repair"][2] == 0
    assert calls["answer"][0] == calls["repair"][0] == 1 and calls["judge"][0] >= 1
    # Passages, question and rules are read; a repair reads all that and the draft and what was wrong with it.
    assert bench.costs["repair"].read[0] > bench.costs["answer"].read[0] > 300
    assert bench.costs["rerank"].read[0] > bench.costs["answer"].read[0]
    assert tokens.table(bench.costs, (1.0, 4.0)).count("\n") == 1 + len(tokens.OPTIONS)


def test_cost_is_tokens_by_price() -> None:
    cost = tokens.Cost()
    cost.add([(900, 40), (100, 10)])
    cost.add([])
    assert cost.mean() == (1.0, 500.0, 25.0)
    assert cost.per_thousand((2.0, 8.0)) == pytest.approx(1.2)


async def test_each_question_of_a_thread_adds_checkpoints(resources: Resources) -> None:
    added = await threads.measure(resources, [QUESTION, "Can opened personal care products be returned?"])
    assert len(added) == 2 and all(size > 1_000 and checkpoints >= 9 for size, checkpoints in added)


def test_a_small_ingest_copies_the_version_and_leaves_two_behind(tmp_path: Path) -> None:
    cost = versions.measure(tmp_path, 200, rounds=4)
    assert cost.versions == 3 and cost.all_mb > 2 * cost.one_mb > 0
