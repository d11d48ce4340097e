"""Fusing: the formula, the weights and the ties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.runtime import Runtime

from nodes.fuse import RRF_K, UNKNOWN_LANGUAGE_DENSE_WEIGHT, fuse, list_weight, reciprocal_rank_fusion
from nodes.state import Hit, ListKind, RankedList


def ranked(kind: ListKind, *ids: str, weight: float = 1.0, score: float = 0.5) -> RankedList:
    return RankedList(query="q", kind=kind, weight=weight, hits=[Hit(id=item, score=score) for item in ids])


def ids(hits: list[Hit]) -> list[str]:
    return [hit["id"] for hit in hits]


KINDS: list[ListKind] = ["dense", "keyword", "exact", "reference"]
LISTS = st.lists(
    st.builds(
        lambda kind, names, weight: ranked(kind, *names, weight=weight),
        st.sampled_from(KINDS),
        st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8),
        st.floats(0, 8),
    ),
    max_size=6,
)


def test_score_is_the_sum_of_weight_over_k_plus_rank():
    fused = reciprocal_rank_fusion([ranked("dense", "a", "b"), ranked("keyword", "b", weight=2.0)])
    scores = {hit["id"]: hit["score"] for hit in fused}
    assert scores == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 2 / 61})
    assert ids(fused) == ["b", "a"]


def test_k_is_a_parameter():
    assert reciprocal_rank_fusion([ranked("dense", "a")], k=0)[0]["score"] == pytest.approx(1.0)


def test_nothing_to_fuse():
    assert reciprocal_rank_fusion([]) == []
    assert reciprocal_rank_fusion([ranked("dense")]) == []


def test_engine_scores_are_never_read():
    low = [ranked("dense", "a", "b", score=0.01), ranked("keyword", "b", "a", score=99.0)]
    high = [ranked("dense", "a", "b", score=1.0), ranked("keyword", "b", "a", score=0.0)]
    assert reciprocal_rank_fusion(low) == reciprocal_rank_fusion(high)


def test_a_chunk_counts_once_a_list():
    twice = reciprocal_rank_fusion([ranked("exact", "a", "b", "a")])
    assert {hit["id"]: hit["score"] for hit in twice} == pytest.approx({"a": 1 / 61, "b": 1 / 62})


def test_ties_go_to_the_better_single_rank():
    # 1/(0+1) = 1/(0+2) + 1/(0+2): the same sum, once from a first place and once from two second places.
    fused = reciprocal_rank_fusion([ranked("dense", "first", "twice"), ranked("keyword", "other", "twice")], k=0)
    assert ids(fused) == ["other", "first", "twice"]


def test_ties_then_go_to_the_better_keyword_rank():
    assert ids(reciprocal_rank_fusion([ranked("dense", "a", "b"), ranked("keyword", "b", "a")])) == ["b", "a"]


def test_ties_then_go_to_the_id():
    assert ids(reciprocal_rank_fusion([ranked("dense", "z"), ranked("dense", "y")])) == ["y", "z"]


def test_an_identifier_is_never_fused_away():
    prose = [f"p{place}" for place in range(20)]
    mentions = [f"m{place}" for place in range(19)]
    fused = reciprocal_rank_fusion(
        [
            ranked("dense", *prose, weight=list_weight("dense")),
            ranked("keyword", *prose, weight=list_weight("keyword")),
            ranked("exact", *mentions, "asked", weight=list_weight("exact")),
        ]
    )
    assert set(ids(fused)[:20]) == {*mentions, "asked"}


def test_references_come_after_what_was_found():
    fused = reciprocal_rank_fusion(
        [ranked("dense", "found"), ranked("reference", "pointed at", weight=list_weight("reference"))]
    )
    assert ids(fused) == ["found", "pointed at"]


def test_references_come_far_enough_up_to_be_reranked():
    fused = reciprocal_rank_fusion(
        [
            ranked("dense", *(f"d{place}" for place in range(20))),
            ranked("keyword", *(f"k{place}" for place in range(20))),
            ranked("reference", "pointed at", weight=list_weight("reference")),
        ]
    )
    assert "pointed at" in ids(fused)[:20]


def test_the_dense_list_steps_back_where_the_model_does_not_know_the_language():
    assert list_weight("dense", model_knows_language=False) == UNKNOWN_LANGUAGE_DENSE_WEIGHT
    assert list_weight("keyword", model_knows_language=False) == list_weight("keyword")
    words = [f"k{place}" for place in range(20)]
    fused = reciprocal_rank_fusion(
        [
            ranked("dense", *(f"d{place}" for place in range(20)), weight=UNKNOWN_LANGUAGE_DENSE_WEIGHT),
            ranked("keyword", *words),
        ]
    )
    assert ids(fused)[:20] == words


@pytest.mark.parametrize(("lists", "k"), [([ranked("dense", "a", weight=-1.0)], 60), ([ranked("dense", "a")], -1)])
def test_negative_numbers_are_refused(lists: list[RankedList], k: int):
    with pytest.raises(ValueError, match="must not be negative"):
        reciprocal_rank_fusion(lists, k=k)


@given(LISTS)
def test_every_chunk_comes_out_once_and_best_first(lists: list[RankedList]):
    fused = reciprocal_rank_fusion(lists)
    assert sorted(ids(fused)) == sorted({hit["id"] for item in lists for hit in item["hits"]})
    scores = [round(hit["score"], 12) for hit in fused]
    assert scores == sorted(scores, reverse=True)


@given(LISTS, st.randoms(use_true_random=False))
def test_the_order_of_the_lists_changes_nothing(lists: list[RankedList], random):
    shuffled = list(lists)
    random.shuffle(shuffled)
    assert ids(reciprocal_rank_fusion(shuffled)) == ids(reciprocal_rank_fusion(lists))


@given(LISTS, st.sampled_from("abcdefgh"))
def test_a_first_place_more_never_lowers_a_chunk(lists: list[RankedList], chunk_id: str):
    before = ids(reciprocal_rank_fusion([*lists, ranked("keyword", *"abcdefgh")]))
    after = ids(reciprocal_rank_fusion([*lists, ranked("keyword", *"abcdefgh"), ranked("keyword", chunk_id)]))
    assert after.index(chunk_id) <= before.index(chunk_id)
    assert RRF_K == 60


async def test_the_node_fuses_what_the_state_holds():
    out = await fuse({"lists": [ranked("dense", "a", "b"), ranked("keyword", "b")]}, Runtime())
    assert ids(out["fused"]) == ["b", "a"]
