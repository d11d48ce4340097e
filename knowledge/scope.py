"""Who asks, and what may be seen: one value that every list, fetch, count and facet is searched under.

The scope is security. It is compiled once into engine-neutral conditions, which each engine translates to its own filter;
``admits`` is the same rule in plain Python, so that tests can hold an engine to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

GENERAL_CATEGORY = "general"
SHARED_TENANT = "shared"
REPEALED = "repealed"

#: The manifest's own fields that a scope filters on; any other field is reached through ``Scope.fields``.
FILTER_KEYS = ("tenant", "category", "document_id", "language", "status", "updated_at")


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The metadata key holds one of these values."""

    key: str
    values: tuple[str | int | bool, ...]


@dataclass(frozen=True, slots=True)
class NoneOf:
    """The metadata key holds none of these values (a missing key passes)."""

    key: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Since:
    """The metadata key holds this time (UTC) or a later one; a missing key fails."""

    key: str
    moment: datetime


Condition = AnyOf | NoneOf | Since


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What one caller may see. The tenant is never optional.

    Attributes:
        tenant: the caller's tenant; ``include_shared`` adds the tenant named ``shared``.
        categories: the categories asked for, widened by ``general``; empty means all.
        allowed_categories: the categories that the caller may see at all, and ``general``; empty means all. A condition of its
            own, so that no choice of ``categories`` goes beyond it.
        document_ids, languages: empty means all.
        include_repealed: also documents whose status is ``repealed``.
        updated_since: only documents updated on that day (UTC) or later.
        fields: further manifest fields, each equal to one of the values.
    """

    tenant: str
    include_shared: bool = False
    categories: tuple[str, ...] = ()
    allowed_categories: tuple[str, ...] = ()
    document_ids: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    include_repealed: bool = False
    updated_since: date | None = None
    fields: Mapping[str, tuple[str | int | bool, ...]] = field(default_factory=dict)

    def tenants(self) -> tuple[str, ...]:
        """The tenants whose chunks may be seen."""
        return (self.tenant, SHARED_TENANT) if self.include_shared else (self.tenant,)

    def tenant_condition(self) -> AnyOf:
        """The condition that no search goes without; also the corpus that IDF is counted over."""
        return AnyOf("tenant", self.tenants())

    def conditions(self) -> tuple[Condition, ...]:
        """All conditions, joined by AND, the tenant's first."""
        out: list[Condition] = [self.tenant_condition()]
        for names in (self.allowed_categories, self.categories):
            if names:
                out.append(AnyOf("category", tuple(dict.fromkeys((*names, GENERAL_CATEGORY)))))
        if self.document_ids:
            out.append(AnyOf("document_id", self.document_ids))
        if self.languages:
            out.append(AnyOf("language", self.languages))
        if not self.include_repealed:
            out.append(NoneOf("status", (REPEALED,)))
        if self.updated_since is not None:
            moment = datetime(self.updated_since.year, self.updated_since.month, self.updated_since.day, tzinfo=UTC)
            out.append(Since("updated_at", moment))
        out.extend(AnyOf(key, values) for key, values in self.fields.items())
        return tuple(out)

    def admits(self, metadata: Mapping[str, Any]) -> bool:
        """The same rule in plain Python, for a chunk's metadata."""
        return all(_holds(condition, metadata) for condition in self.conditions())


def _holds(condition: Condition, metadata: Mapping[str, Any]) -> bool:
    value = metadata.get(condition.key)
    if isinstance(condition, Since):
        if not value:
            return False
        moment = datetime.fromisoformat(str(value))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) >= condition.moment
    held = set(value) if isinstance(value, (list, tuple)) else {value}
    if isinstance(condition, AnyOf):
        return bool(held & set(condition.values))
    return not held & set(condition.values)
