"""A question in bold type of its own heads what answers it: each question of a page is a chunk that both searches find."""

from __future__ import annotations

import pytest

from knowledge.chunking import ChunkingDefaults, chunk
from knowledge.documents import SourceDocument
from knowledge.loading.docx import read_docx
from knowledge.loading.html import read_html
from tests.knowledge.files import docx, paragraph

BOLD = "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>{0}</w:t></w:r></w:p>"


def sections(text: str) -> list[tuple[str, str]]:
    document = SourceDocument(document_id="d", title="FAQ", text=text, source="d.md", kind="markdown")
    return [
        (one.metadata["heading_path"], one.page_content[one.metadata["body_start"] :])
        for one in chunk(document, ChunkingDefaults())
    ]


def test_a_bold_question_heads_its_answer() -> None:
    text = (
        "# FAQ\n\n## Parking\n\n**Is there parking?**\n\nYes.\n\n__Is it free?__\nIt is not.\n\n## Food\n\nNo hot food."
    )
    assert sections(text) == [
        ("FAQ > Parking > Is there parking?", "Yes."),
        ("FAQ > Parking > Is it free?", "It is not."),
        ("FAQ > Food", "No hot food."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "**Is there parking?** Yes, behind the house.",
        "- **Is there parking?**\n- **Is it free?**",
        "Some say that\n**is there parking?**\nis no question.",
        "**Parking is free.**\n\nIt is.",
        "```\n**Is there parking?**\n```",
    ],
)
def test_other_bold_text_heads_nothing(text: str) -> None:
    assert [path for path, _ in sections(f"# FAQ\n\n{text}")] == ["FAQ"]


@pytest.mark.parametrize(
    "layout",
    [
        "<p><b>Is there parking?</b></p><p>Yes.</p><p><strong>Is it free?</strong></p><p>It is not.</p>",
        "<details><summary>Is there parking?</summary><p>Yes.</p></details>"
        "<details><summary>Is it free?</summary><p>It is not.</p></details>",
        "<h2>Is there parking?</h2><p>Yes.</p><h2><b>Is it free?</b></h2><p>It is not.</p>",
    ],
)
def test_web_pages(layout: str) -> None:
    text = read_html(f"<h1>FAQ</h1>{layout}".encode()).text
    assert sections(text) == [("FAQ > Is there parking?", "Yes."), ("FAQ > Is it free?", "It is not.")]


def test_bold_words_in_a_sentence_stay_words() -> None:
    text = read_html(b"<h1>FAQ</h1><p><b>Lost?</b> Call us. <b>Sure?</b></p><p>So <b>what?</b></p>").text
    assert "**" not in text


def test_word_documents_with_headings_of_their_own() -> None:
    body = paragraph("FAQ", "Heading1") + "".join(
        BOLD.format(question) + paragraph(answer)
        for question, answer in (("Is there parking?", "Yes."), ("Is it free?", "It is not."))
    )
    assert sections(read_docx(docx(body)).text) == [
        ("FAQ > Is there parking?", "Yes."),
        ("FAQ > Is it free?", "It is not."),
    ]
