from __future__ import annotations

import pytest

from nodes.citing import Said
from nodes.particles import with_particles_joined, without_unchecked_particle

RULE = "Electronics can be returned within 7 days."


@pytest.mark.parametrize(
    ("text", "question", "left"),
    [
        (f"Yes, {RULE}", "Can I return them after 10 days?", RULE),
        (f"Yes, {RULE}", "Can I return electronics?", f"Yes, {RULE}"),
        ("No, the AX-204 does not support it.", "Does it?", "No, the AX-204 does not support it."),
        ("No, the AX-204 supports it.", "Does it?", "The AX-204 supports it."),
        ("Yes, it is not covered.", "Is it covered?", "It is not covered."),
        ("No later than 7 days.", "When?", "No later than 7 days."),
        ("Yes.", "Is it?", "Yes."),
        ("Не, не се изплаща.", "Изплаща ли се?", "Не, не се изплаща."),
    ],
)
def test_a_particle_stays_where_its_sentence_bears_it_out(text: str, question: str, left: str) -> None:
    assert without_unchecked_particle(text, question) == left


def test_a_bare_particle_joins_the_next_sentence() -> None:
    joined = with_particles_joined([Said("No.", []), Said("It does not.", ["S1"]), Said("Fine.", ["S2"])])
    assert joined == [Said("No, It does not.", ["S1"]), Said("Fine.", ["S2"])]
    assert with_particles_joined([Said("Yes.", [])]) == [Said("Yes.", [])]
