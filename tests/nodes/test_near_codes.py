"""A code typed wrong by one sign is refused with the one that is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph.workflow import build_graph
from nodes.context import Context
from nodes.near_codes import slips, wrong_digits
from nodes.refuse import refusal_text
from tests.evals.desk import chunk, desk


@pytest.mark.parametrize("typed", ["ax-2O4", "AX-2o4", "AX-240", "AX-024", "AX 2O4"])
def test_one_slip_leads_to_the_code(typed: str) -> None:
    assert "ax-204" in slips(typed)


def test_a_sign_may_be_wrong_everywhere() -> None:
    assert "bx-900" in slips("BX-9OO")
    assert "e-4012" in slips("E-40I2")


def test_the_code_itself_is_no_slip() -> None:
    assert "ax-204" not in slips("AX-204") and "ax-204" not in wrong_digits("AX-204")
    assert "ax-205" in wrong_digits("AX-204")


async def refused(folder: Path, question: str, *codes: str, tenant: str = "acme") -> str:
    chunks = [
        chunk(
            f"{code.lower()}#1",
            f"{code} charges in two hours.",
            defines=[code.lower()],
            mentions=["ax-#"],
            tenant=tenant,
        )
        for code in codes
    ]
    own = chunk("other#1", "AX-999 charges in two hours.", defines=["ax-999"], mentions=["ax-#"])
    state = await build_graph(desk(folder, [*chunks, own])).ainvoke({"question": question}, context=Context())
    assert state["refused"] and state["refusal_reason"] == "nothing_found"
    return str(state["answer"])


async def test_the_refusal_offers_the_code_that_is_there(tmp_path: Path) -> None:
    answer = await refused(tmp_path, "Does ax-2O4 charge fast?", "AX-204")
    assert answer == "ax-2O4 is not in your documents. AX-204 is."


async def test_another_tenants_code_is_not_offered(tmp_path: Path) -> None:
    answer = await refused(tmp_path, "Does ax-2O4 charge fast?", "AX-204", tenant="zeta")
    assert answer == "ax-2O4 is not in your documents."


async def test_of_several_neighbours_none_is_offered(tmp_path: Path) -> None:
    assert await refused(tmp_path / "a", "Does AX-205 charge fast?", "AX-204") == (
        "AX-205 is not in your documents. AX-204 is."
    )
    assert await refused(tmp_path / "b", "Does AX-205 charge fast?", "AX-204", "AX-206") == (
        "AX-205 is not in your documents."
    )


@pytest.mark.parametrize("language", ["en", "bg", "de", "fr", "es", "ru", "ja"])
def test_it_is_said_in_the_questions_language(language: str) -> None:
    said = refusal_text("nothing_found", language, missing=["AX-2O4"], near=["AX-204"])
    assert said.startswith(refusal_text("nothing_found", language, missing=["AX-2O4"]))
    assert "AX-204" in said
