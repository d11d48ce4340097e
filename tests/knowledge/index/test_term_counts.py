from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.index import terms
from knowledge.index.terms import TermChanges, TermCounts

chunks = st.lists(st.lists(st.integers(0, 40), unique=True, max_size=12), max_size=30)


@given(came=chunks, went=st.integers(0, 30), few=st.sampled_from([0, 5, 1 << 16]))
def test_changes_are_what_counting_one_by_one_gives(came: list[list[int]], went: int, few: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terms, "_FEW", few)
        added, then = TermChanges(), TermChanges()
        expected: Counter[int] = Counter()
        for tokens in came:
            added.add(tokens, by=1)
            expected.update(tokens)
        first = TermCounts.empty().changed({"a": len(came)}, {"a": added})
        for tokens in came[:went]:
            then.add(tokens, by=-1)
            expected.subtract(tokens)
        last = first.changed({"a": -len(came[:went])}, {"a": then})
    left = len(came) - len(came[:went])
    assert last.idf(range(41), ["a"]) == pytest.approx(
        {token: terms.idf(left, holding) for token, holding in expected.items() if holding > 0}
    )


def test_large_token_numbers_stay_whole() -> None:
    most = 2**32 - 1
    changes = TermChanges()
    changes.add([most, 0], by=1)
    assert changes.onto(np.empty((2, 0), dtype=np.uint32)).tolist() == [[0, most], [1, 1]]
