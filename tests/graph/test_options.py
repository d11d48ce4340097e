"""Options and questions as callers write them in JSON: what can't be used is told by its field, whatever its type."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.resources import Resources
from graph.workflow import build_graph
from knowledge.errors import BadQuestion, Forbidden
from nodes.context import Context, Defaults, Options, check_question, resolve

NAMES = [field.name for field in dataclasses.fields(Context)]
VALUES: list[Any] = [
    "5", "", None, [], {}, {"a": {}}, 5, -1, 1.5, True, ["a", None], [5], [[]], float("nan"), float("inf"), b"x", "\ud800",
    ["\ud800"], {"a": "\ud800"}, {"\ud800": "a"}, {"a": 10**30}, {5: "a"}, object(), 10**30,
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_an_option_of_a_wrong_type_is_told_by_its_field(name: str) -> None:
    for value in VALUES:
        try:
            options = resolve({name: value}, Defaults(tenant="acme"))
        except BadQuestion as error:
            assert error.field in (name, "a") and error.message.endswith(".")
            error.message.encode()
        else:
            _is_well_typed(options)


@given(
    st.sampled_from(NAMES), st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists)
)
def test_no_option_ends_in_another_error(name: str, value: Any) -> None:
    try:
        _is_well_typed(resolve({name: value}, Defaults(tenant="acme")))
    except (BadQuestion, Forbidden) as error:
        assert error.message


def _is_well_typed(options: Options) -> None:
    scope = options.scope
    assert isinstance(scope.tenant, str) and scope.tenant
    assert type(scope.include_repealed) is bool
    for names in (scope.categories, scope.allowed_categories, scope.document_ids, scope.languages):
        assert all(isinstance(name, str) for name in names)


@pytest.mark.parametrize("value", [None, "", {}, False, 0])
def test_what_limits_a_key_is_never_taken_for_no_limit(value: Any) -> None:
    with pytest.raises(BadQuestion, match="allowed_categories"):
        resolve({"allowed_categories": value}, Defaults(tenant="acme"))


def test_a_text_is_no_list_of_letters() -> None:
    with pytest.raises(BadQuestion, match="document_ids must be a list of texts, not a text"):
        resolve({"document_ids": "damage"}, Defaults(tenant="acme"))


@pytest.mark.parametrize(
    "question", [None, 5, b"refund", ["refund"], {"text": "refund"}, True, "refund \ud83d", "\udc00"]
)
async def test_a_question_that_is_no_text_is_told(resources: Resources, question: Any) -> None:
    with pytest.raises(BadQuestion) as caught:
        await build_graph(resources).ainvoke({"question": question})
    assert caught.value.field == "question"
    with pytest.raises(BadQuestion):
        check_question(question)


@pytest.mark.parametrize("context", [{"bogus": 1}, {"tenants": ["acme"]}, {"top_k": 3, "Category": "general"}])
async def test_an_unknown_option_is_told_by_its_name(resources: Resources, context: dict[str, Any]) -> None:
    for answer in (True, False):
        with pytest.raises(BadQuestion, match="Unknown option"):
            await build_graph(resources, answer=answer).ainvoke({"question": "refund"}, context=cast(Any, context))


@pytest.mark.parametrize("context", [5, "x", [1]])
async def test_options_that_are_no_object_are_told(resources: Resources, context: Any) -> None:
    with pytest.raises(BadQuestion) as caught:
        await build_graph(resources).ainvoke({"question": "refund"}, context=context)
    assert caught.value.field == "context"
