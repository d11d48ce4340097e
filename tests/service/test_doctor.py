from __future__ import annotations

import sys

import pytest

from graph.settings import Settings
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
