"""Tables of measurements are read at 80 columns and at more."""

from __future__ import annotations

import pytest

from evals.ablating import COMPARED, Row
from evals.bootstrap import Difference
from service.measurements import print_ablation

LUCK, CLEAR = Difference(-0.0012, -0.0104, 0.0081), Difference(-0.1234, -0.2012, -0.0413)
ROWS = [
    Row(
        name="without the dense list",
        removes=True,
        stage="rerank",
        differences=dict.fromkeys(COMPARED, CLEAR),
        changed=101,
        ms=-10.123,
        verdict="brings something",
    ),
    Row(
        name="candidate_k 40 and rerank_k 40",
        removes=False,
        stage="rerank",
        differences=dict.fromkeys(COMPARED, LUCK),
        changed=12,
        ms=12.5,
        verdict="mixed: some metrics rise, some fall",
    ),
]


@pytest.mark.parametrize("columns", [80, 100, 160])
def test_an_ablation_is_readable(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    print_ablation("kartly", 117, ROWS)
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert max(map(len, lines)) <= columns
    row = next(line for line in lines if "without the dense list" in line)
    assert "-0.123*" in row and "101" in row and "-10.1" in row
    assert next(line for line in lines if "candidate_k 40 and rerank_k 40" in line).count("*") == 0
    assert " – brings something" in lines and any(line.startswith(" – mixed: some metrics") for line in lines)
    assert ("[-0.201, -0.041]" in row) is (columns == 160)
