"""One question, and a chunk lost in each of the seven ways; and the things that are not losses."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document

from evals.why import Explanation, explain
from graph.resources import Resources
from graph.workflow import build_graph
from nodes.context import Context
from tests.evals.desk import chunk, desk

QUESTION = "When must damaged headphones be reported?"
TARGET = "damage#1"
RULE = chunk(TARGET, "Damaged headphones must be reported within two days.")


def rivals(
    count: int, text: str = "Damaged headphones must be reported. Rival rule {0} of shop{0} item{0}."
) -> list[Document]:
    """Chunks that hold the question's words too, each with other words beside them."""
    return [chunk(f"rival{n}#1", text.format(chr(97 + n) * 3)) for n in range(count)]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Resources:
    return desk(tmp_path_factory.mktemp("small"), [RULE, *rivals(2)])


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Resources:
    return desk(tmp_path_factory.mktemp("crowded"), [weak(), *rivals(6)])


def ask(resources: Resources, expect: str = TARGET, question: str = QUESTION, **options: Any) -> Explanation:
    graph = build_graph(resources, answer=False)
    return asyncio.run(explain(graph, resources, question, expect, Context(**options)))


def kept_by(found: Explanation) -> list[str]:
    return [attempt.change for attempt in found.attempts if attempt.kept]


def test_kept(small: Resources) -> None:
    found = ask(small)
    assert found.lost == "kept"
    assert found.attempts == ()
    assert "passage" in found.sentence


def test_not_indexed(tmp_path: Path) -> None:
    found = ask(desk(tmp_path, rivals(2)))
    assert (found.lost, found.chunk_id) == ("not_indexed", None)


def test_another_tenants_chunk_is_as_if_it_were_not_there(tmp_path: Path) -> None:
    theirs = chunk(TARGET, str(RULE.page_content), tenant="zeta")
    absent = ask(desk(tmp_path / "a", rivals(2)))
    hidden = ask(desk(tmp_path / "b", [theirs, *rivals(2)]))
    assert absent == hidden
    words = ask(desk(tmp_path / "c", [theirs, *rivals(2)]), expect="reported within two days")
    assert words.lost == "not_indexed"


def test_filtered_by_category(tmp_path: Path) -> None:
    rule = chunk(TARGET, str(RULE.page_content), category="electronics")
    other = chunk("other#1", "Shirts are washed.", category="clothing")
    found = ask(desk(tmp_path, [rule, other, *rivals(1)]), category="clothing")
    assert found.lost == "filtered"
    assert "category" in found.sentence
    assert kept_by(found) == ["without the filter category"]


def test_filtered_because_repealed(tmp_path: Path) -> None:
    rule = chunk(TARGET, str(RULE.page_content), status="repealed")
    found = ask(desk(tmp_path, [rule, *rivals(1)]))
    assert found.lost == "filtered"
    assert kept_by(found) == ["include repealed documents"]


def test_two_filters_are_taken_away_together(tmp_path: Path) -> None:
    rule = chunk(TARGET, str(RULE.page_content), category="electronics", language="bg")
    other = chunk("other#1", "Damaged shirts must be reported.", category="clothing")
    found = ask(desk(tmp_path, [rule, other]), category="clothing", languages=["en"])
    assert found.lost == "filtered"
    assert kept_by(found) == ["without any filter"]


def test_below_both_lists(tmp_path: Path) -> None:
    far = chunk(
        TARGET,
        "Breakage of a headset: tell us in two days. Damaged goods are many and so are words on other matters here.",
    )
    found = ask(desk(tmp_path, [far, *rivals(30)]), candidate_k=5, top_k=8)
    assert found.lost == "below_lists"
    dense, keyword = found.places[:2]
    assert dense.rank is not None
    assert keyword.rank is not None
    assert dense.rank > 5
    assert keyword.rank > 5
    assert dense.beaten_by_rank == 5
    assert "candidate_k" in found.sentence


def test_below_lists_is_mended_by_longer_lists(crowded: Resources) -> None:
    found = ask(crowded, candidate_k=5, rerank_k=100, top_k=8)
    assert found.lost == "below_lists"
    assert "candidate_k 50" in kept_by(found)
    assert "reranker evidence" not in kept_by(found)


def test_fused_too_low(crowded: Resources) -> None:
    found = ask(crowded, reranker="evidence", rerank_k=3, top_k=3)
    assert found.lost == "fused_too_low"
    assert "the first 3 are ranked further" in found.sentence
    fused = next(place for place in found.places if place.where == "fused")
    assert (fused.rank, fused.limit, fused.beaten_by_rank) == (7, 3, 3)
    assert "top_k 8" in kept_by(found)
    assert "candidate_k 50" not in kept_by(found)


def test_without_a_reranker_a_low_place_is_the_fusions(crowded: Resources) -> None:
    found = ask(crowded, top_k=5)
    assert found.lost == "fused_too_low"
    assert "top_k 8" in kept_by(found)


def test_reranked_too_low(crowded: Resources) -> None:
    found = ask(crowded, reranker="evidence", top_k=5)
    assert found.lost == "reranked_too_low"
    assert "by evidence" in found.sentence
    assert "top_k 8" in kept_by(found)


def test_near_duplicate(tmp_path: Path) -> None:
    text = "Damaged headphones must be reported by phone or by letter to the shop that sold the goods at the latest on a workday."
    twin = chunk("copy#1", text)
    found = ask(desk(tmp_path, [twin, chunk(TARGET, text + " Thank you."), *rivals(1)]))
    assert found.lost == "near_duplicate"
    assert "copy#1" in found.sentence
    assert "only the document damage" in kept_by(found)


def test_over_budget(tmp_path: Path) -> None:
    long = chunk("long#1", "Damaged headphones must be reported. " + "Reported headphones are sent to a shop. " * 6)
    found = ask(desk(tmp_path, [long, RULE_LAST]), token_budget=60)
    assert found.lost == "over_budget"
    assert "60 tokens" in found.sentence
    assert "token_budget 120" in kept_by(found)
    assert "top_k 8" not in kept_by(found)


def test_refused_though_it_was_there(tmp_path: Path) -> None:
    found = ask(desk(tmp_path, [RULE, *rivals(1)], threshold=1.0))
    assert found.lost == "refused"
    assert kept_by(found) == ["threshold 0"]


@pytest.mark.parametrize("expect", [TARGET, "damage", "reported within  TWO days"])
def test_expected_by_chunk_id_document_id_or_words(small: Resources, expect: str) -> None:
    assert ask(small, expect=expect).chunk_id == TARGET


def test_json_names_what_would_keep_it(crowded: Resources) -> None:
    found = ask(crowded, top_k=5).as_json()
    assert found["lost"] == "fused_too_low"
    assert "top_k 8" in found["would_keep"]
    assert found["places"][0]["where"].startswith("dense")


def weak() -> Document:
    return chunk(TARGET, "Breakage of headphones: tell us within two days, and keep the box and every part of it.")


RULE_LAST = chunk(TARGET, "Headphones: breakage must be told within two days, or else it is a plain return.")
