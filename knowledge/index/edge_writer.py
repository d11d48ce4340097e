"""Building an embedded version: a copy of the one it starts from, changed, flushed, and put beside the others in one step."""

from __future__ import annotations

import os
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from knowledge.index import version_files
from knowledge.index.edge_shard import Shard, compile_filter
from knowledge.index.layout import CONTENT_KEY, DENSE, METADATA_KEY, SPARSE, point_id
from knowledge.index.port import ChunkPoint, IndexSpec
from knowledge.index.room import TO_BEGIN, TO_WRITE, need_room, size_of
from knowledge.index.terms import TermChanges, TermCounts
from knowledge.scope import AnyOf


class EdgeWriter:
    """See ``IndexWriter``. ``EdgeStore.writer`` makes it; ``publish`` is how the store makes a version live."""

    def __init__(
        self, target: Path, spec: IndexSpec, *, base: Path | None, kept: bool, publish: Callable[[str], None]
    ) -> None:
        self._target = target
        self._building = target.parent / f"{version_files.BUILDING}{target.name}"
        self._spec, self._base, self._kept, self._publish = spec, base, kept, publish
        self._reading: Shard | None = None
        self._writing: Shard | None = None
        self._chunks: Counter[str] = Counter()
        self._tokens: defaultdict[str, TermChanges] = defaultdict(TermChanges)

    @property
    def name(self) -> str:
        """The version's name once it is committed."""
        return self._target.name

    @property
    def spec(self) -> IndexSpec:
        """What it is built with."""
        return self._spec

    def tenants(self, source_roots: Sequence[str] | None) -> list[str]:
        """See ``IndexWriter``."""
        shard = self._readable()
        if shard is None or (source_roots is not None and not source_roots):
            return []
        where = [] if source_roots is None else [AnyOf("source_root", tuple(source_roots))]
        return sorted(shard.facet("tenant", compile_filter(where)))

    def stored(self, tenant: str) -> dict[str, dict[str, Any]]:
        """See ``IndexWriter``."""
        shard = self._readable()
        if shard is None:
            return {}
        where = compile_filter([AnyOf("tenant", (tenant,))])
        found = (payload[METADATA_KEY] for _, payload in shard.scroll(where, content=False))
        return {str(metadata["chunk_id"]): metadata for metadata in found}

    def vectors(self, tenant: str, chunk_ids: Sequence[str]) -> dict[str, list[float]]:
        """See ``IndexWriter``."""
        shard = self._readable()
        if shard is None or not chunk_ids:
            return {}
        by_point = {point_id(tenant, at): at for at in chunk_ids}
        return {by_point[at]: vector for at, vector in shard.vectors(list(by_point), DENSE).items()}

    def texts(self, tenant: str, chunk_ids: Sequence[str]) -> dict[str, str]:
        """See ``IndexWriter``."""
        shard = self._readable()
        if shard is None or not chunk_ids:
            return {}
        by_point = {UUID(point_id(tenant, at)).int: at for at in chunk_ids}
        return {by_point[at]: str(payload[CONTENT_KEY]) for at, payload in shard.payloads(list(by_point)).items()}

    def upsert(self, points: Sequence[ChunkPoint]) -> None:
        """See ``IndexWriter``."""
        if not points:
            return
        shard = self._writable()
        need_room(self._building, TO_WRITE)
        metadatas = [point.document.metadata for point in points]
        self._forget([(str(m["tenant"]), str(m["chunk_id"])) for m in metadatas], shard)
        shard.index_fields(self._spec.fields, metadatas)
        shard.upsert(points)
        fresh: defaultdict[str, list[int]] = defaultdict(list)
        for point in points:
            if not point.is_parent:
                tenant = str(point.document.metadata["tenant"])
                self._chunks[tenant] += 1
                fresh[tenant].extend(point.sparse.indices)
        for tenant, tokens in fresh.items():
            self._tokens[tenant].add(tokens, by=1)

    def delete(self, tenant: str, chunk_ids: Sequence[str]) -> None:
        """See ``IndexWriter``."""
        if not chunk_ids:
            return
        shard = self._writable()
        self._forget([(tenant, at) for at in chunk_ids], shard)
        shard.delete([point_id(tenant, at) for at in chunk_ids])

    def commit(self, *, live: bool = True) -> None:
        """See ``IndexWriter``. The folder takes its name only when every byte of it is on disk."""
        shard = self._writable()
        need_room(
            self._building, TO_WRITE + size_of(self._building)
        )  # big segments are written anew, with their graphs
        shard.finish()
        shard.close()
        self._writing = None
        terms = TermCounts.open(self._base) if self._base else TermCounts.empty()
        terms.changed(self._chunks, self._tokens).save(self._building)
        version_files.write(self._building, self._spec, created_at=datetime.now(UTC), kept=self._kept)
        version_files.sync(self._building)
        self._building.rename(self._target)
        version_files.sync_folder(self._target.parent)
        if live:
            self._publish(self.name)

    def abort(self) -> None:
        """See ``IndexWriter``."""
        if self._writing is not None:
            self._writing.close()
            self._writing = None
        shutil.rmtree(self._building, ignore_errors=True)

    def _forget(self, pairs: Sequence[tuple[str, str]], shard: Shard) -> None:
        """Take the sparse vectors that are about to go out of the counts."""
        tenants = {point_id(*pair): pair[0] for pair in pairs}
        for at, sparse in shard.vectors(list(tenants), SPARSE).items():
            self._chunks[tenants[at]] -= 1
            self._tokens[tenants[at]].add(sparse.indices, by=-1)

    def _readable(self) -> Shard | None:
        if self._writing is not None or self._base is None:
            return self._writing
        if self._reading is None:
            self._reading = Shard.open(self._base / version_files.SHARD)
        return self._reading

    def _writable(self) -> Shard:
        if self._writing is None:
            self._reading = None
            shutil.rmtree(self._building, ignore_errors=True)
            folder = self._building / version_files.SHARD
            need_room(self._target.parent, TO_BEGIN + (size_of(self._base) if self._base else 0))
            if self._base is None:
                self._writing = Shard.create(folder, self._spec.dimension)
            else:
                shutil.copytree(self._base / version_files.SHARD, folder, copy_function=_copy_sparse)
                self._writing = Shard.open(folder)
        return self._writing


def _copy_sparse(source: str, target: str) -> str:
    """Copy a file's data and leave its holes: the engine sets files up far larger than what it has written."""
    with Path(source).open("rb") as reader, Path(target).open("wb") as writer:
        size = os.fstat(reader.fileno()).st_size
        writer.truncate(size)
        at = 0
        while at < size:
            try:
                start = os.lseek(reader.fileno(), at, os.SEEK_DATA)
            except OSError:  # nothing but a hole from here on
                break
            end = os.lseek(reader.fileno(), start, os.SEEK_HOLE)
            reader.seek(start)
            writer.seek(start)
            at = start
            while at < end:
                block = reader.read(min(1 << 20, end - at))
                writer.write(block)
                at += len(block)
    return target
