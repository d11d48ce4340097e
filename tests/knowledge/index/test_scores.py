"""Whatever a search finds is scored by the question's own vectors, on both engines."""

from __future__ import annotations

import pytest

from knowledge.index.port import IndexStore, ListRequest, QueryVectors
from knowledge.scope import Scope
from tests.knowledge.index.engines import chunk, embed, sparse, write

A = Scope(tenant="a")

SHELF = [
    chunk("returns#1", "Unused goods may be returned within thirty days of delivery"),
    chunk("returns#2", "Send the form with the parcel"),
    chunk("damage#1", "Report damage within two days of delivery"),
    chunk("old#1", "Damage is reported within ten days", status="repealed"),
    chunk("returns#1", "Returned goods and damage of another house", tenant="b"),
]


async def test_all_that_is_found_is_scored_by_one_query(store: IndexStore) -> None:
    write(store, SHELF)
    index = await store.current()
    by = QueryVectors(embed("damage"), sparse("damage parcel unheard"))
    asked = [ListRequest(limit=2, dense=embed("returned")), ListRequest(limit=2, sparse=sparse("parcel"))]
    result = await index.search(asked, A, score_by=by)
    found = {item.id for row in result.lists for item in row}
    assert found <= set(result.scores)
    dense, keyword = (
        await index.search([ListRequest(limit=50, dense=by.dense), ListRequest(limit=50, sparse=by.sparse)], A)
    ).lists
    by_meaning = {item.id: item.score for item in dense}
    by_words = {item.id: item.score for item in keyword}
    assert set(by_words) & found
    assert set(by_words) != found
    for chunk_id in found:
        assert result.scores[chunk_id].dense == pytest.approx(by_meaning[chunk_id], abs=1e-5)
        assert result.scores[chunk_id].keyword == pytest.approx(by_words.get(chunk_id, 0.0), abs=1e-4)
    wordless = await index.search(asked[:1], A, score_by=QueryVectors(by.dense, None))
    assert {scores.keyword for scores in wordless.scores.values()} == {0.0}
    nothing = await index.search([ListRequest(limit=2, sparse=sparse("unheard"))], A, score_by=by)
    assert nothing.lists == ((),)
    assert nothing.scores == {}


async def test_what_was_looked_up_ahead_changes_no_result(store: IndexStore) -> None:
    """However many tie at a list's end: what is found ahead is what would have been found."""
    alike = [chunk(f"copy#{n}", "Report damage with the parcel") for n in range(30)]
    write(store, [*SHELF, *alike])
    index = await store.current()
    by = QueryVectors(embed("damage"), sparse("damage parcel"))
    keyword = [ListRequest(limit=limit, sparse=words) for limit in (2, 40) for words in (by.sparse, sparse("unheard"))]
    asked = [ListRequest(limit=2, dense=by.dense), *keyword]
    for scope in (A, Scope(tenant="b"), Scope(tenant="nobody"), Scope(tenant="a", include_repealed=True)):
        ahead = await index.look_ahead(keyword, scope)
        assert await index.search(asked, scope, score_by=by, ahead=ahead) == await index.search(
            asked, scope, score_by=by
        )


async def test_what_is_no_longer_in_force_is_not_scored(store: IndexStore) -> None:
    """A version that holds nothing repealed is searched without a look at that; this one is not."""
    write(store, SHELF)
    index = await store.current()
    by = QueryVectors(embed("damage"), sparse("damage"))
    asked = [ListRequest(limit=9, dense=embed("damage"))]
    assert "old#1" not in (await index.search(asked, A, score_by=by)).scores
    assert "old#1" in (await index.search(asked, Scope(tenant="a", include_repealed=True), score_by=by)).scores
