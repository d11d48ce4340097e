"""Which files an ingest reads: the folder walked in order, with its manifests, links and doubles minded."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from knowledge.documents import DocumentKind
from knowledge.errors import BadInput
from knowledge.manifest import MANIFEST_NAME, Entry, Manifest, normal_name, read_manifest

KIND_OF_SUFFIX: dict[str, DocumentKind] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".docx": "docx",
}
#: Documents that people expect to be read, and what to do instead.
_ADVICE = {
    **dict.fromkeys((".doc", ".rtf", ".odt", ".docm", ".dotx", ".pages", ".wpd", ".epub"), "save it as .docx or .pdf"),
    **dict.fromkeys((".ppt", ".pptx", ".xls", ".xlsx", ".odp", ".ods"), "save it as .pdf"),
}


_NO_LETTERS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that was not loaded, and why, as the end of a sentence that begins with its name."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read. ``source`` is its path under ``root``; ``entry`` what its manifest says, or its defaults where it is
    ``unlisted`` there.
    """

    path: Path
    root: Path
    source: str
    kind: DocumentKind
    entry: Entry
    unlisted: bool = False


@dataclass
class Discovery:
    """Files to read, in order, those that can't be, and remarks on the whole."""

    files: list[Found] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def discover(paths: Sequence[Path]) -> Discovery:
    """Look at folders (with everything below) and single files, without reading a document."""
    found = Discovery()
    for path in paths:
        place = Path(path)
        try:
            is_folder, is_file = place.is_dir(), place.is_file()
        except OSError as error:
            found.failed.append(Failure(str(path), f"can't be opened: {error.strerror or error}"))
            continue
        if is_folder:
            _Walk(place.resolve(), found).folder()
        elif is_file:
            root = place.parent.resolve()
            _Walk(root, found).single(root / place.name)
        else:
            found.failed.append(Failure(str(path), "is not there: no such file or folder"))
    found.files = list({(file.root, file.source): file for file in found.files}.values())
    return found


