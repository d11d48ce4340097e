"""The desk beside what a user would pick instead: same chunks, questions and embedding model, one run.

    python -m benchmarks.peers [--datasets DIR] [--corpora a,b] [--systems a,b] [--quick] [--json FILE] [--markdown FILE]
    python -m benchmarks.peers --from FILE --markdown docs/benchmarks.md

Each system lives in a virtual environment of its own, made with pip and kept in ``--cache``, and in a process of its own. They
are asked in turn, a block of questions at a time, so that whatever else the machine does meets them all; one works at a time.
A system that can't be installed or fails is left out with its reason, and the others go on. ``--from`` makes the tables of a
run again from its ``--json`` file; ``--markdown`` puts them between the two marks of that document.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.peers.catalogue import BY_KEY, CHOICES, SYSTEMS, System
from benchmarks.peers.corpora import DEFAULT, JOINING, Corpus, load, spread
from benchmarks.peers.environments import ROOT
from benchmarks.peers.report import check_marks, put_into, tables
from benchmarks.peers.run import Options, measure, prepare
from graph.resources import best_local_reranker
from knowledge.errors import BadInput
from knowledge.model_tokens import minilm_folder
from knowledge.reranking import CROSS_ENCODER

QUICK_QUESTIONS = 10
QUICK_CHUNKS = 1_500


def main() -> int:
    """Measure, or read what was measured; print and write the tables."""
    given = _parse()
    try:
        if given.markdown:
            check_marks(given.markdown)
        run = json.loads(given.source.read_text("utf-8")) if given.source else _measure(given)
        print(tables(run))
        if given.markdown:
            put_into(given.markdown, tables(run))
    except BadInput as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    return 0


def _measure(given: argparse.Namespace) -> dict[str, Any]:
    systems = _chosen(given.systems)
    cache = given.cache.expanduser().resolve()
    cache.mkdir(parents=True, exist_ok=True)
    corpora, notes = load(
        given.corpora.split(","),
        given.datasets,
        chunks=QUICK_CHUNKS if given.quick else given.chunks,
        questions=QUICK_QUESTIONS if given.quick else given.questions,
        topping=ROOT / "knowledge" / "kartly",
    )
    for note in notes:
        print(note)
    if not corpora:
        raise BadInput(
            f"There is nothing to search: name a folder of BEIR sets with --datasets ({given.datasets} has none)."
        )
    kind, _, model = best_local_reranker().partition(":")
    options = Options(
        cache=cache,
        model=minilm_folder(),
        block=given.block,
        encode_up_to=sys.maxsize if given.encode_all else given.encode_up_to,
        blas=given.blas and not given.quick,
        cross_encoder=model if kind == CROSS_ENCODER else None,
    )
    pythons = prepare(systems, options)
    began = time.monotonic()
    run: dict[str, Any] = {
        "when": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "checkout": _checkout(),
        "machine": _machine(),
        "corpora": [],
        "left_out": options.left_out,
        "notes": notes,
    }
    for corpus in corpora:
        asked = spread(corpus.questions, QUICK_QUESTIONS if given.quick else given.most)
        corpus = Corpus(corpus.name, corpus.records, asked)
        print(f"{corpus.name}: {len(corpus.records):,} chunks, {len(asked)} questions", flush=True)
        run["corpora"].append(measure(corpus, pythons, options))
        print(f"  {(time.monotonic() - began) / 60:.1f} minutes so far", flush=True)
        if given.json:  # after each corpus: a run that is broken off has not been for nothing
            given.json.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return run


def _chosen(names: str | None) -> list[System]:
    if names is None:
        return list(SYSTEMS)
    unknown = [name for name in names.split(",") if name not in CHOICES]
    if unknown:
        raise BadInput(f"There is no system {unknown[0]!r}; known: {', '.join(CHOICES)}.")
    return [BY_KEY[name] for name in dict.fromkeys(names.split(","))]


def _checkout() -> str:
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty=, with uncommitted changes", "--exclude=*"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip() or "without git"


def _machine() -> dict[str, Any]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {"cores": os.cpu_count(), "memory_gb": memory, "system": f"{platform.system()} {platform.machine()}"}


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=Path, default=ROOT.parent / "shared" / "datasets", help="BEIR folders")
    parser.add_argument("--corpora", default=",".join(DEFAULT), help=f"of {', '.join(JOINING)}, and joined")
    parser.add_argument("--systems", help=f"of {', '.join(CHOICES)}; all by default")
    parser.add_argument("--chunks", type=int, default=10_000, help="size of the joined corpus")
    parser.add_argument("--questions", type=int, default=80, help="asked of the joined corpus")
    parser.add_argument("--most", type=int, default=150, help="most questions asked of any corpus")
    parser.add_argument(
        "--block", type=int, default=5, help="questions that a system answers before the next one's turn"
    )
    parser.add_argument("--encode-up-to", type=int, default=1_000, help="chunks of the largest corpus that all encode")
    parser.add_argument("--encode-all", action="store_true", help="every system encodes every corpus: much longer")
    parser.add_argument("--no-blas", dest="blas", action="store_false", help="leave out the turns with one BLAS thread")
    parser.add_argument("--quick", action="store_true", help="few questions, a small joined corpus, no BLAS variant")
    parser.add_argument(
        "--cache", type=Path, default=Path("~/.cache/policydesk-peers"), help="environments and vectors"
    )
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    parser.add_argument("--from", dest="source", type=Path, help="read a --json file instead of measuring")
    parser.add_argument("--markdown", type=Path, help="put the tables between the marks of this document")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
