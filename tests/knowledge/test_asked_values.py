"""A question for a price, a weight, a number to call, an address or a number of days, held against texts with and without one."""

from __future__ import annotations

import pytest

from knowledge.asked_values import lacks_value
from knowledge.evidence import DEFAULT_THRESHOLD, refusal_score
from knowledge.reranking import Candidate, Question

MANUAL = (
    "The QK-310 is a kettle with a steel lid. Press the lid for 3 seconds to open it. "
    "It boils 1.7 litres at 220 V in 4 minutes."
)


@pytest.mark.parametrize(
    "question",
    [
        "How much does the QK-310 cost?",
        "What does the kettle cost?",
        "How expensive is the QK-310?",
        "What is the price of the kettle?",
        "How heavy is it?",
        "How much does the QK-310 weigh?",
        "What is your phone number?",
        "Which number can I call?",
        "What is the e-mail address of the service?",
    ],
)
def test_a_text_without_such_a_value_lacks_it(question: str):
    assert lacks_value(question, [MANUAL])


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What does express delivery cost?", "Express delivery is INR 99 an order."),
        ("What does a copy cost?", "The first copy is free, each further one 2 lev."),
        ("How much will it cost to challenge the bill?", "You may challenge a bill at no extra charge."),
        ("How much does the permit cost?", "The council sets the fees each year."),
        ("How heavy may a parcel be?", "A parcel of more than 20 kg goes by freight."),
        ("How heavy is the lamp?", "It is a five-kg lamp."),
        ("How heavy is the tent?", "Packed size 40 cm, 7½ kg."),
        ("How heavy is the fine for parking here?", "Whoever parks here is towed."),
        ("What does breakfast cost?", "Prices in EUR\n\nBreakfast: 18 per person"),
        ("What does breakfast cost?", "Breakfast is gratis for guests of the club floor."),
        ("How much does late check-out cost?", "Late check-out is charged at half the night's rate."),
        ("How much does the locker cost?", "A deposit of 12 is taken at the desk."),
        ("What is your phone number?", "Reception: dial 9. Emergencies: ring 112."),
        ("What is your email address?", "desk (at) example.org"),
        ("How much does the mixer weigh?", "The weight is printed under its base."),
        ("What is your phone number?", "Call us on weekdays between 9 and 5."),
        ("What is the telephone number of the desk?", "The desk: 020 7946 0018."),
        ("What is your email address?", "Write to help@example.org."),
    ],
)
def test_a_text_that_holds_one_or_speaks_of_it_does_not(question: str, text: str):
    assert not lacks_value(question, [MANUAL, text])


NOTICE = "A member may resign, but should give some notice in advance, so that a second one can be found at any time."


def test_a_number_of_days_is_asked_of_what_tells_no_time():
    assert lacks_value("How many days notice must a member give?", [NOTICE])
    assert lacks_value("For how many full years is a member elected?", [NOTICE])
    assert not lacks_value("How many members are there?", [NOTICE])
    for told in (
        "Two weeks are enough.",
        "Members may leave immediately.",
        "It takes 30 min.",
        "Fees are due monthly.",
    ):
        assert not lacks_value("How many days notice must a member give?", [NOTICE, told])


@pytest.mark.parametrize(
    "question",
    [
        "How much do I get back?",
        "How much of the fee is refunded?",
        "How do I pay?",
        "Can I return my phone after a number of days?",
        "How much notice do I have to give?",
        "What happens if the price is wrong?",
    ],
)
def test_other_questions_ask_for_no_such_value(question: str):
    assert not lacks_value(question, [MANUAL])


def test_a_text_of_digits_alone_costs_no_more_than_its_length():
    assert lacks_value("How heavy is it?", ["1" * 200_000])
    assert lacks_value("What does it cost?", ["1," * 100_000])


def candidate(text: str, *, exact: bool) -> Candidate:
    return Candidate(id=text[:9], text=text, document_id="m", dense=0.7, keyword=9.0, exact=exact)


@pytest.mark.parametrize(("text", "answered"), [(MANUAL, False), (f"{MANUAL} It costs INR 1,499.", True)])
def test_the_price_of_a_product_must_stand_with_the_product(text: str, *, answered: bool):
    question = Question(
        text="How much does the QK-310 cost?",
        tokens=("qk-310", "cost"),
        term_idf={"qk-310": 2.0, "cost": 1.0},
        identifiers=("qk-310",),
    )
    other = candidate("Delivery costs INR 99. The delivery fee is paid once.", exact=False)
    evidence = refusal_score(question, [candidate(text, exact=True), other])
    assert (evidence >= DEFAULT_THRESHOLD) == answered
