"""Which language a text is in, and what the keyword search does with that language: its stemmer and its stop words.

Short questions decide here, and a trained detector is at its worst on them ("refund" comes out as Latvian), so this is a
script test, then letters that only one language of the script uses, then function words. Plain ASCII text is English until
function words of another language outvote it. A text costs tens of microseconds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain

from knowledge.stopwords import FUNCTION_WORDS, STOP_WORDS

#: The answer where nothing decides: no stemming, no stop words.
UNDECIDED = "und"

#: ISO 639-1 code -> algorithm name of the Snowball library. Bulgarian has none and is left unstemmed.
STEMMERS = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "cs": "czech", "da": "danish",
    "nl": "dutch", "en": "english", "et": "estonian", "fi": "finnish", "fr": "french", "de": "german",
    "el": "greek", "hi": "hindi", "hu": "hungarian", "id": "indonesian", "ga": "irish", "it": "italian",
    "lt": "lithuanian", "ne": "nepali", "no": "norwegian", "nb": "norwegian", "nn": "norwegian", "fa": "persian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "es": "spanish",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

#: How much of a text is looked at: enough to decide, and a bound on the cost of a long document.
_SAMPLE = 2000

_SCRIPTS = {
    "cyrillic": re.compile(r"[\u0400-\u052f]"),
    "greek": re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]"),
    "latin": re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"),
    "arabic": re.compile(r"[\u0600-\u06ff\u0750-\u077f]"),
    "hebrew": re.compile(r"[\u0590-\u05ff]"),
    "devanagari": re.compile(r"[\u0900-\u097f]"),
    "tamil": re.compile(r"[\u0b80-\u0bff]"),
    "armenian": re.compile(r"[\u0530-\u058f]"),
    "georgian": re.compile(r"[\u10a0-\u10ff]"),
    "thai": re.compile(r"[\u0e00-\u0e7f]"),
    "kana": re.compile(r"[\u3040-\u30ff]"),
    "hangul": re.compile(r"[\u1100-\u11ff\uac00-\ud7af]"),
    "han": re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]"),
}
_ONE_LANGUAGE = {
    "greek": "el", "hebrew": "he", "devanagari": "hi", "tamil": "ta", "armenian": "hy", "georgian": "ka",
    "thai": "th", "kana": "ja", "hangul": "ko", "han": "zh",
}  # fmt: skip
#: Product names in Latin letters stand in texts of every script, so another script needs only this share of the letters.
_OTHER_SCRIPT_SHARE = 0.25

#: Letters and spellings that give a language away, with votes; the texts are casefolded. In Bulgarian, "ъ" stands before
#: consonants and at word ends and "ь" only before "о"; in Russian "ъ" stands only before е, ё, ю, я and "ь" anywhere.
_CYRILLIC_MARKS = (
    ("bg", re.compile(r"ъ(?![еёюя])"), 3),
    ("ru", re.compile(r"[ыэё]|ь(?!о)"), 3),
    ("uk", re.compile(r"[ґєії]"), 6),
    ("be", re.compile(r"ў"), 20),
    ("kk", re.compile(r"[әғқңұһ]"), 20),
    ("sr", re.compile(r"[љњћђџј]"), 6),
    ("mk", re.compile(r"[ѓќѕ]"), 20),
)
_LATIN_MARKS = (
    ("de", re.compile(r"ß|[äöü]"), 1),
    ("es", re.compile(r"[ñ¿¡]"), 2),
    ("pt", re.compile(r"[ãõ]|ç(?=ão|ões)"), 2),
    ("fr", re.compile(r"[èêëûîœ]|\b[ldjcnsmtq]['’](?=[aeiouyhéèê])"), 1),
    ("it", re.compile(r"\b(?:dell|all|nell|sull|un)['’]|[òì]\b"), 2),
    ("hu", re.compile(r"[őű]"), 3),
    ("pl", re.compile(r"[łżźśćńąę]"), 2),
    ("cs", re.compile(r"[řěů]"), 3),
    ("ro", re.compile(r"[șțăşţ]"), 2),
    ("tr", re.compile(r"[ğışİ]"), 2),
    ("sv", re.compile(r"[åä]"), 1),
    ("fi", re.compile(r"ää|öö|yy"), 2),
    ("da", re.compile(r"[æø]"), 1),
    ("no", re.compile(r"[æø]"), 1),
)  # fmt: skip
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
#: What any of them may look for beyond ASCII, but for the apostrophe.
_ACCENTED = re.compile(r"[^\W\d_]|[¿¡]")
#: Those of them that a text without such letters can show; looked for from the apostrophe, which is rare.
_ASCII_MARKS = (
    ("fr", re.compile(r"'(?<=\b[ldjcnsmtq]')(?=[aeiouyh])"), 1),
    ("it", re.compile(r"'(?:(?<=\bun')|(?<=\ball')|(?<=\bdell')|(?<=\bnell')|(?<=\bsull'))"), 2),
    ("fi", re.compile(r"yy"), 2),
)

#: Function words that plain ASCII text must show to be another language than English, and their share of its words.
_LEAST_WORDS = 2
_LEAST_SHARE = 0.12

_WORD = re.compile(r"[^\W\d_]+")
_ASCII_WORD = re.compile(r"[a-z]{2,}")
_LONGER_WORD = re.compile(r"[^\W\d_]{2,}")
_DIGIT = re.compile(r"\d")
# Anchored where a run without blanks starts: tried at each letter it would cost the square of the run.
_WITH_DIGIT = re.compile(r"(?<!\S)[^\s\d]*+\d\S*")
_CODE_LIKE = re.compile(r"(?<!\S)\S*\d\S*|https?://\S+|(?<!\S)\S+@\S+")


def detect_language(text: str) -> str:
    """The ISO 639-1 code of the text's language, or ``"und"`` where nothing decides.

    A text without any letters is ``"und"``. Cyrillic without evidence is Bulgarian (which stems nothing, so a mistake costs
    little), plain ASCII without evidence is English.
    """
    sample = _without_codes(text[:_SAMPLE])
    if sample.isascii():
        return _latin(sample.casefold()) if _SCRIPTS["latin"].search(sample) else UNDECIDED
    beyond = "".join(_BEYOND_ASCII.findall(sample))  # where all scripts but Latin stand: mostly a few quotes and dashes
    counts = {name: len(found) for name, script in _SCRIPTS.items() if (found := script.findall(beyond))}
    if counts.keys() <= {"latin"}:
        return _latin(sample.casefold()) if _SCRIPTS["latin"].search(sample) else UNDECIDED
    counts["latin"] = len(_SCRIPTS["latin"].findall(sample))
    total = sum(counts.values())
    others = {name: n for name, n in counts.items() if name != "latin" and n >= _OTHER_SCRIPT_SHARE * total}
    if not others:
        return _latin(sample.casefold())
    script = "kana" if "kana" in others else max(others, key=lambda name: others[name])
    if script == "cyrillic":
        return _cyrillic(sample.casefold())
    if script == "arabic":
        return "fa" if re.search(r"[پچژگ]", sample) else "ar"
    return _ONE_LANGUAGE[script]


def _without_codes(sample: str) -> str:
    """The sample with a blank for each run that holds a digit, an address of a page or of a mailbox."""
    if "@" in sample or "://" in sample:
        return _CODE_LIKE.sub(" ", sample)
    return _WITH_DIGIT.sub(" ", sample) if _DIGIT.search(sample) else sample


def stop_words(language: str) -> frozenset[str]:
    """The casefolded words that the keyword search leaves out; empty for a language without a stemmer."""
    return STOP_WORDS.get(language, frozenset()) if language in STEMMERS else frozenset()


def _cyrillic(sample: str) -> str:
    votes: Counter[str] = Counter({"bg": 0})
    for language, marks, weight in _CYRILLIC_MARKS:
        if found := len(marks.findall(sample)):
            votes[language] += weight * found
    votes.update(_function_words(_WORD.findall(sample), "cyrillic"))
    if votes["be"] == 0 and votes["uk"] and votes["kk"]:
        votes["uk"] = 0  # Kazakh writes "і" too
    if votes["mk"]:
        votes["mk"] += votes["sr"]  # Macedonian shares љ њ џ ј with Serbian
    return _winner(votes, "bg")


def _latin(sample: str) -> str:
    votes: Counter[str] = Counter({"en": 0})
    ascii_alone = sample.isascii()
    plain = ascii_alone or _ACCENTED.search("".join(_BEYOND_ASCII.findall(sample))) is None
    looked_at = sample.replace("’", "'") if plain else sample
    for language, marks, weight in _ASCII_MARKS if plain else _LATIN_MARKS:
        if found := len(marks.findall(looked_at)):
            votes[language] += weight * min(found, 4)
    marked = +votes
    # A word counts once, and a single letter not at all: "A/C" and a list of names are no Italian.
    words = (_ASCII_WORD if ascii_alone else _LONGER_WORD).findall(sample)
    votes.update(_function_words(frozenset(words), "latin"))
    winner = _winner(votes, "en")
    if winner == "en" or winner in marked:
        return winner if votes[winner] or ascii_alone or _mostly_ascii(words) else UNDECIDED
    accented = not all(word.isascii() for word in words)
    needed = max(1 if accented else _LEAST_WORDS, _LEAST_SHARE * len(set(words)))
    return winner if votes[winner] >= needed else "en"


def _mostly_ascii(words: Sequence[str]) -> bool:
    return 2 * sum(word.isascii() for word in words) > len(words)


def _function_words(words: Iterable[str], script: str) -> Counter[str]:
    """How many of the words each language has as a function word."""
    table = _by_word(script)
    known = filter(table.keys().__contains__, words)
    return Counter(chain.from_iterable(map(table.__getitem__, known)))


def _winner(votes: Counter[str], default: str) -> str:
    """The most votes; a tie goes to the default, then to the alphabet, never to chance."""
    best = max(votes.values())
    if votes[default] == best:
        return default
    return min(language for language, count in votes.items() if count == best)


@cache
def _by_word(script: str) -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for language, words in FUNCTION_WORDS.items():
        if (language in {"bg", "ru", "uk", "sr"}) is (script == "cyrillic"):
            for word in words:
                table.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in table.items()}
