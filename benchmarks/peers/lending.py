"""Vectors made once and lent to every system, so that a large corpus need not be encoded once a system.

Imported inside the peers' environments: nothing but numpy, and sentence-transformers where it is patched.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any


def key_of(text: str) -> str:
    """What a text is found by: white space apart, which MiniLM's tokenizer doesn't see and some libraries change."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()[:24]


class Lent:
    """The vectors of a file that ``add`` wrote."""

    def __init__(self, path: Path) -> None:
        keys = json.loads(path.with_suffix(".json").read_text("utf-8"))
        self._at = {key: n for n, key in enumerate(keys)}
        self._rows = import_module("numpy").load(path, mmap_mode="r")

    def lacks(self, texts: Sequence[str]) -> bool:
        """Whether any of the texts was not made before."""
        return any(text not in self for text in texts)

    def __contains__(self, text: str) -> bool:
        return key_of(text) in self._at

    def rows(self, texts: Sequence[str]) -> Any:
        """Rows of the texts, shape (len(texts), dimension). Raises ``KeyError`` for a text that was not made before."""
        return self._rows[[self._at[key_of(text)] for text in texts]]


def add(path: Path, texts: Sequence[str], encode: Callable[[list[str]], Any]) -> None:
    """Encode what the file doesn't hold yet of the texts, and write it with them."""
    numpy = import_module("numpy")
    keys: list[str] = json.loads(path.with_suffix(".json").read_text("utf-8")) if path.is_file() else []
    held = set(keys)
    missing = {key: text for text in texts if (key := key_of(text)) not in held}
    if not missing:
        return
    rows = numpy.asarray(encode(list(missing.values())), dtype="float32")
    path.parent.mkdir(parents=True, exist_ok=True)
    numpy.save(path, numpy.concatenate([numpy.load(path), rows]) if keys else rows)
    path.with_suffix(".json").write_text(json.dumps([*keys, *missing]), "utf-8")


def lend(path: Path) -> None:
    """Let sentence-transformers answer a list of known texts from the file; anything else is encoded as ever."""
    model = import_module("sentence_transformers").SentenceTransformer
    held, encode = Lent(path), model.encode

    def lent(self: Any, sentences: Any, *args: Any, **options: Any) -> Any:
        if isinstance(sentences, list) and sentences and all(text in held for text in sentences):
            return held.rows(sentences)
        return encode(self, sentences, *args, **options)

    model.encode = lent