def is_folder(path: Path) -> bool:
    """Whether it is a folder; a name that no file can have, or a place that can't be looked at, is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


class _Walk:
    """One root being walked."""

    def __init__(self, root: Path, found: Discovery) -> None:
        self.root = root
        self.found = found
        self.above = len(str(root / "x")) - 1  # characters of a path that are the root's
        self.without_manifest = 0
        self.with_manifest = 0
        self.others: list[str] = []

    def folder(self) -> None:
        before = len(self.found.files) + len(self.found.failed)
        self._folder(self.root, None, self.root)
        if len(self.found.files) + len(self.found.failed) == before:
            kinds = ", ".join(KIND_OF_SUFFIX)
            self.found.failed.append(Failure(str(self.root), f"holds no documents that can be read ({kinds})"))
        if self.without_manifest and not self.with_manifest:
            self._note(f"No {MANIFEST_NAME} in {self.root.name}: titles come from the documents, category 'general'.")
        if self.others:
            self._note(f"{len(self.others)} files of other kinds were passed over: {_first(self.others)}")

    def single(self, path: Path) -> None:
        manifest: Manifest | None = None
        if (self.root / MANIFEST_NAME).is_file():
            manifest = self._manifest(self.root)
            if manifest is None:
                return
        self._file(path, manifest, self.root, named=True)

    def _folder(self, folder: Path, manifest: Manifest | None, manifest_root: Path) -> None:
        """The nearest manifest above a file speaks of it, so that a folder of shelves is read as each shelf says."""
        try:
            with os.scandir(folder) as entries:  # each knows already whether it is a link
                inside = sorted(entries, key=lambda one: unicodedata.normalize("NFC", one.name))
            has_manifest = (folder / MANIFEST_NAME).is_file()
        except OSError as error:
            self._fail(folder, f"can't be opened: {error.strerror or error}")
            return
        if has_manifest:
            manifest, manifest_root = self._manifest(folder), folder
            if manifest is None:
                return
            self._missing(folder, manifest)
        for one in inside:
            if one.name.startswith((".", "~$")) or one.name == MANIFEST_NAME:
                continue
            path = folder / one.name
            if one.is_symlink() and not self._stays_inside(path):
                continue
            if path.is_dir():
                if one.is_symlink():
                    self._note(f"{self._source(path)} is a link to a folder that is read where it stands.")
                else:
                    self._folder(path, manifest, manifest_root)
            else:
                self._file(path, manifest, manifest_root)

    def _file(self, path: Path, manifest: Manifest | None, manifest_root: Path, *, named: bool = False) -> None:
        entry = None
        if manifest is not None:
            name = normal_name(path.relative_to(manifest_root).as_posix())
            if name in manifest.bad:
                self._fail(path, manifest.bad[name])
                return
            entry = manifest.entries.get(name)
        suffix = path.suffix.lower()
        kind = KIND_OF_SUFFIX.get(suffix)
        if kind is None:
            if named or entry or suffix in _ADVICE:
                advice = _ADVICE.get(suffix, "read are " + ", ".join(KIND_OF_SUFFIX))
                self._fail(path, f"is of a kind that can't be read ({suffix or 'no suffix'}): {advice}")
            else:
                self.others.append(self._source(path))
            return
        try:
            ordinary = stat.S_ISREG(path.stat().st_mode)
        except OSError as error:  # it was there a moment ago
            self._fail(path, f"can't be opened: {error.strerror or error}")
            return
        if not ordinary:
            self._fail(path, "is not an ordinary file")
            return
        if manifest is None:
            self.without_manifest += 1
        else:
            self.with_manifest += 1
        unlisted = manifest is not None and entry is None
        entry = entry or (manifest.defaults if manifest else Entry())
        self.found.files.append(Found(path, self.root, self._source(path), kind, entry, unlisted))

    def _manifest(self, folder: Path) -> Manifest | None:
        """The folder's manifest; where it can't be used nothing under it is read, lest a document come under a wrong tenant."""
        path = folder / MANIFEST_NAME
        if path.is_symlink() and not self._stays_inside(path):
            return None
        try:
            return read_manifest(path)
        except BadInput as error:
            self._fail(path, f"{error.message} Nothing in its folder was loaded")
        except OSError as error:
            self._fail(path, f"can't be opened: {error.strerror or error}. Nothing in its folder was loaded")
        return None

    def _missing(self, folder: Path, manifest: Manifest) -> None:
        there = {normal_name(path) for path in _names(folder)}
        for name in (*manifest.entries, *manifest.bad):
            if name not in there:
                reason = manifest.bad.get(name) or f"is named in {MANIFEST_NAME}, but there is no such file"
                self._fail(folder / name, reason)

    def _stays_inside(self, path: Path) -> bool:
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError):
            self._fail(path, "is a link that leads nowhere")
            return False
        if not target.is_relative_to(self.root):
            self._fail(path, "is a link that leads out of the folder, and was not followed")
            return False
        return True

    def _source(self, path: Path) -> str:
        return unicodedata.normalize("NFC", str(path)[self.above :].replace(os.sep, "/"))

    def _fail(self, path: Path, reason: str) -> None:
        self.found.failed.append(Failure(self._source(path) if path != self.root else str(path), reason.rstrip(".")))

    def _note(self, note: str) -> None:
        self.found.notes.append(note)


def unlisted_note(names: Sequence[str]) -> list[str]:
    """One line for all files that were loaded and that no manifest names: a folder may hold thousands."""
    if len(names) == 1:
        return [f"{names[0]} is not in {MANIFEST_NAME}: it was loaded with the defaults."]
    if not names:
        return []
    return [f"{len(names)} files are not in {MANIFEST_NAME} and were loaded with the defaults: {_first(names)}"]


def _first(names: Sequence[str]) -> str:
    """Five names, and that there are more; with what ends the sentence."""
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else ".")


def _names(folder: Path) -> Iterator[str]:
    """Every file below the folder, as its manifest would name it; links are not walked."""
    for place, _, files in os.walk(folder):
        for name in files:
            yield (Path(place) / name).relative_to(folder).as_posix()


def document_id(source: str) -> str:
    """A readable id from the file's path: ``hr/Leave rules 2024.md`` is ``hr-leave-rules-2024``. It depends on no other file."""
    stem = PurePosixPath(source).with_suffix("").as_posix()
    return slug(stem) or "document"


def slug(text: str) -> str:
    """Lower case, letters and digits of any script, everything else a single ``-``."""
    if text.isascii():
        return _NO_LETTERS.sub("-", text.lower()).strip("-")
    kept = (c if unicodedata.category(c)[0] in "LMN" else "-" for c in unicodedata.normalize("NFC", text).lower())
    return "-".join(part for part in "".join(kept).split("-") if part)
