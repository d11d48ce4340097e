"""Which sentences state a quantity or a date, and which questions turn on one."""

from __future__ import annotations

import re

from nodes.numerals import NUMBER_WORDS

#: Digits, number words, months and days of the week.
_HAS_QUANTITY = re.compile(
    r"\d|\b(?:(?i:one|an?) (?:(?:calendar|business|working|full|half|single) )?"
    r"(?:minute|hour|day|week|fortnight|month|quarter|year)"
    rf"|(?i:{'|'.join(sorted(NUMBER_WORDS - {'one', 'един', 'една', 'едно', 'acht', 'elf'}))}|once|twice|half)"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|May(?= or|,| and)"
    r"|January|February|March|April|June|July|August|September|October|November|December"
    r"|(?i:понеделник|вторник|сряда|четвъртък|петък|събота|неделя"
    r"|януари|февруари|март|април|май|юни|юли|август|септември|октомври|ноември|декември))\b"
)
_ASKS_QUANTITY = re.compile(
    r"\d|\bhow (?:long|many|much|late|soon|old|far|big|often)\b|\bwhen\b|\bdeadline|\b(?:колко|кога|срок)",
    re.IGNORECASE,
)


def quantity_in(text: str) -> bool:
    """Whether a sentence states a quantity or a date."""
    return _HAS_QUANTITY.search(text) is not None


def asks_quantity_in(question: str) -> bool:
    """Whether a question asks for one, or names one."""
    return _ASKS_QUANTITY.search(question) is not None
