"""The run itself: ingest one system after another, then ask them in turn, a block of questions at a time."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.peers.catalogue import BARE, BY_KEY, FLOOR, OURS, System
from benchmarks.peers.corpora import Corpus
from benchmarks.peers.environments import PeerFailed, environment
from benchmarks.peers.lending import Lent
from benchmarks.peers.process import Running
from benchmarks.peers.scores import costs, quality
from knowledge.stopwords import FUNCTION_WORDS

#: Asked of each before anything is timed. No question of a set.
WARM_UP = "Are the models loaded?"


@dataclass(kw_only=True)
class Options:
    """Of one run. ``encode_up_to``: chunks; a larger corpus is ingested with vectors that were made once."""

    cache: Path
    model: Path
    block: int
    encode_up_to: int
    blas: bool
    cross_encoder: str | None
    left_out: dict[str, str] = field(default_factory=dict)


def prepare(systems: Sequence[System], options: Options) -> dict[str, Path]:
    """The interpreters of the systems that can be run; the others' reasons go to ``left_out``."""
    pythons: dict[str, Path] = {}
    for system in systems:
        try:
            if system.needs == "cross_encoder" and not options.cross_encoder:
                raise PeerFailed("there is no cross-encoder in the hub's cache on this machine")
            home = BY_KEY[system.environment] if system.environment else system
            pythons[system.key] = environment(home, options.cache)
            if system.needs == "server":
                environment(BY_KEY[FLOOR], options.cache)
        except PeerFailed as error:
            pythons.pop(system.key, None)
            leave_out(system, str(error), options)
    return pythons


def leave_out(system: System, reason: str, options: Options) -> None:
    """Remember and say why a system is not measured."""
    options.left_out[system.key] = reason
    print(f"{system.label} is left out: {reason}.", flush=True)


def measure(corpus: Corpus, pythons: Mapping[str, Path], options: Options) -> dict[str, Any]:
    """One corpus through every system."""
    home = options.cache / "run" / corpus.name
    shutil.rmtree(home, ignore_errors=True)
    vectors = _lent(corpus, options, home) if len(corpus.records) > options.encode_up_to else None
    running: dict[str, Running] = {}
    told: dict[str, dict[str, Any]] = {}
    try:
        for key, python in pythons.items():
            try:
                told[key], running[key] = _ingest(BY_KEY[key], python, corpus, options, home / key, vectors)
                print(f"  {BY_KEY[key].label}: {told[key]['ingest_s']:.1f} s", flush=True)
            except PeerFailed as error:
                leave_out(BY_KEY[key], f"{error} on {corpus.name}", options)
        if FLOOR in running:
            running[BARE.key], told[BARE.key] = _bare(pythons[FLOOR], options, home / BARE.key), {}
        answers = _ask(corpus, running, told, options)
    finally:
        for worker in running.values():
            worker.stop()
    shutil.rmtree(home, ignore_errors=True)
    bare = answers.pop(BARE.key, {})
    for key, runs in answers.items():
        told[key]["quality"] = quality(corpus.questions, runs["plain"])
        told[key] |= {name: costs(found, bare.get(name)) for name, found in runs.items() if found}
    return {
        "name": corpus.name,
        "chunks": len(corpus.records),
        "questions": len(corpus.questions),
        "encoded": not vectors,
        "systems": {key: told[key] for key in answers},
    }


def _ingest(
    system: System, python: Path, corpus: Corpus, options: Options, place: Path, vectors: Path | None
) -> tuple[dict[str, Any], Running]:
    """Ingest in one process; what lives on disk is then opened in a fresh one, as it would be asked."""
    corpus.write(place)
    given = _options(system, options, place)
    if vectors:
        given |= {"vectors": str(vectors), "patch": system.key != OURS and system.needs != "server"}
    worker = Running(system, python, given, place)
    try:
        done = worker.call("ingest", place=str(place))
        told = {
            "versions": worker.about["versions"],
            "on_disk": worker.about["on_disk"],
            "ingest_s": done["seconds"],
            "chunks_per_s": done["chunks"] / done["seconds"],
            "index_mb": done["index_mb"],
            "ingest_peak_mb": _peak(worker),
        }
        if not worker.about["on_disk"]:
            return told, worker
    except PeerFailed:
        worker.stop()
        raise
    worker.stop()
    fresh = Running(system, python, _options(system, options, place), place)
    try:
        told["open_s"] = fresh.call("open", place=str(place))["seconds"]
    except PeerFailed:
        fresh.stop()
        raise
    return told, fresh


def _bare(python: Path, options: Options, place: Path) -> Running:
    place.mkdir(parents=True)
    return Running(BARE, python, _options(BARE, options, place), place)


def _options(system: System, options: Options, place: Path) -> dict[str, Any]:
    scratch = place.parent / f"{system.key}-scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    given: dict[str, Any] = {**system.options, "model": str(options.model), "scratch": str(scratch)}
    if system.key == "langchain-qdrant":
        given["stopwords"] = sorted(FUNCTION_WORDS["en"])
    if system.needs == "cross_encoder":
        given["cross_encoder"] = options.cross_encoder
    if system.needs == "server":
        given["server_python"] = str(environment(BY_KEY[FLOOR], options.cache))
    return given


def _peak(worker: Running) -> float:
    told = worker.call("peak")
    return float(told["peak_mb"] + (told["companion_mb"] or 0.0))


def _ask(
    corpus: Corpus, running: dict[str, Running], told: Mapping[str, dict[str, Any]], options: Options
) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Blocks in turn; each block begins with another system, so that none always comes after the same one.

    Every second block is asked again with one BLAS thread; the systems' answers are the same, so half of the questions will do.
    """
    answers: dict[str, dict[str, list[dict[str, Any]]]] = {key: {"plain": [], "one_blas": []} for key in running}
    texts = [question.text for question in corpus.questions]
    blocks = [[WARM_UP], *(texts[at : at + options.block] for at in range(0, len(texts), options.block))]
    for n, block in enumerate(blocks):
        keys = [*running]
        for key in keys[n % len(keys) :] + keys[: n % len(keys)] if keys else ():
            try:
                for variant, threads in (("plain", None), ("one_blas", 1))[: 1 + (options.blas and n % 2 == 1)]:
                    found = running[key].call("ask", questions=block, blas=threads)["answers"]
                    answers[key][variant] += found if n else []
            except PeerFailed as error:
                leave_out(BY_KEY[key], f"{error} on {corpus.name}", options)
                running.pop(key).stop()
                del answers[key]
        print(f"  {corpus.name}: block {n} of {len(blocks) - 1}", flush=True)
    for key in list(running):
        told[key]["peak_mb"] = _peak(running[key])
    return answers


def _lent(corpus: Corpus, options: Options, home: Path) -> Path:
    """Vectors for a corpus too large to be encoded by every system in turn, made once by sentence-transformers and kept."""
    texts = [f"{one.title}\n{one.text}" for one in corpus.records]
    path = options.cache / "vectors" / f"{options.model.parent.name}.npy"
    if path.is_file() and not Lent(path).lacks(texts):
        return path
    place = home / "vectors"
    source = corpus.write(place)
    system = BY_KEY[FLOOR]
    print(f"  encoding what is new of {len(texts):,} chunks, once …", flush=True)
    worker = Running(system, environment(system, options.cache), _options(system, options, place), place)
    try:
        worker.call("encode", corpus=str(source), out=str(path))
    finally:
        worker.stop()
    return path
