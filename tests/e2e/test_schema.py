"""The OpenAPI description, kept by what the service answers: schemathesis sends what it allows, and what it does not."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.conftest import ROOT

pytestmark = pytest.mark.slow


def test_schemathesis_finds_no_500_and_nothing_undescribed(desk: str) -> None:
    tool = os.environ.get("SCHEMATHESIS") or shutil.which("schemathesis") or ROOT / ".venv-fuzz/bin/schemathesis"
    if not Path(tool).exists():
        pytest.skip("no schemathesis; run: make test-fuzz")
    checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
    options = "--include-path-regex ^/(api|healthz|readyz|metrics) --max-examples 20 --seed 1"
    options += " --phases examples,coverage,fuzzing"
    found = subprocess.run(
        [str(tool), "run", f"{desk}/openapi.json", *options.split(), "--checks", checks],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=ROOT / "tests",
    )
    assert found.returncode == 0, found.stdout[-4000:]
