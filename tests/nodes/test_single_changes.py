"""One thing changed in a rule, or the rule in other words: by sentence against sentence."""

from __future__ import annotations

import pytest

from nodes.agreement import disagreement
from nodes.facts import missing_facts
from nodes.polarity import as_free
from nodes.statements import parts

PARKING = "Parking is free for stays of up to 2 hours."
TRANSIT = "Delivery takes 3 to 6 business days after dispatch."
SALARY = "От 1 март 2022 г. фирмата изплаща първите два дни от отпуска в размер 60 %."
KEPT = "A repaired product keeps the rest of the warranty period."


def wrong(claim: str, source: str) -> bool:
    return bool(missing_facts(claim, [source]) or disagreement(claim, [source]))


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        # bounds
        ("Parking is free for stays of 2 hours upwards.", PARKING),
        ("Parking is free for stays of 2 hours at the least.", PARKING),
        ("Parking is free once 2 hours have passed.", "Parking is free within 2 hours."),
        ("The room is free 2 hours after the request at the earliest.", "The room is free within 2 hours of the request."),
        ("The card is for students under 26 years.", "The card is for students over 26 years."),
        ("Картата е за хора под 26 години.", "Картата е за хора над 26 години."),
        ("Сумата може да е по-малка от заплатата.", "Сумата може да е по-голяма от заплатата."),
        ("Store it dry when it is unused for less than a month.", "Store it dry when it is unused for a month or more."),
        ("Delivery takes 6 business days or more after dispatch.", TRANSIT),
        ("Delivery takes over 6 business days after dispatch.", TRANSIT),
        ("The fee is INR 20 for larger parcels.", "The fee is INR 20 for smaller parcels."),
        ("The plug needs 18 W at most.", "The plug needs 18 W or more."),
        ("For members over 18 years it lasts at least 10 days.", "For members over 18 years it lasts up to 10 days."),
        ("Молбата се подава най-рано два дни след отпуска.", "Молбата се подава до два дни след отпуска."),
        ("You have a day from delivery to report a fault.", "A fault must be reported within 48 hours of delivery."),
        ("Планът се чете веднъж на тримесечие.", "Планът се чете веднъж годишно."),
        ("The fee is at least INR 20 for a small blue parcel.", "The fee is INR 20 for a small blue parcel."),
        # dates
        ("До 1 март 2022 г. фирмата изплаща първите два дни от отпуска в размер 60 %.", SALARY),
        ("Важи за отпуск, започнал до 31.12.2023 г.", "Важи за отпуск, започнал след 31 декември 2023 г."),
        ("The rule applies until 1 March 2022.", "The rule applies from 1 March 2022."),
        ("The plan is read once a year, in the month of June.", "The plan is read once a year, in the month of May."),
        ("Планът се чете през месец юни.", "Планът се чете през месец май."),
        # ordinals and their neighbours
        ("От 1 март 2022 г. фирмата изплаща последните два дни от отпуска в размер 60 %.", SALARY),
        ("The parcel comes on the second business day.", "The parcel comes on the next business day."),
        ("The parcel comes on the same business day.", "The parcel comes on the next business day."),
        ("Данните се пращат до 5-о число на същия месец.", "Данните се пращат до 5-о число на следващия месец."),
        # units and currencies
        ("A fault must be reported within 48 business hours.", "A fault must be reported within 48 hours."),
        ("Таксата е 5 промила от сумата.", "Таксата е 5 процента от сумата."),
        ("Таксата е 5 процентни пункта от сумата.", "Таксата е 5 процента от сумата."),
        ("The fee is 5 percentage points of the sum.", "The fee is 5 percent of the sum."),
        ("The fee is 99 paise for each parcel.", "The fee is INR 99 for each parcel."),
        ("The fee is CHF 99 for each parcel.", "The fee is INR 99 for each parcel."),
        ("The fee is 99 yen for each parcel.", "The fee is INR 99 for each parcel."),
        ("The fee is 99 shekels for each parcel.", "The fee is INR 99 for each parcel."),
        # times
        ("The size can be changed any number of times.", "The size can be changed once."),
        ("The size can be changed as often as you like.", "The size can be changed only once."),
        # antonyms
        ("The store is closed on holidays.", "The store is open on holidays."),
        ("Requests may be made outside the term of the contract.", "Requests may be made within the term of the contract."),
        ("Parking is chargeable for stays of up to 2 hours.", PARKING),
        ("A repaired product loses the rest of the warranty period.", KEPT),
        ("The insurance is part of the fee.", "The insurance is separate from the fee."),
        ("Who breaches the rules of the house loses the deposit.", "Who observes the rules of the house loses the deposit."),
        ("The lamp is green when the tank is empty.", "The lamp is green when the tank is full."),
        ("Store the jar with a full lid.", "Store the jar with a half-full lid."),
        ("The express order comes before midnight.", "The express order comes before noon."),
        ("Perishable food is returnable.", "Perishable food, opened cosmetics and items made to order cannot be returned."),
        ("Yes, opened pens can still be returned after 9 days.",
            "A pen return made more than 9 days later is declined, even for opened pens."),
        ("Orders under ₹499 are delivered free.", "Delivery is free for orders of INR 499 or more."),
        ("A fault found late gets a new warranty.", "A fault found late keeps the original warranty."),
        ("The fee is refunded when a parcel arrives on time.", "The fee is refunded when a parcel arrives late."),
        ("The survey ignores cracks and dents in the frame.", "The survey looks for cracks and dents in the frame."),
        ("The lamp is off during loading.", "The lamp is red during loading."),
        ("The driver brings the old box and takes the new box.", "The driver brings the new box and takes the old box."),
        ("The lamp stays lit when busy and blinks lit when idle.", "The lamp blinks lit when busy and stays lit when idle."),
        ("A change costs extra when the new size has the same price.", "A change is free when the new size has the same price."),
        ("Few caps can be returned.", "Most caps can be returned."),
        ("The request must name the order, the item or the reason.", "The request must name the order, the item and the reason."),
        ("A change is asked for after the term of the contract.", "A change is asked for within the term of the contract."),
        ("Some trips are checked at the centre.", "All trips are checked at the centre."),
        ("Every second report gets an answer.", "Every report gets an answer."),
        ("The pay is given after recovery of the worker.", "The pay is given until recovery of the worker."),
        ("The pay is given after recovery of the worker.", "The pay is given until recovery of the worker or until the end."),
        ("It plays music for 9 hours with the lamp on or off.", "It plays music for 9 hours with the lamp off."),
        ("It stays connected to one device at a time.", "It stays connected to two devices at the same time."),
        ("The product carries a lifetime warranty.", "The product carries a warranty of 12 months."),
        # which rule comes first
        ("The general rule wins over the holiday rule.", "The holiday rule wins over the general rule."),
        ("The holiday rule gives way to the general rule.", "The holiday rule takes precedence over the general rule."),
        ("The shop gives an exchange instead of a refund.", "The shop gives a refund instead of an exchange."),
        # exceptions and "only"
        ("Socks can be returned unless there are reasons of hygiene.", "Socks cannot be returned for reasons of hygiene."),
        ("The rule applies to every category except food.", "The rule applies to every category, food and drink too."),
        ("The lamp is sold only to schools and clubs.", "The lamp is sold to schools and clubs."),
        ("A refund goes to any account except the one of the order.", "A refund goes to the account of the order."),
        ("The request need only name the order.", "The request must name the order, the item and the reason."),
        ("Every trip is exempt from the inspection.", "Every trip gets the inspection."),
        ("Labels are optional when caps are returned.", "Caps must be returned with the labels."),
        ("Customers may keep personal data.", "Customers must erase personal data."),
        ("The member loses the deposit for all days.", "The member loses the deposit only for the days of the breach."),
    ],
)  # fmt: skip
def test_one_change_is_told(claim: str, source: str) -> None:
    assert wrong(claim, source)
    assert not wrong(source, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Parking is free for stays of 2 hours at the most.", PARKING),
        ("Delivery takes at most 6 business days after dispatch.", TRANSIT),
        ("From 1.3.2022 the rule applies.", "The rule applies from 1 March 2022."),
        ("Планът се чете през май.", "Планът се чете през месец май."),
        ("The parcel comes on the following business day.", "The parcel comes on the next business day."),
        ("Press it for one second.", "Press it for 1 second."),
        ("It comes before 12 noon.", "It comes before noon."),
        ("Socks can't be returned, and neither can hats.", "Socks and hats cannot be returned."),
        ("It takes an hour and a half.", "It takes 90 minutes."),
        ("The driver takes the old box and brings the new box.", "The driver brings the new box and takes the old box."),
        ("The rule is for caps, hats and scarves.", "The rule is for scarves, hats and caps."),
        ("The return window for pens is 9 days.", "A pen return later than 9 days is declined."),
        ("Delivery doesn't cost anything for orders of INR 499 or more.", "Delivery is free for orders of INR 499 or more."),
        ("The fee is refunded for broken items, but not for others.", "The fee is refunded for broken items."),
        ("The pickup costs the customer nothing.", "The pickup of an item is free of cost for the customer."),
        ("Caps or hats cannot be returned.", "Caps and hats cannot be returned."),
        ("The fee is paid once the item passes.", "The fee is paid after the item passes."),
        ("It is free for each order.", "It is free for every order."),
        ("Важи за отпуск, започнал не по-късно от 31.12.2023 г.", "Важи за отпуск, започнал до 31 декември 2023 г."),
        ("The lamp is switched on or off by pressing the key.", "Press the key to switch the lamp on or off."),
        ("Don't forget the invoice: a return must include it.", "A return must include the invoice."),
        ("Out-of-stock sizes mean a refund.", "A refund is paid where sizes are out of stock."),
        ("Nine minutes are enough for 5 hours of music.", "It plays music for 5 hours after nine minutes."),
        (
            "A return of pens asked for after more than seven days is declined.",
            "A pen return asked for more than 7 days after delivery is declined, even for opened pens.",
        ),
        ("It comes before midday.", "It comes before noon."),
        ("Таксата е 5 на сто от сумата.", "Таксата е 5 процента от сумата."),
        ("If the tags are missing, the return is declined.", "A return without tags is declined."),
        ("A refund is paid where the size isn't in stock.", "A refund is paid where the size is out of stock."),
        ("A refund is made by bank transfer to an account in your name.",
            "A refund is paid by bank transfer to an account in the customer's name."),
        ("Kartly sends you a link by email and SMS.", "Kartly sends a link by email and SMS."),
        ("Rather than an exchange, the shop gives a refund.", "The shop gives a refund instead of an exchange."),
        ("The general rule gives way to the holiday rule.", "The holiday rule takes precedence over the general rule."),
        ("The general rule is overridden by the holiday rule.", "The holiday rule takes precedence over the general rule."),
        ("A return is accepted only with the invoice.", "A return must include the invoice."),
        ("The item can be changed only once.", "The item can be changed once."),
        ("Delivery is offered only in some towns.", "Delivery is available in certain towns."),
        ("A return is not accepted unless it includes the invoice.", "A return must include the invoice."),
        ("The store isn't closed on holidays.", "The store is open on holidays."),
        ("The store is open, except on Sundays.", "The store is open on all days other than Sundays."),
        ("A repaired product doesn't lose the rest of the warranty period.", KEPT),
    ],
)  # fmt: skip
def test_the_same_in_other_words_is_not(claim: str, source: str) -> None:
    assert not any(disagreement(part, [source]) for part in parts(as_free(claim)))
    assert not missing_facts(claim, [source])


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("The A-1 doesn't support fast charging; the B-2 does.", True),
        ("The B-2 supports fast charging, but the A-1 does not.", True),
        ("The A-1 supports fast charging; the B-2 doesn't.", False),
        ("The B-2 doesn't support fast charging, while the A-1 does.", False),
    ],
)
def test_what_another_thing_does_too_is_read_in_full(claim: str, right: bool) -> None:
    sources = ["The A-1 does not support fast charging.", "The B-2 supports fast charging."]
    assert len(parts(claim)) == 2
    assert any(disagreement(part, sources) for part in parts(claim)) is not right
