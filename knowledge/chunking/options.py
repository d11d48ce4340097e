"""What each chunker can be told, with bounds and defaults. Unknown options and bad values are named in one sentence."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from knowledge.errors import BadInput

Unit = Literal["words", "tokens", "characters"]
Limit = Annotated[int, Field(ge=1, le=100_000)]


class Options(BaseModel):
    """Sizes of one chunker. ``limit`` is the most a chunk's body may hold, in ``unit``; the heading path is not counted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    name: ClassVar[str]

    limit: Limit = 120
    unit: Unit = "words"

    @property
    def label(self) -> str:
        """A short text for the index's version: ``structural-120w``."""
        return f"{self.name}-{self.limit}{self.unit[0]}"


class StructuralOptions(Options):
    """Headings first, then sentences. ``overlap`` counts sentences that neighbours in one section share."""

    name: ClassVar[str] = "structural"
    overlap: int = Field(default=1, ge=0, le=5)

    @property
    def list_limit(self) -> int:
        """How large a list with what leads it may be, to stay whole."""
        return self.limit + self.limit // 2

    @property
    def label(self) -> str:
        """Names the overlap only where it is not the usual one sentence."""
        return super().label + ("" if self.overlap == 1 else f"-{self.overlap}s")


class WindowOptions(Options):
    """Windows that share ``overlap`` of ``limit``, both in ``unit``."""

    limit: Limit = 200
    unit: Unit = "tokens"
    overlap: int = Field(default=40, ge=0)

    @model_validator(mode="before")
    @classmethod
    def _overlap_follows_limit(cls, given: Any) -> Any:
        if (
            isinstance(given, Mapping)
            and "limit" in given
            and "overlap" not in given
            and isinstance(given["limit"], int)
        ):
            return {**given, "overlap": given["limit"] // 5}
        return given

    @model_validator(mode="after")
    def _overlap_under_limit(self) -> WindowOptions:
        if self.overlap >= self.limit:
            raise ValueError(f"overlap ({self.overlap}) must be smaller than limit ({self.limit})")
        return self

    @property
    def label(self) -> str:
        """Limit and overlap: ``fixed-200t-40``."""
        return f"{super().label}-{self.overlap}"


class RecursiveOptions(WindowOptions):
    """The largest pieces that fit, cut at a blank line, else a line end, else a sentence end, else a blank."""

    name: ClassVar[str] = "recursive"


class FixedOptions(WindowOptions):
    """Windows of ``limit``, each ``limit - overlap`` further on."""

    name: ClassVar[str] = "fixed"


class SemanticOptions(Options):
    """Cuts where neighbouring sentences differ more than ``percentile`` percent of all neighbours do."""

    name: ClassVar[str] = "semantic"
    limit: Limit = 200
    percentile: float = Field(default=95.0, ge=0, le=100, strict=False)

    @property
    def label(self) -> str:
        """Limit and percentile: ``semantic-200w-p95``."""
        return f"{super().label}-p{self.percentile:g}"


class ParentChildOptions(Options):
    """Children of at most ``limit`` are searched; their parents, of at most ``parent_limit``, go to the model."""

    name: ClassVar[str] = "parent_child"
    limit: Limit = 60
    parent_limit: Limit = 300

    @model_validator(mode="after")
    def _parent_over_child(self) -> ParentChildOptions:
        if self.parent_limit < self.limit:
            raise ValueError(f"parent_limit ({self.parent_limit}) must not be smaller than limit ({self.limit})")
        return self

    @property
    def label(self) -> str:
        """Both limits: ``parent_child-60w-300``."""
        return f"{super().label}-{self.parent_limit}"


class LegalOptions(Options):
    """One article a chunk; an article over ``limit`` is cut at its paragraphs."""

    name: ClassVar[str] = "legal"
    limit: Limit = 300


OPTIONS: dict[str, type[Options]] = {
    cls.name: cls
    for cls in (
        StructuralOptions,
        RecursiveOptions,
        FixedOptions,
        SemanticOptions,
        ParentChildOptions,
        LegalOptions,
    )
}


def parse_options(name: str, given: Mapping[str, Any] | None = None) -> Options:
    """The options of the chunker ``name``. Raises ``BadInput`` that names the option which can't be used, and why."""
    cls = OPTIONS.get(name)
    if cls is None:
        meant = difflib.get_close_matches(name, OPTIONS, n=1)
        advice = f"did you mean {meant[0]!r}? There are" if meant else "choose one of"
        raise BadInput(f"Unknown chunker {name!r}: {advice} {', '.join(OPTIONS)}.", field="chunker")
    try:
        return cls.model_validate(dict(given or {}))
    except ValidationError as error:
        raise BadInput(f"Chunker {name}: {explain(error, tuple(cls.model_fields))}.", field="chunker") from None


def explain(error: ValidationError, known: tuple[str, ...] = ()) -> str:
    """The first complaint of a failed check as half a sentence with the field's name."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"unknown option {where!r}" + (f" (known: {', '.join(known)})" if known else "")
    message = first["msg"].removeprefix("Value error, ")
    message = message[:1].lower() + message[1:]
    if not where:
        return message
    # What our own checks say of a value may name it, or the part of it that is wrong.
    named = repr(first["input"]) in message or isinstance(first["input"], (dict, list))
    return f"{where}: {message}" if named else f"{where}: {message}, got {first['input']!r}"
