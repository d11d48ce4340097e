from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from graph.settings import Settings
from knowledge.index.port import IndexSpec
from knowledge.ingest_plan import READING
from service.commands import doctor


def embedding(**settings: str) -> doctor.Finding:
    (finding,) = [item for item in doctor._models(Settings(**settings)) if item.about == "embedding"]
    return finding


def test_doctor_says_that_the_packaged_model_runs_by_onnx_runtime() -> None:
    assert (embedding().level, embedding().message) == ("ok", "minilm, by ONNX Runtime")
    assert embedding(embedding="ollama:bge-m3").message == "ollama:bge-m3"


def test_doctor_says_what_to_install_for_the_quick_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert embedding().level == "note"
    assert "by sentence-transformers" in embedding().message
    assert embedding().remedy == "pip install onnxruntime"


def test_doctor_says_when_other_code_read_the_index() -> None:
    spec = IndexSpec(embedding="words", dimension=4, chunking="structural-120w", average_length=8.0)
    (finding,) = doctor._reading(spec)
    assert finding.level == "note" and "(0, this is" in finding.message
    assert "policydesk ingest FOLDER" in finding.remedy and "nothing is embedded" in finding.remedy
    assert doctor._reading(replace(spec, reading=READING)) == []
