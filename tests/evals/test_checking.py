from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evals.checking import check_rows, read_rows
from graph.models import open_chat
from knowledge.errors import BadInput
from tests.fakes.ollama import FakeOllama, Reply
from tests.nodes.kartly_passages import hashed

SOURCE = "Electronics can be returned within 7 days of delivery."
OTHER = "A damaged item must be reported within 48 hours of delivery."


async def verdicts(*rows: dict[str, Any]) -> list[Any]:
    return [verdict async for verdict in check_rows(rows, embed=hashed)]


async def test_claims_and_answers_against_their_sources() -> None:
    found = await verdicts(
        {"id": "a", "claim": SOURCE, "source": SOURCE},
        {"id": "b", "claim": "Electronics can be returned within 70 days of delivery.", "source": SOURCE},
        {"id": "c", "answer": f"{SOURCE} [S1] {OTHER} [S2]", "passages": [SOURCE, {"text": OTHER, "title": "Damage"}]},
        {"id": "d", "answer": f"{SOURCE} [S1] {OTHER}", "passages": [SOURCE, OTHER]},
        {"id": "e", "answer": f"{SOURCE} {OTHER}", "passages": [SOURCE, OTHER]},
        {"id": "f", "answer": f"{SOURCE} [S7]", "passages": [{"label": "7", "text": SOURCE}]},
        {"id": "g", "answer": "", "passages": [SOURCE]},
    )
    assert [(row["id"], row["supported"]) for row in found] == [
        ("a", True), ("b", False), ("c", True), ("d", False), ("e", True), ("f", True), ("g", False),
    ]  # fmt: skip
    assert "70 days" in found[1]["problem"] and "cites no passage" in found[3]["problem"]
    assert all(0 <= row["score"] <= 1 for row in found)
    assert found[0]["score"] > found[1]["score"]


async def test_a_judge_moves_the_score_and_may_reject_but_never_lifts() -> None:
    rows = [{"claim": SOURCE, "source": SOURCE}, {"claim": "Headphones and phones go back fast.", "source": SOURCE}]

    def reply(body: dict[str, Any]) -> Reply:
        return Reply(text="yes", yes=0.9 if "go back fast" in body["messages"][-1]["content"] else 0.1)

    plain = await verdicts(*rows)
    with FakeOllama([reply]) as server:
        judge = open_chat("ollama:llama3.1:8b", ollama_host=server.url)
        found = [verdict async for verdict in check_rows(rows, embed=hashed, judge=judge)]
    assert [row["supported"] for row in plain] == [True, False]
    assert [row["supported"] for row in found] == [False, False]
    assert found[0]["score"] < plain[0]["score"] and len(server.chats) == 2


def test_rows_get_their_line_number_as_id(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(
        json.dumps({"claim": "x", "source": "y"}) + "\n\n" + json.dumps({"id": 7, "claim": "x", "source": "y"})
    )
    assert [row["id"] for row in read_rows(file)] == ["1", "7"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 1 is no JSON"),
        ("[]", "write an object"),
        ('{"source": "x"}', "'answer' or 'claim'"),
        ('{"claim": 5, "source": "x"}', "'answer' or 'claim'"),
        ('{"claim": "x"}', "'passages' or 'source'"),
        ('{"claim": "x", "passages": []}', "'passages' or 'source'"),
        ('{"claim": "x", "passages": [{"title": "y"}]}', "'passages' or 'source'"),
    ],
)
def test_a_row_that_can_not_be_checked_is_named(line: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(line)
    with pytest.raises(BadInput, match=words):
        read_rows(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.jsonl"):
        read_rows(tmp_path / "none.jsonl")
