"""Files and manifests to documents, one file at a time; what can't be read is named with its reason and passed over."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from knowledge.documents import DEFAULT_TENANT, SourceDocument
from knowledge.languages import detect_language
from knowledge.loading.files import Discovery, Failure, Found, discover, document_id, unlisted_note
from knowledge.loading.parsed import Parsed, UnreadableError
from knowledge.loading.reading import MAX_FILE_BYTES, read
from knowledge.loading.titles import title_in, title_of_file

__all__ = [
    "MAX_FILE_BYTES",
    "Discovery",
    "Failure",
    "Found",
    "LoadReport",
    "SourceDocument",
    "discover",
    "iterate",
    "iterate_found",
    "load",
]


@dataclass
class LoadReport:
    """What was loaded, what was not and why, and remarks on the whole (no manifest, files passed over)."""

    documents: list[SourceDocument] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def load(paths: Sequence[Path], *, tenant: str | None = None) -> LoadReport:
    """Load folders and single files. ``tenant`` is whose the documents are where their manifest does not say."""
    report = LoadReport()
    for item in iterate(paths, tenant=tenant, notes=report.notes):
        if isinstance(item, Failure):
            report.failed.append(item)
        else:
            report.documents.append(item)
    return report


def iterate(
    paths: Sequence[Path], *, tenant: str | None = None, notes: list[str] | None = None
) -> Iterator[SourceDocument | Failure]:
    """The same one by one, so that only one document is in memory. Remarks are appended to ``notes`` as they come up."""
    return iterate_found(discover(paths), tenant=tenant, notes=notes)


def iterate_found(
    discovery: Discovery, *, tenant: str | None = None, notes: list[str] | None = None
) -> Iterator[SourceDocument | Failure]:
    """``iterate`` over what ``discover`` found before."""
    remarks = notes if notes is not None else []
    remarks.extend(discovery.notes)
    yield from discovery.failed
    taken: dict[tuple[Path, str, str], str] = {}
    unlisted: defaultdict[Path, list[str]] = defaultdict(list)
    for file in discovery.files:
        try:
            parsed = read(file)
        except UnreadableError as error:
            yield Failure(file.source, str(error))
            continue
        remarks.extend(f"{file.source}: {note}" for note in parsed.notes)
        document = _to_document(file, parsed, tenant or DEFAULT_TENANT)
        key = (file.root, document.tenant, document.document_id)
        if key in taken:
            yield Failure(
                file.source,
                f"would have the same id as {taken[key]} ({document.document_id}): give one of them an 'id' in the manifest",
            )
            continue
        taken[key] = file.source
        if file.unlisted:
            unlisted[file.root].append(file.source)
        yield document
    for names in unlisted.values():
        remarks.extend(unlisted_note(names))


def _to_document(file: Found, parsed: Parsed, tenant: str) -> SourceDocument:
    entry = file.entry
    chunker = dict(entry.chunker or {})
    name = chunker.pop("name", None)
    return SourceDocument(
        document_id=entry.id or document_id(file.source),
        title=entry.title or parsed.title or title_in(parsed.text) or title_of_file(Path(file.source).stem),
        text=parsed.text,
        pages=parsed.pages,
        source=file.source,
        root=str(file.root),
        kind=parsed.kind or file.kind,
        category=entry.category or "general",
        tenant=entry.tenant or tenant,
        language=entry.language or detect_language(parsed.text[:20_000]),
        status=entry.status or "active",
        updated_at=entry.updated_at,
        chunker=name,
        chunker_options=chunker,
        notice=entry.notice,
        extra=entry.extra,
    )
