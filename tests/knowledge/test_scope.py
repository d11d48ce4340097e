from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.scope import AnyOf, Scope

HELD: dict[str, Any] = {
    "tenant": "a",
    "category": "general",
    "document_id": "returns",
    "language": "en",
    "status": "active",
}
plain = st.text(st.characters(codec="ascii"), min_size=1, max_size=4)


def test_the_tenants_condition_leads_and_is_never_absent() -> None:
    assert Scope(tenant="a").conditions()[0] == AnyOf("tenant", ("a",))
    assert Scope(tenant="a", include_shared=True).conditions()[0] == AnyOf("tenant", ("a", "shared"))
    with pytest.raises(TypeError):
        Scope()  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("changes", "held", "admitted"),
    [
        ({}, {}, True),
        ({}, {"tenant": "b"}, False),
        ({}, {"tenant": "shared"}, False),
        ({"include_shared": True}, {"tenant": "shared"}, True),
        ({}, {"tenant": None}, False),
        ({"categories": ("electronics",)}, {}, True),
        ({"categories": ("electronics",)}, {"category": "clothing"}, False),
        ({"categories": ("electronics",), "allowed_categories": ("clothing",)}, {"category": "electronics"}, False),
        ({"categories": ("electronics",), "allowed_categories": ("clothing",)}, {}, True),
        ({"allowed_categories": ("clothing",)}, {"category": "clothing"}, True),
        ({"document_ids": ("other",)}, {}, False),
        ({"languages": ("en", "bg")}, {}, True),
        ({}, {"status": "repealed"}, False),
        ({"include_repealed": True}, {"status": "repealed"}, True),
        ({}, {"status": None}, True),
        ({"updated_since": date(2026, 3, 2)}, {"updated_at": "2026-03-02"}, True),
        ({"updated_since": date(2026, 3, 2)}, {"updated_at": "2026-03-02T00:00:00+00:00"}, True),
        ({"updated_since": date(2026, 3, 2)}, {"updated_at": "2026-03-02T01:00:00+02:00"}, False),
        ({"updated_since": date(2026, 3, 2)}, {}, False),
        ({"fields": {"price_tier": (1, 2)}}, {"price_tier": 2}, True),
        ({"fields": {"price_tier": (1, 2)}}, {"price_tier": 3}, False),
        ({"fields": {"price_tier": (1, 2)}}, {}, False),
        ({"fields": {"course": ("x",)}}, {"course": ["w", "x"]}, True),
        ({"fields": {"course": ()}}, {"course": "x"}, False),
    ],
)
def test_admits(changes: dict[str, Any], held: dict[str, Any], admitted: bool) -> None:
    assert Scope(tenant="a", **changes).admits({**HELD, **held}) is admitted


def test_since_is_midnight_in_utc() -> None:
    (since,) = [c for c in Scope(tenant="a", updated_since=date(2026, 1, 2)).conditions() if c.key == "updated_at"]
    assert getattr(since, "moment") == datetime(2026, 1, 2, tzinfo=UTC)  # noqa: B009


@given(tenant=plain, other=plain, categories=st.lists(plain, max_size=3), shared=st.booleans())
def test_no_other_tenant_is_ever_admitted(tenant: str, other: str, categories: list[str], shared: bool) -> None:
    scope = Scope(tenant=tenant, include_shared=shared, categories=tuple(categories), include_repealed=True)
    assert scope.admits({**HELD, "tenant": other}) == (other in scope.tenants())


@given(asked=st.lists(plain, min_size=1, max_size=3), allowed=st.lists(plain, min_size=1, max_size=3), held=plain)
def test_no_choice_of_category_goes_beyond_the_allowed(asked: list[str], allowed: list[str], held: str) -> None:
    scope = Scope(tenant="a", categories=tuple(asked), allowed_categories=tuple(allowed))
    assert scope.admits({**HELD, "category": held}) == (held == "general" or (held in asked and held in allowed))
