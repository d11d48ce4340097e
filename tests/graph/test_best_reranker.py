from __future__ import annotations

import sys
import types
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from huggingface_hub import constants

from graph.resources import best_local_reranker

NAME = "BAAI/bge-reranker-base"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The hub's cache folder, laid out as the hub's client does it, with one cross-encoder."""
    package = types.ModuleType("sentence_transformers")
    package.__spec__ = ModuleSpec("sentence_transformers", None)
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    model = tmp_path / "models--BAAI--bge-reranker-base"
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text("abc123")
    (model / "snapshots" / "abc123").mkdir(parents=True)
    (model / "snapshots" / "abc123" / "config.json").write_text("{}")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    return model


def test_a_cross_encoder_on_the_machine_is_taken(cache: Path) -> None:
    assert best_local_reranker() == f"cross-encoder:{NAME}"


def test_one_that_never_arrived_is_not(cache: Path) -> None:
    (cache / "snapshots" / "abc123" / "config.json").unlink()
    assert best_local_reranker() == "evidence"


def test_no_cache_means_evidence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "none"))
    assert best_local_reranker() == "evidence"


def test_without_the_package_that_runs_them_none_is_taken(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    assert best_local_reranker() == "evidence"
