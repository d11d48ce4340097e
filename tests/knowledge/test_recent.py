"""The memory of what was read lately."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from knowledge.recent import Recent


def read(recent: Recent[int, str], keys: list[int]) -> dict[int, str]:
    found = recent.among(keys)
    missing = {key: str(key) for key in keys if key not in found}
    recent.remember(missing)
    return {**found, **missing}


@given(st.lists(st.lists(st.integers(0, 40), max_size=9, unique=True)), st.integers(1, 24))
def test_values_are_right_and_few(asked: list[list[int]], most: int):
    recent: Recent[int, str] = Recent(most)
    for keys in asked:
        assert read(recent, keys) == {key: str(key) for key in keys}
        assert len(recent) <= max(most, 2 * 9)


def test_what_is_asked_for_often_stays():
    recent: Recent[int, str] = Recent(8)
    recent.remember({0: "0"})
    for other in range(1, 50):
        assert 0 in recent.among([0])
        recent.remember({other: str(other)})
    assert 1 not in recent.among([1])


def test_the_last_values_are_all_there():
    recent: Recent[int, str] = Recent(16)
    for key in range(100):
        recent.remember({key: str(key)})
        wanted = range(max(0, key - 7), key + 1)
        assert recent.among(wanted).keys() == set(wanted)


def test_threads_read_what_they_asked_for():
    recent: Recent[int, str] = Recent(10)

    def ask(start: int) -> bool:
        keys = [(start + step) % 23 for step in range(4)]
        return all(read(recent, keys) == {key: str(key) for key in keys} for _ in range(200))

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(ask, range(40)))
