"""Where sentences begin and end, in English and Bulgarian, and how long that takes to say."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.sentences import split_sentences


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Returns are free.", "Damage is reported within 48 hours!", "Is it?", "Yes."],
        ["See Art. 40(5), sec. 3 and No. 7 for Rs. 500 or 3.5 % of it.", "The rest follows."],
        ["Dr. Smith vs. Jones, e.g. in Fig. 2, pp. 3-5.", "Then what?"],
        ["The answer is No.", "We mean it."],
        ["It opens at 9 a.m. daily and closes at 6 p.m.", "Sunday it is closed."],
        ["Choose plan B.", "Returns are free in it."],
        ["Rule 13. The tenant pays on the first.", "It is due."],
        ["It follows rule 13.", "The tenant pays."],
        ["J. R. Smith signed.", "He left."],
        ["The code is AC-2.", "AX-204 v1.2 has E-4012."],
        ['"Why?" he asked.', '"Done."', "Then he left."],
        ["Wait... then go.", "So… Then stay."][:1],
        ["От 1 януари 2024 г. работодателят изплаща първите два дни.", "Останалото изплаща осигуряването."],
        ["Това важи през 2024 г.", "Министърът решава."],
        ["По чл. 40, ал. 5, т. 3 от закона и съгл. чл. 41а се изплаща 70 % от него.", "Друго няма."],
        ["Доставка на ул. Витоша 5, гр. София, струва 50 лв. на ден и др.", "Повече няма."],
        ["Обн. ДВ, бр. 12 от 1993 г., изм. бр. 5."][:1],
        ["Т.е. така, т.нар. обезщетение и т.н. се дължи.", "Край."],
        ["Чл. 40а. (1) Работникът съобщава.", "Той праща лист."],
        ["§ 5. Правилото по чл. 40 се прилага.", "Друго няма."],
        ["Art. 41. The employer pays.", "He pays twice."],
        ["1. First step.", "Second step."],
        ["Извършено е: 1. от длъжностно лице; 2. Повторно или 3. от група.", "Друго няма."],
        ["(4) (Зал. - ДВ, бр. 5 от 1990 г.) Законът важи.", "10. Друго няма."],
        ["**A1. Location** is compared.", "Then what?"],
        ["You have 7 days. [S1]", "Report damage [S2, S3].", "It is free.[S4]", "End."],
        ["**Note.**", "Text follows."],
        ["Mail us at help@kartly.in or www.kartly.in.", "We answer."],
        ["(See the note.)", "Then go."],
        ["It was made in the U.S. Department of Trade.", "The U.K. Home Office and E.U. Member States agree."],
        [
            "It is held in the U.S.",
            "The rest is in the U.K.",
            "If you ask, we tell.",
            "So says the U.N.",
            "You may go.",
        ],
        ["It moved to Washington, D.C. Records stayed.", "It left the U.S.", "In May it came back."],
    ],
    ids=lambda sentences: sentences[0][:30],
)
def test_sentences_of_one_paragraph(sentences: list[str]) -> None:
    assert cut(" ".join(sentences)) == sentences
    # A soft wrap changes nothing.
    before, _, after = " ".join(sentences).rpartition(" ")
    assert [" ".join(one.split()) for one in cut(f"{before}\n{after}")] == sentences


def test_lines_that_stand_by_themselves() -> None:
    text = (
        "# Heading. With a stop\nText goes\non here. More.\n\n- first\n- second. Third\n  goes on\n* star\n(1) one\n(2) two\n"
        "1) one\n| a. B | c |\n|---|---|\n| x | y |\nTitle\n=====\n```\ncode. X\n\ny = 1\n```\nEnd  \nof it"
    )
    assert cut(text) == [
        "# Heading. With a stop",
        "Text goes\non here.",
        "More.",
        "- first",
        "- second.",
        "Third\n  goes on",
        "* star",
        "(1) one",
        "(2) two",
        "1) one",
        "| a. B | c |",
        "|---|---|",
        "| x | y |",
        "Title",
        "=====",
        "```",
        "code. X",
        "y = 1",
        "```",
        "End",
        "of it",
    ]


def test_title_without_marks_is_a_sentence_of_its_own() -> None:
    assert cut("Warranty\nThe warranty covers faults in material and workmanship.") == [
        "Warranty",
        "The warranty covers faults in material and workmanship.",
    ]


@given(st.text(alphabet="aБ1 .!?\n\r\t#-|*>[]()`\"'”…。S,_§", max_size=200))
def test_every_character_stands_in_exactly_one_sentence(text: str) -> None:
    spans = split_sentences(text)
    assert all(start < end for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    outside = text
    for start, end in reversed(spans):
        assert text[start:end] == text[start:end].strip()
        outside = outside[:start] + outside[end:]
    assert not outside.strip()


HARD = [
    "a ",
    "a",
    ".",
    ". ",
    "a. ",
    "? ",
    " ",
    "\n",
    "(\n",
    "[1] ",
    ".[1]",
    "1.1",
    "A.",
    "A. ",
    "-",
    "- ",
    "> ",
    "*_",
    ".)",
    "| ",
    "[S1",
    "Чл. ",
]


@pytest.mark.parametrize("part", HARD)
def test_hard_patterns_are_read_in_one_pass(part: str) -> None:
    """A rule that looks back or ahead without bounds would need hours for these."""
    text = (part * 200_000)[:200_000]
    spans = split_sentences(text)
    assert not spans or spans[-1][1] == len(text.rstrip())


def test_one_sentence_of_a_hundred_thousand_characters() -> None:
    text = "word " * 20_000 + "end."
    assert split_sentences(text) == [(0, len(text))]


def test_a_numbered_paragraph_begins_behind_a_sentence_that_ended() -> None:
    text = "3.1 No loud music between 11 pm and 7 am.\n3.2 The tenant answers for visitors;\n3.3 Noise is reported."
    assert [text[start:end] for start, end in split_sentences(text)] == text.split("\n")
    wrapped = "The fee is\n3.50 EUR a key, and the rate of interest is\n1.25 Percent a year."
    assert len(split_sentences(wrapped)) == 1


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("A change needs the vote specified in\n§4.2. It is open for a week.", 2),
        ("A change needs the vote specified in\n§ 4. It is open for a week.", 2),
        ("They are asked for the vote that is specified in\nSection 4.2. It is open for a week.", 2),
        ("They are asked, as the rules have it, under\nArt. 5. The vote is open for a week.", 2),
        ("Members who did not vote may appeal, as set out in section\n4. The appeal is free.", 2),
        ("Изплаща се по реда, посочен в\n§ 5. Друго няма.", 2),
        ("Изплаща се по реда на\nЧл. 40. Друго няма.", 2),
        ("The vote is as in\nSection 4.2 of these rules and their annex.", 1),
    ],
)
def test_a_wrapped_line_may_begin_with_a_reference(text: str, sentences: int) -> None:
    assert len(cut(text)) == sentences
    assert cut(text)[0].count("\n") == 1


@pytest.mark.parametrize(
    "text",
    [
        "General provisions\n§ 5. The rule holds.",
        "Отпуск\nЧл. 155. Всеки има право на отпуск.",
        "The first rule ends here.\nArt. 5. The vote is open.",
        "The fee is paid by\n1. the tenant, or\n2. the landlord",
        "Things to bring\n1. A passport\n2. A deposit",
    ],
)
def test_an_article_behind_a_title_or_a_stop_begins_anew(text: str) -> None:
    assert cut(text) == text.split("\n")
