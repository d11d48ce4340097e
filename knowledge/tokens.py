"""The keyword search's tokens: one a word, stemmed for its language, and every code whole in its canonical form.

A code stands in a text as one token (``AX-204``, ``AX204`` and ``ax–204`` are all ``ax-204``). A label with its number is one
token too, the same in Bulgarian and English: ``чл. 41``, ``Art. 41`` and ``Article 41`` are ``art-41``; ``§ 5`` and
``Section 5`` are ``sec-5``. Written with a blank (``ax 204``), word and number stay apart in a text, because "within 48 hours"
holds no code; a *question* also proposes the joined readings, which count only where some text holds such a code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache, partial

from knowledge.codes import canonical, fold, is_code, is_unit
from knowledge.labels import JOINERS, KINDS, LABELS, NUMBER, PARAGRAPHS, label_number, without_paragraph
from knowledge.languages import STEMMERS, stop_words
from knowledge.stemming import stem

# Vowel signs of Indic and south-east Asian scripts, and other marks, are no \w, yet stand inside words.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8"
    "\u0900-\u0963\u0971-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece"
)
# What was taken is kept (++, *+): nothing that follows must stand there, so there is never a reason to go back.
_WORD = rf"[^\W_]++(?:[{_MARKS}]++[^\W_]*+)*+"
_JOINED = rf"{_WORD}(?:[-_./,'@]{_WORD})*+"
#: A word, or several joined without a blank (AX-204, can't, and/or, 85,000), with groups in parentheses; or section signs.
_LEXEME = re.compile(rf"{_JOINED}(?:\s?\([0-9]{{1,3}}[^\W\d_]?\)|\([^\W_]{{1,4}}\))*|§+")
#: The same in casefolded ASCII, and in such a text without parentheses.
_ASCII_JOINED = r"[0-9a-z]++(?:[-_./,'@][0-9a-z]++)*+"
_ASCII_LEXEME = re.compile(rf"{_ASCII_JOINED}(?:\s?\([0-9]{{1,3}}[a-z]?\)|\([0-9a-z]{{1,4}}\))*")
_PLAIN_LEXEME = re.compile(_ASCII_JOINED)
_PIECE = re.compile(rf"{_WORD}(?:'{_WORD})*")
_SYLLABIC = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2,}")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_DOTTED = re.compile(r"[0-9]+(?:\.[0-9]+)+")
_SLASHED_CODE = re.compile(r"[^\W\d_]{1,5}/[0-9]")
_LABEL_AND_NUMBER = re.compile(rf"({'|'.join(sorted(map(re.escape, LABELS), key=len, reverse=True))})[.-]?({NUMBER})")
_NUMBER = re.compile(NUMBER)
#: What a question may have split: a short word, a blank and a number (ax 204); a number and a letter (7 b).
_SPLIT_CODES = (
    re.compile(r"(?<![^\W_])[^\W\d_]{1,5}\s?[-./]?\s?[0-9]+(?:[-.][0-9]+)*[^\W\d_]?(?![^\W_])(?:\s?\([0-9]{1,3}\))*"),
    re.compile(r"(?<![^\W_])[0-9]{1,4} [^\W\d_]{1,2}(?![^\W_])"),
)
_LETTERS_AND_DIGITS = re.compile(r"([^\W\d_]{2,})-([0-9]{2,})")
#: A plural of letters alone: DVDs, VPNs. A stemmer takes the s only behind a vowel.
_PLURAL_LETTERS = re.compile(r"[b-df-hj-np-tv-xz]{3,}s")
#: Longer runs are data, not words: they are cut here, so that no token and no cache entry is large.
_LONGEST = 64


def tokenize(text: str, language: str = "en") -> list[str]:
    """The keyword search's tokens of a text, in order, duplicates kept.

    Casefolded and NFKC-normalised; stop words left out and words stemmed where ``language`` (ISO 639-1) has a stemmer.
    Chinese, Japanese and Korean text gives pairs of characters. Any string is accepted.
    """
    lexemes = _lexemes(fold(text).casefold())
    of_lexeme = _reader(language)
    if LABELS.keys().isdisjoint(lexemes):
        return [token for lexeme in lexemes for token in of_lexeme(lexeme)]
    return _with_labels(lexemes, of_lexeme)


def _lexemes(folded: str) -> list[str]:
    if not folded.isascii():
        return _LEXEME.findall(folded)
    return (_ASCII_LEXEME if "(" in folded else _PLAIN_LEXEME).findall(folded)


def tokenize_query(text: str, language: str = "en") -> list[str]:
    """``tokenize`` for a question: also the codes that a blank may have split (``ax 204``) and a code's parts (``iso27001``).

    The added tokens match only texts that hold such a code (or spell it with a blank), so an ordinary "within 48" adds nothing.
    """
    tokens = tokenize(text, language)
    folded = fold(text).casefold()
    added = [canonical(code) for split in _SPLIT_CODES for code in split.findall(folded)]
    for token in tokens:
        if (parts := _LETTERS_AND_DIGITS.fullmatch(token)) and parts[1] not in KINDS:
            added += [*_word_tokens(parts[1], language), parts[2]]
    known = set(tokens)
    return tokens + list(dict.fromkeys(token for token in added if token not in known))


def _with_labels(lexemes: Sequence[str], of_lexeme: Callable[[str], tuple[str, ...]]) -> list[str]:
    at, end = 0, len(lexemes)
    out: list[str] = []
    for label in [place for place, lexeme in enumerate(lexemes) if lexeme in LABELS]:
        if label < at:
            continue
        out += [token for lexeme in lexemes[at:label] for token in of_lexeme(lexeme)]
        at = label
        kind = LABELS[lexemes[at]]
        token = label_number(kind, lexemes[at + 1]) if at + 1 < end else None
        if token is None or (at + 2 < end and len(lexemes[at + 2]) > 1 and is_unit(lexemes[at + 2])):
            out += of_lexeme(lexemes[at])
            at += 1
            continue
        out += _label_tokens(token)
        at += 2
        if at + 1 < end and lexemes[at] in PARAGRAPHS and _NUMBER.fullmatch(lexemes[at + 1]):
            out.append(f"{without_paragraph(token)}({canonical(lexemes[at + 1])})")
            at += 2
        while at + 1 < end and lexemes[at] in JOINERS and _NUMBER.fullmatch(lexemes[at + 1]):
            if at + 2 < end and is_unit(lexemes[at + 2]):
                break
            out += _label_tokens(f"{kind}-{canonical(lexemes[at + 1])}")
            at += 2
    return out + [token for lexeme in lexemes[at:] for token in of_lexeme(lexeme)]


def _label_tokens(label: str) -> Iterator[str]:
    yield without_paragraph(label)
    if "(" in label:
        yield label


@cache
def _reader(language: str) -> Callable[[str], tuple[str, ...]]:
    """The cached function from a lexeme to its tokens in this language (one reader for all languages without a stemmer)."""
    if language not in STEMMERS and language:
        return _reader("")
    return lru_cache(maxsize=1 << 16)(partial(_lexeme_tokens, language=language))


def _lexeme_tokens(lexeme: str, language: str) -> tuple[str, ...]:
    if lexeme.isalpha() and len(lexeme) <= _LONGEST and (lexeme.isascii() or not _SYLLABIC.search(lexeme)):
        return _word_tokens(lexeme, language)
    if _THOUSANDS.fullmatch(lexeme):
        return (lexeme.replace(",", ""),)
    tokens: list[str] = []
    pattern = r"[,@]" if _SLASHED_CODE.match(lexeme) else r"[,@/]"
    for part in re.split(pattern, lexeme):
        if labelled := _LABEL_AND_NUMBER.fullmatch(part):
            tokens.extend(_label_tokens(f"{LABELS[labelled[1]]}-{canonical(labelled[2])}"))
        elif is_code(part):
            tokens.extend(_code_tokens(part, language))
        elif _DOTTED.fullmatch(part):
            tokens.append(part)
        else:
            for piece in _with_e(_PIECE.findall(part)) if part[:2] == "e-" else _PIECE.findall(part):
                tokens.extend(_piece_tokens(piece, language))
    return tuple(token[:_LONGEST] for token in tokens)


def _with_e(pieces: list[str]) -> list[str]:
    """An e-bike is an ebike, and a bike."""
    if len(pieces) > 1 and pieces[0] == "e" and pieces[1].isalpha() and len(pieces[1]) > 2:
        return [f"e{pieces[1]}", *(pieces[1:] if pieces[1] not in ("mail", "mails") else pieces[2:])]
    return pieces


def _code_tokens(code: str, language: str) -> Iterator[str]:
    """The code, and the words that are part of it (``covid`` of COVID-19), which people also search for by themselves."""
    yield canonical(code)
    runs = re.findall(r"[0-9]+|[^\W\d_]+", code)
    words = [run for run in runs if len(run) >= 4 and run.isalpha()]
    for word in words:
        yield from _word_tokens(word, language)


def _piece_tokens(piece: str, language: str) -> Iterator[str]:
    if _SYLLABIC.search(piece):
        yield from (piece[at : at + 2] for at in range(len(piece) - 1))
    elif "'" in piece and language != "en":
        for word in piece.split("'"):
            yield from _word_tokens(word, language)
    else:
        # A number with its unit (48hrs, 30days) is two words.
        for word in re.findall(r"[0-9]+|[^0-9]+", piece):
            yield from _word_tokens(word, language)


def _word_tokens(word: str, language: str) -> tuple[str, ...]:
    if word in stop_words(language):
        return ()
    if word[-1:] == "s" and _PLURAL_LETTERS.fullmatch(word):
        return (word[:-1],)
    algorithm = STEMMERS.get(language)
    if algorithm is not None and word.strip("'"):
        word = stem(word, algorithm) or word
    return ("email", "mail") if word in ("email", "emails") else (word,)
