"""A yes or no in front of a sentence. No passage says "yes": it is the model's conclusion, and stays where it can be checked.

"No" stays before a sentence that denies, "yes" before one that affirms; but where the question names a quantity ("after 10
days?") a yes would be a sum that nobody checked, so it goes and the rule itself remains.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from nodes.citing import Said
from nodes.numerals import quantities
from nodes.polarity import denials, neutral

_PARTICLE = re.compile(r"^(?:(?P<yes>yes|да|ja|oui|sí)|(?P<no>no|не|nein|non))\s*(?:[,.:;!–—-]+\s*|\Z)", re.IGNORECASE)


def with_particles_joined(sentences: Sequence[Said]) -> list[Said]:
    """The sentences with a bare "Yes." or "No." in front of the one that follows; alone it stays, for the check to refuse."""
    out: list[Said] = []
    held = ""
    for at, said in enumerate(sentences):
        match = _PARTICLE.match(said.text)
        if match and match.end() == len(said.text) and at + 1 < len(sentences):
            held = said.text.rstrip(" .,:;!–—-")
            continue
        out.append(Said(f"{held}, {said.text}" if held else said.text, said.labels))
        held = ""
    return out


def without_unchecked_particle(text: str, question: str) -> str:
    """The sentence, without a yes or no that the sentence itself does not bear out."""
    match = _PARTICLE.match(text)
    rest = text[match.end() :] if match else ""
    if match is None or not any(map(str.isalnum, rest)):
        return text
    denied = denials(neutral(rest)) % 2 == 1
    if (match["no"] and denied) or (match["yes"] and not denied and not quantities(question)):
        return text
    return rest[0].upper() + rest[1:]
