"""``manifest.json``: what a folder says of its documents. Checked entry by entry, so that one bad entry costs one document.

{"defaults": {"tenant": "acme"},
 "documents": {"leave.md": {"title": "Leave", "category": "hr", "chunker": {"name": "structural", "limit": 80}}}}
"""

from __future__ import annotations

import difflib
import json
import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from knowledge.chunking.options import explain, parse_options
from knowledge.chunking.pieces import RESERVED_KEYS
from knowledge.documents import FieldValue
from knowledge.errors import BadInput

MANIFEST_NAME = "manifest.json"
MAX_MANIFEST_BYTES = 20_000_000
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def _as_moment(value: Any) -> str:
    """An ISO date as it is, an ISO time in UTC (a time without an offset is UTC already)."""
    if not isinstance(value, str):
        raise ValueError("must be a date such as 2026-03-02")
    try:
        if len(value) <= 10:
            return date.fromisoformat(value).isoformat()
        moment = datetime.fromisoformat(value)
        return (moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()
    except (ValueError, OverflowError):  # the first and last hours of the calendar have no time in UTC
        raise ValueError("must be a date such as 2026-03-02, or a time such as 2026-03-02T10:00:00Z") from None


def _as_chunker(value: Any) -> dict[str, Any]:
    """``"legal"`` or ``{"name": "legal", "limit": 200}``, checked against that chunker's options."""
    choice = {"name": value} if isinstance(value, str) else value
    if not isinstance(choice, dict) or not isinstance(choice.get("name"), str):
        raise ValueError('must be a name, or an object such as {"name": "structural", "limit": 120}')
    try:
        parse_options(choice["name"], {key: option for key, option in choice.items() if key != "name"})
    except BadInput as error:
        raise ValueError(error.message.rstrip(".")) from None
    return choice


def _shaped(pattern: str, wanted: str) -> AfterValidator:
    """A text of that shape; its complaint says ``wanted`` in words, since a pattern tells most people nothing."""

    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(f"must be {wanted}")
        return value

    return AfterValidator(check)


Text = Annotated[str, Field(max_length=1000), _shaped(r"(?s).*\S.*", "a text that is not empty")]


class Entry(BaseModel):
    """One document's metadata. Any further field may hold a text, number, true or false, or a list of one of these."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    id: Annotated[str, _shaped(r"[\w.-]{1,200}", "letters, digits, '.', '_' and '-' alone, at most 200")] | None = None
    title: Text | None = None
    category: Text | None = None
    tenant: Text | None = None
    language: (
        Annotated[str, _shaped(r"[a-z]{2,3}", "a language's code of two or three letters, such as 'en'")] | None
    ) = None
    status: Literal["active", "repealed"] | None = None
    updated_at: Annotated[str, BeforeValidator(_as_moment)] | None = None
    chunker: Annotated[dict[str, Any], BeforeValidator(_as_chunker)] | None = None
    notice: Text | None = None

    @model_validator(mode="after")
    def _further_fields_are_plain(self) -> Entry:
        known = list(type(self).model_fields)
        for name, value in self.extra.items():
            meant = difflib.get_close_matches(name, known, n=1, cutoff=0.8)
            if meant:
                raise ValueError(f"unknown field {name!r}, did you mean {meant[0]!r}")
            if name in RESERVED_KEYS or name.startswith("_"):
                raise ValueError(f"field {name!r} is the index's own, choose another name")
            if not name.replace("_", "").replace("-", "").isalnum():
                raise ValueError(f"field {name!r} must be a name of letters, digits, '_' and '-'")
            if not _is_plain(value):
                raise ValueError(f"field {name!r} must hold a text, a number, true or false, or a list of one of these")
        return self

    @property
    def extra(self) -> dict[str, FieldValue]:
        """The further fields."""
        return dict(self.model_extra or {})

    def over(self, defaults: Entry) -> Entry:
        """This entry, with ``defaults`` where it says nothing. The chunker is taken whole, never mixed."""
        given = self.model_dump(exclude_unset=True)
        return Entry.model_construct(**{**defaults.model_dump(exclude_unset=True), **given})


def _is_plain(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    kinds = {type(one) for one in values}
    return (
        kinds <= {str, int, float, bool}
        and (len(kinds) <= 1 or kinds == {int, float})
        and all(math.isfinite(one) for one in values if isinstance(one, float))
        and all(-(2**63) <= one < 2**63 for one in values if isinstance(one, int))
        and not any(_HALF_CHARACTER.search(one) for one in values if isinstance(one, str))
    )


@dataclass(frozen=True)
class Manifest:
    """The entries of one folder by file (its path under the folder, NFC), defaults applied; and what is wrong with others."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    bad: Mapping[str, str] = field(default_factory=dict)
    defaults: Entry = field(default_factory=Entry)


def read_manifest(path: Path) -> Manifest:
    """Read and check a ``manifest.json``. Raises ``BadInput`` where the whole of it can't be used.

    An entry that can't be used is not raised but told in ``Manifest.bad``.
    """
    given = _read_json(path)
    unknown = [key for key in given if key not in ("defaults", "documents")]
    if unknown:
        raise BadInput(f"unknown key {unknown[0]!r} (known: defaults, documents).", field=unknown[0])
    raw_defaults, raw_documents = given.get("defaults", {}), given.get("documents", {})
    for name, value in (("defaults", raw_defaults), ("documents", raw_documents)):
        if not isinstance(value, dict):
            raise BadInput(f"{name!r} must be an object.", field=name)
    if "id" in raw_defaults or "title" in raw_defaults:
        raise BadInput("an id or a title belongs to one document, not to 'defaults'.", field="defaults")
    try:
        defaults = Entry.model_validate(raw_defaults)
    except ValidationError as error:
        raise BadInput(f"defaults: {explain(error)}.", field="defaults") from None
    entries: dict[str, Entry] = {}
    bad: dict[str, str] = {}
    for file, raw in raw_documents.items():
        name = normal_name(file)
        try:
            _check_name(name)
            if name in entries or name in bad:
                entries.pop(name, None)
                raise ValueError("the file is named twice, in two spellings")
            if not isinstance(raw, dict):
                raise ValueError("it must be an object")
            entries[name] = Entry.model_validate(raw).over(defaults)
        except ValidationError as error:
            bad[name] = f"its entry in {MANIFEST_NAME} can't be used: {explain(error)}."
        except ValueError as error:
            bad[name] = f"its entry in {MANIFEST_NAME} can't be used: {error}."
    return Manifest(entries, bad, defaults)


def normal_name(file: str) -> str:
    """A file's name as manifests and folders compare it: composed letters (NFC), ``/``, no leading ``./``."""
    return PurePosixPath(unicodedata.normalize("NFC", file).replace("\\", "/")).as_posix()


def _check_name(name: str) -> None:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError("it leads out of the folder, and a manifest speaks only of files beside and below it")


def _read_json(path: Path) -> dict[str, Any]:
    if path.stat().st_size > MAX_MANIFEST_BYTES:
        raise BadInput(f"it is over {MAX_MANIFEST_BYTES // 1_000_000} MB, which no manifest needs.")
    try:
        given = json.loads(path.read_text("utf-8-sig"), object_pairs_hook=_no_twins)
    except UnicodeDecodeError:
        raise BadInput("it is not UTF-8: save it as UTF-8.") from None
    except RecursionError:
        raise BadInput("it is nested too deep.") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"it is not JSON: {error.msg} in line {error.lineno}, column {error.colno}.") from None
    except ValueError:  # Python reads no integer of more than 4,300 digits
        raise BadInput("it holds a number of thousands of digits.") from None
    if not isinstance(given, dict):
        raise BadInput('it must be an object: {"defaults": {...}, "documents": {"file.md": {...}}}.')
    return given


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in pairs:
        if key in out:
            raise BadInput(f"the key {key!r} stands there twice.", field=key)
        out[key] = value
    return out
