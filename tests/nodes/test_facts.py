from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.dates import dates
from nodes.facts import codes_in, facts_of, missing_facts, numbers_in, quotations_in

SOURCE = (
    "Electronics can be returned within 7 days of delivery. A refund of INR 1,000 is paid on 12 March 2024 at 10:30. "
    "The AX-204 shows error E-4012. Press 'My Orders' in the app. Write to help@kartly.example or see www.kartly.example/returns."
)


@pytest.mark.parametrize(
    "claim",
    [
        "You have seven days.",
        "You have one week.",
        "The refund is ₹1000.",
        "On March 12, 2024 it is paid.",
        "In March 2024 it is paid.",
        "Since 2024.",
        "It is paid on 2024-03-12 at 10:30.",
        "It is paid on 12.03.2024.",
        "The ax 204 shows E4012.",
        "The AX–204 has it.",
        'Open "My Orders".',
        "Write to help@kartly.example.",
        "See www.kartly.example/returns.",
        "One of them.",
    ],
)
def test_what_the_source_holds(claim: str) -> None:
    assert missing_facts(claim, [SOURCE]) == []


@pytest.mark.parametrize(
    ("claim", "missing"),
    [
        ("You have 70 days.", "70 days"),
        ("You have seven weeks.", "seven weeks"),
        ("The refund is INR 1,001.", "1,001"),
        ("The refund is USD 1,000.", "1,000"),
        ("It is paid on 13 March 2024.", "13 March 2024"),
        ("It is paid on 12 May 2024.", "12 May 2024"),
        ("It is paid on 12 March 2023.", "12 March 2023"),
        ("It is paid on 70 March 2024.", "70 March 2024"),
        ("It is paid on Monday.", "Monday"),
        ("It is paid at 11:30.", "11:30"),
        ("The AX-205 shows it.", "AX-205"),
        ("It shows E-4013.", "E-4013"),
        ("The USB-B cable.", "USB-B"),
        ('Open "My Returns".', "my returns"),
        ("Visit www.shoplux.com.", "www.shoplux.com"),
    ],
)
def test_what_the_source_lacks(claim: str, missing: str) -> None:
    found = missing_facts(claim, [SOURCE])
    assert len(found) == 1 and missing in found[0]


def test_a_table_may_say_the_unit_in_its_head() -> None:
    table = "| Item | Days |\n|---|---|\n| Shoes | 14 |"
    assert missing_facts("Shoes: 14 days.", [table]) == []
    assert missing_facts("Shoes: 14 weeks.", [table]) != []


def test_the_questions_number_may_stand_beside_the_rules_number_only() -> None:
    question = "Can I return them after 10 days?"
    assert missing_facts("10 days are more than the 7 days allowed.", [SOURCE], asked=question) == []
    assert missing_facts("You can return them after 10 days.", [SOURCE], asked=question) == ["the number 10 days"]
    assert missing_facts("9 days are more than the 7 days allowed.", [SOURCE], asked=question) == ["the number 9 days"]


def test_a_date_of_two_readings_agrees_with_either() -> None:
    [date] = dates("03/04/2024")
    assert date.agrees_with(dates("3 April 2024")[0]) and date.agrees_with(dates("4 March 2024")[0])
    assert not date.agrees_with(dates("5 March 2024")[0])


def test_the_modal_verb_is_no_month() -> None:
    assert dates("You may 5 times return it; it may be free.") == [] or facts_of("It may be free.").dates == []
    assert facts_of("You may return it in May 2024.").dates[0].text == "May 2024"


def test_kinds_for_the_rewrite_check() -> None:
    text = 'Is AX-204 or P0420 covered for seven days, 48 h and "gold plan"?'
    assert codes_in(text) == {"ax-204", "p-0420"}
    assert numbers_in(text) == {"7", "48"}
    assert quotations_in(text) == {"gold plan"}


@given(st.text(max_size=120))
def test_a_text_supports_its_own_facts(text: str) -> None:
    assert missing_facts(text, [text]) == []


def test_a_fraction_in_an_address_is_read_alike() -> None:
    assert missing_facts("Write to 0@¼.", ["Write to 0@¼."]) == []


def test_a_name_that_nobody_gave_is_missing() -> None:
    source = ["Shipping Policy\n\nKartly delivers to every serviceable PIN code in India."]
    assert missing_facts("Kartly delivers in India and Nepal.", source) == ["the name Nepal"]
    assert missing_facts("Kartly delivers in India and Nepal.", source, asked="Do you ship to Nepal?") == []
    assert missing_facts("The Shipping Policy says that Kartly delivers in India.", source) == []
    assert missing_facts("Delivery: Every PIN code in India.", source) == []


@pytest.mark.parametrize(
    ("claim", "missing"),
    [
        ("It costs €5 and is sold by Durgol.", ["the name Durgol"]),
        ("It is shown in the PayPal app.", ["the name PayPal"]),
        ("Картата се издава в Пловдив.", ["the name Пловдив"]),
        ("The Receiving Party may disclose it under this Agreement.", []),
        ("Die Karte gilt in der Bibliothek mit der Nummer.", []),
    ],
)
def test_names_in_any_alphabet_but_no_defined_terms(claim: str, missing: list[str]) -> None:
    assert missing_facts(claim, ["It costs €5 and may be disclosed by the recipient."]) == missing


def test_a_paragraphs_number_is_no_count() -> None:
    assert missing_facts("An applicant is 2 years old.", ["(2) An applicant is 18 years old."])


def test_a_paragraphs_digit_may_be_named_and_bears_out_no_word() -> None:
    source = ["(1) The rent is due. (2) No household may hold more than one plot."]
    assert not missing_facts("Paragraph 2 limits the plots.", source)
    assert missing_facts("No household may hold more than two plots.", source)
