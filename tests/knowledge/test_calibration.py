from __future__ import annotations

import json
from pathlib import Path

import pytest

from knowledge.calibration import key_of, load, save
from knowledge.errors import BadInput

KEY = key_of(embedding="minilm", reranker="evidence", index_version="minilm-384/structural-120w")


def test_what_was_saved_is_loaded_for_its_key_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "calibration.json"
    assert load(path, KEY) is None
    save(path, KEY, {"threshold": 0.42, "golden": "kartly"})
    save(path, "other", {"threshold": 0.1})
    assert load(path, KEY) == 0.42
    assert load(path, "other") == 0.1
    assert load(path, "third") is None
    save(path, KEY, {"threshold": 0})
    assert load(path, KEY) == 0
    assert [file.name for file in path.parent.iterdir()] == ["calibration.json"]


def test_what_another_process_wrote_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    for threshold in (0.1, 0.2, 0.9):
        assert load(path, KEY) != threshold
        path.write_text(json.dumps({"format": 1, "thresholds": {KEY: {"threshold": threshold}}}))
        assert load(path, KEY) == threshold
    path.unlink()
    assert load(path, KEY) is None


def test_a_threshold_outside_0_to_1_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        save(tmp_path / "c.json", KEY, {"threshold": 1.5})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", ["{", "[]", '{"format": 2}', '{"format": 1, "thresholds": {"k": {}}}'])
def test_a_broken_file_says_what_to_do(tmp_path: Path, content: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(content)
    with pytest.raises(BadInput, match="policydesk calibrate"):
        load(path, KEY)


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    save(path, KEY, {"threshold": 0.4})
    with pytest.raises(TypeError):
        save(path, KEY, {"threshold": 0.5, "golden": object()})
    assert load(path, KEY) == 0.4
    assert [file.name for file in tmp_path.iterdir()] == ["c.json"]
