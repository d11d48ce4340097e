"""Rules side by side, and a claim that crosses them; by values, by dates, by what is denied, over one sentence and over two."""

from __future__ import annotations

import pytest

from nodes.parallels import crossed

TOOLS = ("Teachers may borrow up to 12 tools at a time, pupils up to 20.",)
FEES = ("We pay fees of up to £4,000 per year for horses and up to £2,500 per year for goats.",)
RESITS = ("First-year apprentices sit the test in August; final-year apprentices sit it in January.",)
SAUNA = ("The pool is open to clubs on Mondays and to schools on Thursdays.",)
PAYING = ("Coins are accepted at the kiosk.", "Vouchers are not accepted.")
BIKES = ("Scooters may be kept in the shed but not in the hallway.",)
CARDS = ("Volunteer work is paid; an internship is unpaid.",)
STEPS = ("Access of visitors is blocked on the first day and ended after 60 days.",)
HIRE = ("Riders under 25 pay a surcharge of $18 per day.", "Extra riders are named at the desk; they cost $9 per day.")
BAGS = ("Crates over 23 kg cost EUR 50 extra.", "Crates over 32 kg are not accepted.")
COVER = ("Damage to tyres and mirrors is not included in the basic cover.",)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Teachers may borrow up to 20 tools at a time, pupils up to 12.", TOOLS),
        ("Pupils may borrow up to 12 tools at a time.", TOOLS),
        ("We pay fees of up to £2,500 per year for horses and up to £4,000 per year for goats.", FEES),
        ("For goats, fees of up to £4,000 per year are paid.", FEES),
        ("First-year apprentices sit the test in January; final-year apprentices sit it in August.", RESITS),
        ("First-year apprentices sit the test in January.", RESITS),
        ("The pool is open to clubs on Thursdays and to schools on Mondays.", SAUNA),
        ("Vouchers are accepted but coins are not.", PAYING),
        ("Scooters may be kept in the hallway but not in the shed.", BIKES),
        ("An internship is paid; volunteer work is unpaid.", CARDS),
        ("Access of visitors is ended on the first day and blocked after 60 days.", STEPS),
        ("Extra riders cost $18 per day.", HIRE),
        ("Crates over 32 kg cost EUR 50 extra.", BAGS),
    ],
)
def test_crossed(claim: str, source: tuple[str, ...]) -> None:
    assert crossed(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Pupils may borrow up to 20 tools at a time, teachers up to 12.", TOOLS),
        ("Pupils may borrow up to 20 tools at a time.", TOOLS),
        ("Children may borrow up to 20 tools at a time.", TOOLS),
        ("Up to £2,500 per year is paid for goats and up to £4,000 per year for horses.", FEES),
        ("Final-year apprentices sit the test in January, first-year apprentices in August.", RESITS),
        ("On Thursdays the pool is for schools, on Mondays for clubs.", SAUNA),
        ("Coins are accepted at the kiosk, but vouchers are not.", PAYING),
        ("Vouchers are not accepted, but coins are.", PAYING),
        ("Scooters may not be kept in the hallway but may be kept in the shed.", BIKES),
        ("An internship is unpaid, but volunteer work is paid.", CARDS),
        ("Access of visitors is ended after 60 days and blocked on the first day.", STEPS),
        ("Extra riders cost $9 per day.", HIRE),
        ("Riders under 25 pay $18 more per day.", HIRE),
        ("Crates over 23 kg cost EUR 50 extra, and crates over 32 kg are not accepted.", BAGS),
        ("The basic cover does not include damage to tyres and mirrors.", COVER),
    ],
)
def test_not_crossed(claim: str, source: tuple[str, ...]) -> None:
    assert not crossed(claim, source)
