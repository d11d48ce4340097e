"""What the rerank node does to an order beside scoring it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nodes.rerank import behind_first, with_asked, with_nearest
from nodes.state import Hit, RankedList


def ranking(text: str) -> list[Hit]:
    return [Hit(id=name, score=float(-place)) for place, name in enumerate(text)]


def dense(text: str) -> list[RankedList]:
    return [RankedList(query="q", kind="dense", weight=1.0, hits=ranking(text))]


def order(hits: list[Hit]) -> str:
    return "".join(hit["id"] for hit in hits)


def test_what_a_withdrawn_entry_sends_to_comes_right_behind_it() -> None:
    assert order(behind_first(ranking("abcd"), ["d", "c"])) == "adcb"
    assert order(behind_first(ranking("abcd"), ["x"])) == "axbcd"
    assert order(behind_first(ranking("abcd"), [])) == "abcd"
    assert behind_first([], ["x"]) == []


def test_one_of_the_two_nearest_is_never_ranked_out_of_the_context() -> None:
    assert order(with_nearest(ranking("abcdefg"), dense("agb"), place=5)) == "abcdgef"
    assert order(with_nearest(ranking("abcdefg"), dense("fg"), place=5)) == "abcdfeg"
    assert order(with_nearest(ranking("abcdefg"), dense("ab"), place=5)) == "abcdefg"
    assert order(with_nearest(ranking("ab"), dense("b"), place=1)) == "ab"
    assert order(with_nearest(ranking("abc"), [], place=2)) == "abc"


def exact(*texts: str) -> list[RankedList]:
    return [RankedList(query=text, kind="exact", weight=4.0, hits=ranking(text)) for text in texts]


def test_what_is_asked_for_by_name_is_never_ranked_out_of_the_context() -> None:
    assert order(with_asked(ranking("abcdefg"), exact("fa"), place=5)) == "abcdfeg"
    assert order(with_asked(ranking("abcdefg"), exact("ba"), place=5)) == "abcdefg"
    assert order(with_asked(ranking("abcdefg"), exact("e", "f", "g"), place=5)) == "abefgcd"
    assert order(with_asked(ranking("abcdefg"), exact("f"), place=1)) == "fabcdeg"
    assert order(with_asked(ranking("abc"), dense("c"), place=2)) == "abc"


@given(st.permutations("abcdefgh"), st.lists(st.permutations("abcdefgh"), max_size=4), st.integers(1, 8))
def test_each_asked_for_is_among_the_first_as_far_as_there_is_room(
    found: list[str], asked: list[list[str]], place: int
) -> None:
    out = order(with_asked(ranking("".join(found)), exact(*map("".join, asked)), place=place))
    assert sorted(out) == sorted(found)
    firsts = list(dict.fromkeys(one[0] for one in asked))[:place]
    assert set(firsts) <= set(out[:place])


@given(st.permutations("abcdefgh"), st.permutations("abcdefgh"), st.integers(1, 8))
def test_nothing_is_lost_and_scores_never_rise_down_the_order(ranked: list[str], near: list[str], place: int) -> None:
    out = with_nearest(ranking("".join(ranked)), dense("".join(near)), place=place)
    assert sorted(order(out)) == sorted(ranked)
    assert out[0]["id"] == ranked[0] or place == 1
    scores = [hit["score"] for hit in out]
    assert scores == sorted(scores, reverse=True)
