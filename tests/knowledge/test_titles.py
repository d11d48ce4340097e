from __future__ import annotations

from pathlib import Path

import pytest

from knowledge.loading import load
from knowledge.loading.docx import read_docx
from knowledge.loading.titles import title_in, title_of_file
from tests.knowledge.files import docx, paragraph, pdf


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Preface.\n\n# Leave\n\n## Scope\n\nx", "Leave"),
        ("Leave policy\n\n## Scope\n\nx\n\n## Limits\n\ny", "Leave policy"),
        ("## Leave\n\n### Scope\n\nx\n\n### Limits\n\ny", "Leave"),
        ("## Scope\n\nx\n\n## Limits\n\ny", None),
        ("# Scope\n\nx\n\n# Limits\n\ny", "Scope"),
        ("Leave policy\n\n# Scope\n\nx\n\n# Limits\n\ny", "Leave policy"),
        ("Text that goes on.\n\n## Scope\n\nx\n\n## Limits\n\ny", None),
        ("**Leave policy**\n\nAll staff.", "Leave policy"),
        ("All staff have 20 days.\n\nMore.", None),
        ("Two lines\nof text", None),
        ("| a | b |\n\nx", None),
        ("", None),
    ],
)
def test_the_title_is_what_a_text_opens_with(text: str, title: str | None) -> None:
    assert title_in(text) == title


@pytest.mark.parametrize(
    ("stem", "title"),
    [
        ("leave_policy-2024", "leave policy-2024"),
        ("leave_policy_v2 final", "leave policy"),
        ("Leave%20rules (2)", "Leave rules"),
        ("AX-204-manual", "AX-204 manual"),
        ("hr-code-of-conduct", "hr code of conduct"),
        ("b", "b"),
        ("v2", "v2"),
        ("Правила_за-отпуск", "Правила за отпуск"),
        ("___", "___"),
    ],
)
def test_a_files_name_as_a_title(stem: str, title: str) -> None:
    assert title_of_file(stem).strip() == title.strip()


def test_documents_without_a_title_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "a_x.docx").write_bytes(docx(paragraph("Leave policy") + paragraph("All staff have 20 days.")))
    (tmp_path / "b_x.pdf").write_bytes(pdf([["All staff have 20 days of leave in a year,", "and no more."]]))
    (tmp_path / "c_x.md").write_text("## Leave rules\n\nAll staff.\n")
    (tmp_path / "d_x.html").write_text("<p>All staff have 20 days.</p>")
    assert [document.title for document in load([tmp_path]).documents] == ["Leave policy", "b x", "Leave rules", "d x"]


def bold(text: str, half_points: int = 0) -> str:
    size = f'<w:sz w:val="{half_points}"/>' if half_points else ""
    return f"<w:p><w:r><w:rPr><w:b/>{size}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


def test_a_word_document_without_heading_styles_is_read_by_its_bold_lines() -> None:
    rule = paragraph("All staff have twenty days of leave.")
    parsed = read_docx(
        docx(
            bold("Leave policy", 48)
            + bold("1. Scope", 32)
            + bold("1.1 Who", 26)
            + rule
            + bold("Unused days are never paid out.")
            + rule
            + bold("1.2 When", 26)
            + rule
        )
    )
    assert parsed.title == "Leave policy"
    assert [line for line in parsed.text.split("\n") if line.startswith("#")] == [
        "# Leave policy", "## 1. Scope", "### 1.1 Who", "### 1.2 When"
    ]  # fmt: skip


def test_bold_lines_beside_heading_styles_are_text() -> None:
    parsed = read_docx(docx(paragraph("Leave", "Heading1") + bold("Note well") + paragraph("Twenty days.")))
    assert parsed.text == "# Leave\n\nNote well\n\nTwenty days.\n"
    assert parsed.title == "Leave"


def test_the_first_of_several_chapters_is_no_title() -> None:
    chapters = (
        paragraph("1. Scope", "Heading1") + paragraph("x.") + paragraph("2. Limits", "Heading1") + paragraph("y.")
    )
    assert read_docx(docx(paragraph("Leave policy") + chapters)).title == "Leave policy"
    titled = docx(paragraph("Leave", "Title") + chapters, styles=TITLE)
    assert read_docx(titled).title == "Leave"


TITLE = '<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>'
