"""Questions that only a value of one kind answers (a price, a weight, a number of days), and whether a text holds any.

Both sides are kept narrow, since a right answer refused is the worse fault: a question counts only where its words leave no doubt
about the kind, and a text that so much as speaks of the kind ("at no extra cost", "the weight is on the label") holds one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_NUMBER = r"(?:(?<![\d.,])\d[\d.,]{0,12}[½¼¾]?[\s-]?|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|an?)[\s-])"
_IS = r"(?:is|are|was|were|will|would|does|do|did|'s|’s)"
#: How many words may stand between the parts of a question.
_GAP = r"(?:\W+\w+){0,9}?\W+"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


#: What a span of time is told by.
_TIME = (
    r"\d[\s-]second\b|\b(?:seconds|minutes?|hours?|days?|nights?|weekends?|weeks?|fortnights?|months?|quarters?|years?|decades?)\b"
    r"|\d\s?(?:s|secs?|h|hrs?|mins?|d|wks?|yrs?)\b|\b\d{1,2}[:.]\d\d\b"
    r"|\b(?:hourly|daily|nightly|overnight|weekly|monthly|quarterly|yearly|annual\w*|immediate\w*|instant\w*|forever"
    r"|permanent\w*|indefinite\w*|unlimited|lifetime|midnight|noon|today|tomorrow|at once|straight ?away"
    r"|january|february|march|april|june|july|august|september|october|november|december)\b"
)
#: What asks for a kind of value, and what holds one.
_KINDS = tuple(
    (_pattern(asks), _pattern(holds))
    for asks, holds in (
        (
            rf"\bhow much {_IS}{_GAP}costs?\b|\bwhat {_IS}{_GAP}costs?\s*\?|\bhow (?:expensive|dear|cheap) (?:is|are)\b"
            rf"|\bwhat {_IS} the (?:\w+ )?prices? (?:of|for)\b",
            r"[$€£¥₹₽₺]|\d\s?%"
            r"|\b(?:inr|rs|usd|eur|gbp|bgn|chf|cad|aud|jpy|pln|sek|nok|dkk|czk|huf|ron|zar|aed|kč|zł|kr|ft)\b"
            r"|\d[.,]\d\d\b|\d (?:per|each|an?|at)\b"
            r"|\b(?:per ?cent|rupees?|dollars?|euros?|pounds?|pence|cents?|lev\w?|yen|quid|bucks|francs?|points)\b"
            r"|\b(?:gratis|complimentary|on the house|included|rates?|surcharge|supplement|deposit|waived|billed|bills?)\b"
            r"|\bcharged (?:an?|the|at|for|per)\b"
            r"|\bfree\b|\bpric|\bcosts?\b|\bfees?\b|\bno (?:\w+ )?charge|\bcharges? of\b|\btariff|\bpaid\b|\bexpens",
        ),
        (
            rf"\bhow heavy\b(?!.*\b(?:penalt|fine|traffic|rain|workload))"
            rf"|\bhow much {_IS}{_GAP}weigh\b|\bwhat {_IS}{_GAP}weigh\s*\?",
            rf"{_NUMBER}(?:mg|g|gr|kg|kgs|lbs?|oz|t)\b|\bmass\b|\bscales?\b|\b(?:kilo|gram|pound|ounce|tonne|tons?\b|stones?\b)|\bweigh|\bheav",
        ),
        (
            rf"\bwhat\s?{_IS} (?:the|your|their|its) (?:\w+ ){{0,2}}?(?:tele)?phone number\b"
            r"|\bwhich (?:\w+ )?number (?:do|can|should|must) i (?:call|ring|dial)\b",
            r"\+?\(?\d(?:[\s().–/-]?\d){5,}|☎"
            r"|\b(?:phone|call|ring|ext|extension)\b[\s.:]*\d|\b(?:whatsapp|landline|mobile)\b"
            r"|\b(?:tel|telephone|hotline|helpline|dial|switchboard|phone number)\b"
            r"|\bcall (?:us|the|on|our)\b",
        ),
        (
            rf"\bwhat\s?{_IS} (?:the|your|their|its) (?:\w+ ){{0,2}}?e-?mail(?: address)?\b|\b(?:which|what) e-?mail address\b",
            r"\S\s?@\s?\S|[\[(]at[\])]|\be.?mail|\bmailbox\b|\binbox\b",
        ),
        (
            r"\bhow many (?:\w+ )?(?:seconds|minutes|hours|days|nights|weeks|months|years)\b",
            _TIME,
        ),
    )
)


@lru_cache(maxsize=512)
def _held_by(question: str) -> re.Pattern[str] | None:
    return next((holds for asks, holds in _KINDS if asks.search(question)), None)


def lacks_value(question: str, texts: Iterable[str]) -> bool:
    """Whether an English question asks for a kind of value that none of these texts holds."""
    holds = _held_by(question)
    return holds is not None and not any(holds.search(text) for text in texts)
