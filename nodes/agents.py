"""Who is said to do something that the source tells without saying who: "refunds are paid by the courier".

``parties`` finds one party in another's place. Here nobody stands in that place: the source is passive, or gives a means ("by
bank transfer"). The house and the one it addresses may be meant by that; a third party that is named as the doer must be named.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from nodes.parties import is_inflected, is_third_party, parties_in, roles_in
from nodes.words import content, stem


def invented_agent(claim: str, sources: Sequence[str], *, context: Sequence[str] = ()) -> str | None:
    """The third party that does in the claim what no source has it do, or ``None``.

    That is one that no source and no ``context`` (headings, the question) names; or one that is named there, but in no sentence
    that has the verb, which others have.
    """
    doers = sorted(
        (party, verb, written)
        for kind, verb, party, written in roles_in(claim)
        if kind == "agent" and is_third_party(party) and not _is_compound(claim, written, verb)
    )
    if not doers:
        return None
    # "The doctor's instruction" names the doctor, who does nothing there.
    plain = [re.sub(r"['’]s?\b", "", text) for text in (*sources, *context)]
    named = frozenset[str]().union(*(parties_in(text) for text in (*sources, *context, *plain)))
    for party, verb, written in doers:
        if party not in named:
            return f"{written!r} is not in what it cites"
        telling = [text for text in sources if verb in content(text)]
        if telling and not any(party in parties_in(text) for text in telling):
            return f"{written!r} is not who does so in what it cites"
    return None


def _is_compound(claim: str, written: str, verb: str) -> bool:
    """Whether the word behind the party only makes a name with it ("a bank transfer")."""
    behind = re.search(rf"\b{re.escape(written)} (\w+)", claim, re.IGNORECASE)
    if behind is None or written.casefold().endswith("s"):
        return False
    word = behind[1].casefold()
    return word.isascii() and stem(word) == verb and not is_inflected(word)
