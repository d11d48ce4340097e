"""Whether a claim says more than its source: "only", "all", "must" or a denial that the source has no word for.

The parts are soft: they lower the score of a claim, and one alone does not fail a sentence that the source says otherwise.
"""

from __future__ import annotations

import re

_DENIAL = re.compile(
    r"\b(?:not|cannot|no|never|without|exclud(?:es?|ed|ing)|не|няма|без)\b(?! later| more| less| longer| older| exceed)|n['’]t\b",
    re.IGNORECASE,
)
_PENALTIES = (
    (  # "shall only include" where nothing is exclusive
        0.3,
        re.compile(r"\b(?:only|solely|exclusively|само|единствено)\b", re.IGNORECASE),
        re.compile(
            r"\b(?:only|solely|exclusively|nothing but|(?<!not )limited to|no other|except|within|selected|certain|"
            r"само|единствено)\b",
            re.IGNORECASE,
        ),
    ),
    (  # a denial where nothing is denied
        0.2,
        _DENIAL,
        re.compile(
            r"\b(?:not|no|never|without|neither|nor|none|cannot|nothing|un(?:able|available|opened|used|paid|worn)|"
            r"in(?:eligible|valid)|excluded?|excludes|declined|refused|rejected|prohibit\w*|forb[ia]d\w*|bann?(?:ed|s)?|unless|"
            r"only|within|up to|until|"
            r"не|няма|без|освен|нито)\b|n['’]t\b",
            re.IGNORECASE,
        ),
    ),
    (  # a duty where nothing binds
        0.1,
        re.compile(r"\b(?:shall|must|required to|obliged to|трябва|длъжен|длъжни)\b", re.IGNORECASE),
        re.compile(
            r"\b(?:shall|must|will|agrees?|required?|requires|obligat\w+|obliged|undertakes?|covenants?|hereby|needs?|has to|"
            r"have to|within|cannot|only|трябва|длъж\w+|задължен\w*|следва)\b",
            re.IGNORECASE,
        ),
    ),
    (  # "all" where nothing is general
        0.1,
        re.compile(r"\b(?:all|every|each|always|всички|всеки|всяка|всяко|винаги)\b", re.IGNORECASE),
        re.compile(r"\b(?:all|every|each|any|always|both|the|всички|всеки|всяка|всяко|винаги)\b", re.IGNORECASE),
    ),
)


def overstatement(claim: str, source: str, nearest: str = "") -> float:
    """What a claim's score loses for what it says beyond the source, from 0 to 0.7.

    ``nearest``: the sentences that speak of the same, by default the whole source: another rule's denial is no ground for one.
    """
    return sum(
        penalty
        for penalty, said, grounds in _PENALTIES
        if said.search(claim) and not grounds.search(nearest or source if said is _DENIAL else source)
    )
