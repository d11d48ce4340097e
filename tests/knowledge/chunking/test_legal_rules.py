"""Rule books, leases and regulations: "Rule 13", "Clause 7", "Regulation 12", "Schedule 2", and headings that are numbers."""

from __future__ import annotations

import pytest
from langchain_core.documents import Document

from tests.knowledge.chunking.test_legal import body, chunks_of


def heads(found: list[Document]) -> list[tuple[str, str | None]]:
    return [(one.metadata["heading_path"].removeprefix("T > "), one.metadata.get("article")) for one in found]


@pytest.mark.parametrize(
    ("line", "article", "section"),
    [
        ("Rule 13", "13", "Rule 13"),
        ("Rule 13.2 — Title", "13.2", "Rule 13.2"),
        ("RULE 13A: Notice", "13A", "Rule 13A"),
        ("Rule 4. The member pays on the first of the month.", "4", "Rule 4"),
        ("Clause 7", "7", "Clause 7"),
        ("Clause 7. The tenant shall keep the flat clean.", "7", "Clause 7"),
        ("**Clause 7** Repairs", "7", "Clause 7"),
        ("Regulation 12", "12", "Regulation 12"),
        ("Reg. 12 Fees", "12", "Reg. 12"),
        ("## Rule 9. Scope", "9", "Rule 9"),
        ("13. Title of the rule", "13", "13. Title of the rule"),
        ("13.2 Title of the rule", "13.2", "13.2 Title of the rule"),
        ("13.2. Title of the rule", "13.2", "13.2. Title of the rule"),
        ("**13. Title of the rule**", "13", "13. Title of the rule"),
        ("13. May I keep a pet?", "13", "13. May I keep a pet?"),
        ("## 13. Title of the rule", "13", "13. Title of the rule"),
        ("## 13 Title of the rule", "13", "13 Title of the rule"),
        ("13а. Заглавие на правилото", "13а", "13а. Заглавие на правилото"),
    ],
)
def test_forms(line: str, article: str, section: str) -> None:
    preface, one = chunks_of(f"Text before the first article.\n\n{line}\nIts text stands here.")
    assert body(preface) == "Text before the first article."
    assert (one.metadata["article"], one.metadata["section"]) == (article, section)
    assert "Its text stands here." in body(one)


@pytest.mark.parametrize(
    ("line", "section", "text"),
    [
        ("  7. Additional Terms.\n\n  More is allowed.", "7. Additional Terms.", "More is allowed."),
        ("4. Redistribution. You may pass on copies of the\n   Work.", "4. Redistribution.", "You may pass on copies"),
        ("3. Grant of Patent License. Subject to this, you may.", "3. Grant of Patent License.", "Subject to this"),
        ("2.1. Rent: The tenant pays on the first.", "2.1. Rent:", "The tenant pays on the first."),
        ("5. Наем. Наемателят плаща на първо число.", "5. Наем.", "Наемателят плаща"),
    ],
)
def test_a_title_may_end_with_a_stop_and_lead_its_text(line: str, section: str, text: str) -> None:
    preface, one = chunks_of(f"Text before the first article.\n\n{line}\n\nAnd so on.")
    assert body(preface) == "Text before the first article."
    assert (one.metadata["article"], one.metadata["section"]) == (section.split(". ")[0], section)
    assert body(one).startswith(text)
    assert body(one).endswith("And so on.")


@pytest.mark.parametrize(
    "lines",
    [
        "1. Passport. Bring the original.\n2. Photograph. In colour.",
        "1. Passport.\n2. Photograph.",
        "1. Smoking is prohibited. Who smokes pays.",
    ],
)
def test_entries_and_sentences_lead_no_article(lines: str) -> None:
    assert heads(chunks_of(f"What to know.\n\n{lines}\n\nThen wait.")) == [("T", None)]


@pytest.mark.parametrize("mark", ["", "## "])
@pytest.mark.parametrize("title", ["", " — Charges", ". Charges", ": Charges"])
def test_a_schedule_is_an_article_of_its_own(mark: str, title: str) -> None:
    found = chunks_of(f"Clause 1\nThe rent.\n\n{mark}Schedule 2{title}\n\nThe charge is 5 EUR.")
    assert [one.metadata.get("article") for one in found] == ["1", "2"]
    assert found[1].metadata["section"] == f"Schedule 2{title}"
    assert "The charge is 5 EUR." in body(found[1])


