"""Numbers of controls and clauses, however they are written and whatever is said around them, are answered and not refused."""

from __future__ import annotations

import pytest

from graph.resources import Resources
from graph.settings import Settings
from graph.workflow import build_graph
from knowledge.embedding import EmbeddingModel
from knowledge.index.locate import open_store
from knowledge.ingest import ingest

CONTROLS = {
    "AC-7(2)": "Wipe a mobile device after ten failed sign-ins in a row.",
    "AC-7(3)": "Limit the tries of a fingerprint reader to five.",
    "SI-4(10)": "Make encrypted traffic visible to the sensors of the gateway.",
    "PR.DS-3": "Assets are followed through transfer and disposal.",
    "4.2(b)(ii)": "Records of visitors are kept for two years.",
}


@pytest.fixture(scope="module")
def controls(tmp_path_factory: pytest.TempPathFactory, embedding: EmbeddingModel) -> Resources:
    folder = tmp_path_factory.mktemp("controls")
    for at, (number, text) in enumerate(CONTROLS.items()):
        (folder / f"{at}.md").write_text(f"# {number} Control\n\n{text}\n")
    settings = Settings(data=folder / "data")
    ingest([folder], store=open_store(settings.index_location()), embedding=embedding)
    return Resources(settings, embedding=embedding)


@pytest.mark.parametrize("asked", ["{}", "What does control {} require?", "Show me the text of {} in SP 800-53", "{}?"])
@pytest.mark.parametrize(
    "number", ["AC-7(2)", "ac-7(2)", "AC-7 (2)", "AC‑7(3)", "SI-4(10)", "SI 4(10)", "PR.DS-3", "AC-07(02)"]
)
async def test_a_number_that_is_there_is_answered(controls: Resources, number: str, asked: str) -> None:
    result = await build_graph(controls, answer=False).ainvoke({"question": asked.format(number)})
    assert not result["refused"], result["evidence"]


@pytest.mark.parametrize("asked", ["{}", "What does control {} require?", "Show me the text of {} in SP 800-53"])
@pytest.mark.parametrize("number", ["AC-7(9)", "SI-99(1)", "ZX-8(2)"])
async def test_one_that_is_not_there_is_refused(controls: Resources, number: str, asked: str) -> None:
    result = await build_graph(controls, answer=False).ainvoke({"question": asked.format(number)})
    assert result["refused"]
