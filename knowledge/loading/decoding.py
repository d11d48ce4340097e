"""Bytes to text: UTF-8 where it is UTF-8, else what its byte order mark or a guess says; binary data is told apart."""

from __future__ import annotations

import codecs
import re

from knowledge.loading.parsed import UnreadableError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MAGIC = (
    (b"%PDF-", "a PDF file"),
    (b"PK\x03\x04", "a ZIP archive or an Office file"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"{\\rtf", "an RTF file"),
)
#: What the guess chooses from first: the 8-bit encodings of the languages that policies here are written in.
_GUESSES = ["cp1252", "cp1251", "koi8_r", "iso8859_5", "cp866", "mac_cyrillic"]
#: And where Western European would put symbols inside words: Central European, Turkish, Greek.
_FURTHER = ["cp1250", "cp1254", "cp1253"]
_SYMBOL_IN_WORD = re.compile(r"[^\W\d_][¡-©«-´¶-¹»-¿]+[^\W\d_]")
#: All but tabulator, line and page ends and escape.
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_SAMPLE = 200_000
_MAX_DAMAGED = 0.01
_MAX_CONTROL = 0.01


def decode(data: bytes) -> str:
    """The text that ``data`` holds. Raises ``UnreadableError`` for binary data and where no encoding fits."""
    for magic, name in _MAGIC:
        if data.startswith(magic):
            raise UnreadableError(f"is {name} under a text file's name")
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _checked(_strict(data, encoding))
    if b"\x00" in data[:_SAMPLE]:
        return _checked(_wide(data))
    try:
        return _checked(data.decode("utf-8"))
    except UnicodeDecodeError:
        return _checked(_damaged_utf8(data) or _guess(data))


def _strict(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise UnreadableError(f"says that it is {encoding.upper()}, but is not: save it as UTF-8") from None


def _wide(data: bytes) -> str:
    """UTF-16 without a mark, where the zeros stand on one side only; else binary, unless the zeros are a few strays in UTF-8."""
    sample = data[:_SAMPLE]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if max(even, odd) > 20 * min(even, odd) and max(even, odd) > 0.02 * len(sample):
        try:
            return data.decode("utf-16-le" if odd > even else "utf-16-be")
        except UnicodeDecodeError:
            raise UnreadableError("is binary data, not text") from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise UnreadableError("is binary data, not text") from None


def _damaged_utf8(data: bytes) -> str | None:
    """UTF-8 with a few broken bytes, which a guess at 8-bit encodings would turn into nonsense throughout."""
    text = data.decode("utf-8", "replace")
    beyond_ascii = (
        len(text) - sum(map(text.count, map(chr, range(128)))) if len(text) < _SAMPLE else _beyond_ascii(text)
    )
    broken = text.count("\ufffd")
    return text if broken < _MAX_DAMAGED * beyond_ascii else None


def _beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _guess(data: bytes) -> str:
    """The likeliest 8-bit encoding, judged by a sample's letters and language, that decodes all of it."""
    # Any sample of an 8-bit encoding is a fair one: no character is cut in two.
    text = _best(data, _GUESSES)
    if text is None or _SYMBOL_IN_WORD.search(text, 0, _SAMPLE):
        text = _best(data, _FURTHER) or text
    if text is None:
        raise UnreadableError("is in an encoding that can't be told, or is not text: save it as UTF-8")
    return text


def _best(data: bytes, encodings: list[str]) -> str | None:
    from charset_normalizer import from_bytes

    for match in from_bytes(data[:_SAMPLE], cp_isolation=encodings):
        try:
            return data.decode(match.encoding)
        except UnicodeDecodeError:
            continue
    return None


def _checked(text: str) -> str:
    """Text that is text: hardly any control characters."""
    sample = text[:_SAMPLE]
    control = len(_CONTROL.findall(sample))
    if control > _MAX_CONTROL * len(sample):
        raise UnreadableError("is binary data, not text")
    return text
