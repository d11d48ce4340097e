"""Articles keep their numbers, chapters lead them, and references open nothing."""

from __future__ import annotations

import pytest
from langchain_core.documents import Document

from knowledge.chunking import ChunkingDefaults, chunk
from knowledge.documents import SourceDocument


def chunks_of(text: str, **options: int | str) -> list[Document]:
    document = SourceDocument(
        document_id="d", title="T", text=text, source="d.md", kind="text", chunker="legal", chunker_options=options
    )
    return chunk(document, ChunkingDefaults())


def body(one: Document) -> str:
    return one.page_content[one.metadata["body_start"] :]


@pytest.mark.parametrize(
    ("line", "article", "section"),
    [
        ("Чл. 110. Текст.", "110", "чл. 110"),
        ("Чл. 40а. (1) Текст.", "40а", "чл. 40а"),
        ("Чл. 40a. (1) Latin letter.", "40а", "чл. 40а"),
        ("Чл. 40а.(1) Текст.", "40а", "чл. 40а"),
        ("Чл. 5 (Нов - ДВ, бр. 3) Текст.", "5", "чл. 5"),
        ("ЧЛ. 7. Текст.", "7", "чл. 7"),
        ("Член 12. Текст.", "12", "чл. 12"),
        ("Article 7", "7", "Article 7"),
        ("Article 7 Respect for private life", "7", "Article 7"),
        ("ARTICLE 7: Scope", "7", "Article 7"),
        ("Article IV", "IV", "Article IV"),
        ("Art. 41. The employer pays.", "41", "Art. 41"),
        ("Art. 41 (1) The employer pays.", "41", "Art. 41"),
        ("Article 3a bis. Text", "3a bis", "Article 3a bis"),
        ("§ 5. Правило.", "5", "§ 5"),
        ("§ 5а (1) Правило.", "5а", "§ 5а"),
        ("Section 12", "12", "Section 12"),
        ("Section 12A - Powers", "12A", "Section 12A"),
        ("Section 12.3 Powers", "12.3", "Section 12.3"),
        ("**Article 9.** Text", "9", "Article 9"),
        ("## Article 9. Scope", "9", "Article 9"),
        ("### Чл. 40а", "40а", "чл. 40а"),
    ],
)
def test_forms(line: str, article: str, section: str) -> None:
    preface, one = chunks_of(f"Text before the first article.\n\n{line}\nIts text stands here.")
    assert body(preface) == "Text before the first article."
    assert "article" not in preface.metadata
    assert (one.metadata["article"], one.metadata["section"]) == (article, section)
    assert "Its text stands here." in body(one)


@pytest.mark.parametrize(
    "line",
    [
        "чл. 5, ал. 2 от закона",
        "Article 8 of this act",
        "Article 8(2) applies",
        "Art. 41, paragraph 2",
        "Section 12 applies where",
        "Чл. 5 се изменя така",
        "Sections of it",
        "Article of faith",
        "§ of the act",
    ],
)
def test_a_reference_at_a_lines_start_opens_nothing(line: str) -> None:
    assert len(chunks_of(f"Чл. 1. Текст по реда на\n{line} и нататък.")) == 1


def test_wrapped_prose_before_a_full_form_opens_nothing() -> None:
    assert len(chunks_of("Art. 1. As set out in\nArt. 5. The employer pays.")) == 1


def test_chapters_and_titles_lead_their_articles() -> None:
    text = (
        "Закон за нещо\n\nГлава първа\nОБЩИ ПОЛОЖЕНИЯ\n\nПредмет\n\nЧл. 1. (1) Едно.\n(2) Две.\n\nОбхват\nЧл. 2. Три.\n"
        "Раздел II. Срокове\nЧл. 3. Четири.\n\nПРЕХОДНИ И ЗАКЛЮЧИТЕЛНИ РАЗПОРЕДБИ\n\n§ 1. Пет."
    )
    assert [(one.metadata["heading_path"], body(one)) for one in chunks_of(text)] == [
        ("T", "Закон за нещо"),
        ("T > Глава първа. ОБЩИ ПОЛОЖЕНИЯ > чл. 1. Предмет", "Предмет\n\nЧл. 1. (1) Едно.\n(2) Две."),
        ("T > Глава първа. ОБЩИ ПОЛОЖЕНИЯ > чл. 2. Обхват", "Обхват\nЧл. 2. Три."),
        ("T > Глава първа. ОБЩИ ПОЛОЖЕНИЯ > Раздел II. Срокове > чл. 3", "Чл. 3. Четири."),
        ("T > ПРЕХОДНИ И ЗАКЛЮЧИТЕЛНИ РАЗПОРЕДБИ > § 1", "§ 1. Пет."),
    ]


def test_titles_below_the_number_name_the_article() -> None:
    (one,) = chunks_of("Article 8\n\nProtection of personal data\n\n1. Everyone has the right to it.")
    assert one.metadata["heading_path"] == "T > Article 8. Protection of personal data"


@pytest.mark.parametrize("joint", ["\n", "\n\n", " ", "\r\n"])
def test_an_article_over_the_limit_is_cut_at_its_paragraphs_under_its_heading(joint: str) -> None:
    paragraphs = [f"({number}) Текст по ал. (9) с още пет думи тук." for number in (1, 2, 3)]
    found = chunks_of("Чл. 40а. " + joint.join(paragraphs), limit=14)
    assert [body(one) for one in found] == ["Чл. 40а. " + paragraphs[0], *paragraphs[1:]]
    assert {one.metadata["article"] for one in found} == {"40а"}
    assert all(one.page_content.startswith("T > чл. 40а\n\n") for one in found)


def test_an_article_without_paragraphs_is_cut_at_blank_lines_then_sentences() -> None:
    found = chunks_of("Article 1. One two three four.\n\nFive six seven eight. Nine ten eleven.", limit=6)
    assert [body(one) for one in found] == [
        "Article 1. One two three four.",
        "Five six seven eight.",
        "Nine ten eleven.",
    ]


def test_text_in_tables_and_code_opens_nothing() -> None:
    assert len(chunks_of("Чл. 1. Така:\n\n```\nЧл. 5. Код.\n```")) == 1


def test_a_law_of_thousands_of_articles() -> None:
    text = "\n".join(f"Заглавие\n\nЧл. {number}. (1) Текст на члена.\n(2) Още." for number in range(1, 5_000))
    assert len(chunks_of(text)) == 4_999


def test_a_section_inside_an_article_is_cited_with_it() -> None:
    text = (
        "## Article II: Members\n\n### Section 4: Dues\n\nTen EUR.\n\n"
        "## Article III: How we meet\n\nIn the hall.\n\n### Section 4: Quorum\n\nHalf of us.\n\n### Section 5\n\nBy hand."
    )
    assert [one.metadata["section"] for one in chunks_of(text)] == [
        "Article II: Members > Section 4: Dues",
        "Article III",
        "Article III: How we meet > Section 4: Quorum",
        "Article III: How we meet > Section 5",
    ]


def test_tables_of_a_long_article_stay_whole() -> None:
    rows = "\n".join(f"| item {number} | {number} EUR |" for number in range(8))
    table = f"| Item | Fee |\n|---|---|\n{rows}"
    text = f"Article 7\n(1) The fees are these.\n\n{table}\n\n(2) They are paid each month by bank."
    found = [body(one) for one in chunks_of(text, limit=68)]
    assert sum(table in one for one in found) == 1
    found = [body(one) for one in chunks_of(text, limit=30)]
    pieces = [one for one in found if "EUR" in one]
    assert len(pieces) > 1 and all(one.startswith("| Item | Fee |") for one in pieces)