def test_a_schedule_leads_the_clauses_in_it() -> None:
    found = chunks_of("Clause 1\nThe rent.\n\nSchedule 2\n\nThe keys.\n\nClause 1\nTwo keys.")
    assert heads(found) == [("Clause 1", "1"), ("Schedule 2", "2"), ("Schedule 2 > Clause 1", "1")]


@pytest.mark.parametrize(
    "line",
    [
        "Rule 13 of the club",
        "Clause 7(2) applies",
        "Regulation 12 applies where",
        "Schedule 2 to this lease",
        "Rules of it",
    ],
)
def test_references_open_nothing(line: str) -> None:
    assert len(chunks_of(f"Rule 1. As set out in\n{line} and so on.")) == 1


def test_numbered_items_of_an_article_of_a_stronger_kind_are_no_articles() -> None:
    text = "Clause 1\n\n1. The tenant shall pay.\n\n2. Notice to quit\n\nIn writing.\n\nClause 2\n\n1. Repairs\n\nWithin 5 days."
    assert heads(chunks_of(text)) == [("Clause 1", "1"), ("Clause 2", "2")]


def test_numbered_sentences_are_no_articles_of_a_rule_book_with_numbered_headings() -> None:
    text = (
        "1. Paying the rent\n\n1. The tenant shall pay on the first.\n2. The tenant shall pay by bank.\n\n"
        "2. Keeping pets\n\n2.1 The tenant may keep one cat.\n2.2 Dogs need leave."
    )
    found = chunks_of(text)
    assert heads(found) == [("1. Paying the rent", "1"), ("2. Keeping pets", "2")]
    assert body(found[1]).endswith("2.2 Dogs need leave.")


@pytest.mark.parametrize("joint", ["\n", "\n\n"])
@pytest.mark.parametrize("lead", ["Bring to the office:\n", "Bring to the office:\n\n", "What to bring.\n\n"])
def test_a_list_of_names_is_no_row_of_articles(lead: str, joint: str) -> None:
    text = f"{lead}{joint.join(('1. A passport', '2. A bank statement', '3. Two photographs'))}\n\nThen wait for the letter."
    assert heads(chunks_of(text)) == [("T", None)]


def test_a_list_inside_a_numbered_rule_stays_in_it() -> None:
    items = "You need:\n\n1. A passport\n2. A deposit\n\nKeys are given at noon."
    text = f"4. Moving in\n\n{items}\n\n5. Moving out\n\nHand in the keys."
    assert heads(chunks_of(text)) == [("4. Moving in", "4"), ("5. Moving out", "5")]


def test_rules_nest_by_their_numbers() -> None:
    text = "3. Pets\n\n3.1 Cats\n\nOne cat.\n\n3.2 Dogs\n\nNo dogs.\n\n4. Noise\n\nQuiet after ten."
    assert heads(chunks_of(text)) == [
        ("3. Pets > 3.1 Cats", "3.1"),
        ("3. Pets > 3.2 Dogs", "3.2"),
        ("4. Noise", "4"),
    ]


def test_numbers_begin_anew_under_another_part() -> None:
    text = "PART I\n\n1. Rent\n\nPay it.\n\n2. Keys\n\nKeep them.\n\nPART II\n\n1. Pets\n\nNone."
    assert heads(chunks_of(text)) == [
        ("PART I > 1. Rent", "1"),
        ("PART I > 2. Keys", "2"),
        ("PART II > 1. Pets", "1"),
    ]


@pytest.mark.parametrize(
    "line",
    ["1. Rent is due on the first of each", "24. December is a holiday", "12.5 Percent of the rent", "3.50 EUR a key"],
)
def test_wrapped_prose_dates_and_amounts_are_no_articles(line: str) -> None:
    assert heads(chunks_of(f"It is so.\n{line}\nmonth and paid by bank.")) == [("T", None)]


def test_a_rule_book_of_thousands_of_numbers() -> None:
    text = "\n\n".join(f"{number // 20 + 1}.{number % 20 + 1} Title\n\nText of it." for number in range(4_000))
    assert len(chunks_of(text)) == 4_000


@pytest.mark.parametrize(
    "line", ["1. A" + " " * 100_000 + "b", "Schedule 2. A" + " " * 100_000 + "b", "1. A" + "*_" * 50_000]
)
def test_long_lines_are_read_in_one_pass(line: str) -> None:
    assert chunks_of(f"{line}\n" * 5)
