"""What is known of an embedding model by its name: its languages, the words before a question and a passage, its zero."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Traits:
    """What is known of a model by its name.

    ``languages`` are ISO codes, ``None`` means all; ``query`` and ``document`` are put before the texts. A question over
    ``window`` words is read in several parts, because the model would cut it there; ``None`` leaves questions whole.
    ``unrelated`` is the cosine of a question and a passage that have nothing to do with each other; ``None`` has it measured.
    ``alike``: the model is known to read a question and a sentence in one way, so that a text has one vector.
    """

    languages: frozenset[str] | None = None
    query: str = ""
    document: str = ""
    window: int | None = None
    unrelated: float | None = None
    alike: bool = False


_ENGLISH = frozenset({"en"})
_BGE_QUERY = "Represent this sentence for searching relevant passages: "
_INSTRUCT = "Instruct: Given a question, retrieve the passages that answer it\nQuery: "

#: The first entry whose text stands in the model's name (lower case) is taken. From the models' own cards.
_KNOWN: tuple[tuple[str, Traits], ...] = (
    ("nomic-embed-text-v2", Traits(None, "search_query: ", "search_document: ")),
    ("nomic-embed-text", Traits(_ENGLISH, "search_query: ", "search_document: ")),
    ("e5-mistral", Traits(_ENGLISH, _INSTRUCT)),
    ("multilingual-e5-large-instruct", Traits(None, _INSTRUCT)),
    ("multilingual-e5", Traits(None, "query: ", "passage: ")),
    ("e5-small", Traits(_ENGLISH, "query: ", "passage: ")),
    ("e5-base", Traits(_ENGLISH, "query: ", "passage: ")),
    ("e5-large", Traits(_ENGLISH, "query: ", "passage: ")),
    ("bge-m3", Traits()),
    ("bge-small-en", Traits(_ENGLISH, _BGE_QUERY)),
    ("bge-base-en", Traits(_ENGLISH, _BGE_QUERY)),
    ("bge-large-en", Traits(_ENGLISH, _BGE_QUERY)),
    ("mxbai-embed-large", Traits(_ENGLISH, _BGE_QUERY)),
    ("arctic-embed2", Traits(None, "query: ")),
    ("arctic-embed-l-v2", Traits(None, "query: ")),
    ("arctic-embed-m-v2", Traits(None, "query: ")),
    ("arctic-embed", Traits(_ENGLISH, _BGE_QUERY)),
    ("multilingual", Traits()),
    ("minilm", Traits(_ENGLISH, window=180, unrelated=0.0)),
    ("all-mpnet", Traits(_ENGLISH)),
    ("multi-qa", Traits(_ENGLISH)),
    ("all-distilroberta", Traits(_ENGLISH)),
)


def traits_of(name: str) -> Traits:
    """What is known of the model of that name; an unknown one gets no prefixes and is taken to know every language."""
    lowered = name.lower()
    return next((traits for part, traits in _KNOWN if part in lowered), Traits())
