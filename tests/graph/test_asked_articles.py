"""A section that is asked for by its number and its act's short name is found, kept and quoted, whatever its words are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graph.resources import Resources
from graph.settings import Settings
from graph.workflow import build_graph
from knowledge.embedding import EmbeddingModel
from knowledge.index.locate import open_store
from knowledge.ingest import ingest

LICENCE = """
  1. Definitions.

  "Work" means what is licensed under this text.

  2. Passing On.

  You may hand on copies of the Work. A notice goes with each of them.

  3. Ending.

  Your rights end when you break a term. They come back after thirty days.
"""
LESSER = """
The HOPL is a licence for programs. This text adds leave to the HOPL.

1. Leave. You may link a library without the terms of section 2 of the HOPL.

2. Notices. The HOPL asks for a notice with every copy; a library under this text gives one notice in all.

3. Library Headers. The HOPL covers headers, and under this text headers of ten lines are free of the HOPL.
"""


@pytest.fixture(scope="module")
def licences(tmp_path_factory: pytest.TempPathFactory, embedding: EmbeddingModel) -> Resources:
    folder = tmp_path_factory.mktemp("licences")
    (folder / "hopl.txt").write_text(LICENCE, "utf-8")
    (folder / "lesser.txt").write_text(LESSER, "utf-8")
    titles = {"hopl.txt": {"title": "House Open Program Licence v2"}, "lesser.txt": {"title": "Lesser Library Terms"}}
    manifest = {"defaults": {"chunker": "legal", "language": "en"}, "documents": titles}
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    settings = Settings(data=tmp_path_factory.mktemp("licences-index"))
    ingest([folder], store=open_store(settings.index_location()), embedding=embedding)
    return Resources(settings, embedding=embedding)


async def ask(licences: Resources, question: str) -> Any:
    return await build_graph(licences).ainvoke({"question": question})


@pytest.mark.parametrize(
    "question",
    [
        "What does section 3 of the HOPL say?",
        "HOPL section 3",
        "What does clause 3 of the House Open Program Licence provide?",
        "section 3 of the HOPL",
    ],
)
async def test_it_is_quoted_from_its_beginning(question: str, licences: Resources) -> None:
    result = await ask(licences, question)
    assert result["answer"].endswith(
        "3 Ending: Your rights end when you break a term. [S1] They come back after thirty days. [S1]"
    )
    assert {one["source"] for one in result["citations"]} == {"hopl.txt"}


async def test_of_several_each_is_quoted_from_its_beginning(licences: Resources) -> None:
    result = await ask(licences, "Compare section 1 of the HOPL and section 3 of the HOPL")
    assert "1 Definitions" in result["answer"] and "3 Ending: Your rights end" in result["answer"]
    result = await ask(licences, "What does section 2 say?")
    assert "2 Passing On: You may hand on copies" in result["answer"]
    assert "2 Notices: The HOPL asks for a notice" in result["answer"]


async def test_a_section_of_an_article_is_that_articles(
    tmp_path_factory: pytest.TempPathFactory, embedding: EmbeddingModel
) -> None:
    folder = tmp_path_factory.mktemp("bylaws")
    text = "".join(
        f"\n## Article {number}: Of {name}\n\n### Section 1: Powers\n\nThe {name} decides on {what}.\n\n"
        f"### Section 4: Quorum\n\nOf the {name} {share} must be there.\n"
        for number, name, what, share in (
            ("II", "council", "fees", "a half"),
            ("III", "assembly", "rules", "two thirds"),
        )
    )
    (folder / "bylaws.md").write_text(f"# Club Bylaws\n{text}", "utf-8")
    settings = Settings(data=tmp_path_factory.mktemp("bylaws-index"))
    ingest([folder], store=open_store(settings.index_location()), embedding=embedding)
    result = await ask(Resources(settings, embedding=embedding), "What does Article III, Section 4 say?")
    assert "Of the assembly two thirds must be there." in result["answer"]
    assert "council" not in result["answer"]


async def test_another_acts_section_is_not_quoted_for_it(licences: Resources) -> None:
    result = await ask(licences, "What does section 3 of the GDPR say?")
    assert result["refused"]
    result = await ask(licences, "What does section 9 of the HOPL say?")
    assert result["refused"] and "section 9" in result["answer"]


async def test_what_else_is_asked_is_answered_by_the_sentences_that_say_it(licences: Resources) -> None:
    result = await ask(licences, "Under section 3 of the HOPL, after how many days do my rights come back?")
    assert "They come back after thirty days." in result["answer"]


async def test_a_question_without_a_word_is_refused(licences: Resources) -> None:
    for question in ("{{7*7}}", "7", "?? 3 ??"):
        assert (await ask(licences, question))["refused"], question
