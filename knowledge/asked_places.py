"""The words of a question that say where to look for a code, or for what of it, and ask nothing about it.

"What is the text of AC-7(2) in the catalogue?" asks what AC-7(2) says: no document need speak of catalogues or of wordings.
Without a code such words stay what they are: "Where do I get the catalogue?".
"""

from __future__ import annotations

import re

from knowledge.identifiers import scan_identifiers

_PLACE = (
    r"(?:catalog(?:ue)?|data ?base|documentation|documents?|docs|files?|lists?|register|intranet|web ?site|site|web ?page|pages?"
    r"|manuals?|hand ?book|leaflet|booklet|brochure|guide|standard|publication|appendix|table|sheet|data ?sheet|system|wiki"
    r"|portal|knowledge base|library|archive|rule ?book|index|contract|paperwork)"
)
_KIND = (
    r"(?:(?:official|whole|full|complete|internal|online|printed|current|latest|new|old|product|service|user|company|support"
    r"|instruction|reference)\s+)?"
)
#: "in the official catalogue", "the leaflet says", and what of the code: "the wording of".
_LOCATING = re.compile(
    rf"\b(?:in|from|on|of|by|per|within|inside|under|according to)\s+(?:the|our|your|my|this|that|these|those)\s+"
    rf"(?P<place>{_KIND}{_PLACE})\b(?!\s+(?:price|cost|fee))"
    rf"|\b(?:the|our|your|my|this)\s+(?P<teller>{_KIND}{_PLACE}\s+"
    r"(?:say|state|tell|mention|read|give|list|show|define|describe|note)(?:s|ed)?)\b"
    r"|\b(?P<part>wording|contents?|description|definition|meaning|details?|info|information|explanation|summary|entry)\s+"
    r"(?:of|for|on|about|behind|to)\b",
    re.IGNORECASE,
)


def locating_spans(question: str) -> list[tuple[int, int]]:
    """The spans of such words, in order; none where the question names no code, article or section."""
    found = [
        match.span(name) for match in _LOCATING.finditer(question) for name, held in match.groupdict().items() if held
    ]
    return found if found and any(item.certain for item in scan_identifiers(question)) else []
