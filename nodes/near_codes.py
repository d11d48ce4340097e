"""The code that was meant where the one typed is in no document: a letter for a digit, two digits the wrong way round."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.documents import Document

from knowledge.codes import canonical, fold_with_offsets, is_code
from knowledge.identifiers import Identifier
from knowledge.index.port import ChunkIndex, ListRequest
from knowledge.scanning import scan
from knowledge.scope import Scope

#: What is taken for one another in print and by hand.
_CONFUSED = {"o": "0", "0": "o", "i": "1", "l": "1", "1": "il", "s": "5", "5": "s", "b": "8", "8": "b"}
#: Codes of one question that are looked into, and how long they may be.
_MOST_CODES, _LONGEST = 3, 16
_LOOKED_AT = 10


async def near_codes(
    index: ChunkIndex, missing: Sequence[Identifier], scope: Scope, vector: Sequence[float]
) -> dict[str, str]:
    """By the code as typed the one in the asker's documents that is a single slip away, as it is written there.

    A wrong digit counts only where one code alone is that near: among many numbers the neighbour of a number says nothing.
    """
    out: dict[str, str] = {}
    codes = [item for item in missing if item.kind == "code" and len(item.text) <= _LONGEST]
    for item in codes[:_MOST_CODES]:
        for names, alone in ((slips(item.text), False), (wrong_digits(item.text), True)):
            held = await _held(index, names, scope, vector)
            found = [name for name in names if name in held]
            if found and not (alone and len(found) > 1):
                out[item.text] = _as_written(found[0], held[found[0]])
                break
    return out


def slips(code: str) -> tuple[str, ...]:
    """Canonical forms of the code with one sign (wherever it stands, or everywhere) put right, or two digits changed about."""
    typed = code.casefold()
    out: list[str] = []
    for at, sign in enumerate(typed):
        for other in _CONFUSED.get(sign, ""):
            out += [typed[:at] + other + typed[at + 1 :], typed.replace(sign, other)]
    out += [
        typed[:at] + typed[at + 1] + typed[at] + typed[at + 2 :]
        for at in range(len(typed) - 1)
        if typed[at : at + 2].isdecimal()
    ]
    return _canonical(out, code)


def wrong_digits(code: str) -> tuple[str, ...]:
    """Canonical forms of the code with one digit another."""
    return _canonical(
        [code[: at.start()] + digit + code[at.end() :] for at in re.finditer(r"[0-9]", code) for digit in "0123456789"],
        code,
    )


def _canonical(spellings: Sequence[str], code: str) -> tuple[str, ...]:
    names = dict.fromkeys(canonical(spelling) for spelling in spellings if is_code(spelling))
    return tuple(name for name in names if name != canonical(code))


async def _held(
    index: ChunkIndex, names: tuple[str, ...], scope: Scope, vector: Sequence[float]
) -> dict[str, Document]:
    """Which of the names a document in scope holds, and one that does."""
    if not names:
        return {}
    requests = [
        ListRequest(limit=_LOOKED_AT, dense=vector, defines=names),
        ListRequest(limit=_LOOKED_AT, dense=vector, mentions=names),
    ]
    held: dict[str, Document] = {}
    for hits in (await index.search(requests, scope)).lists:
        for found in hits:
            metadata = found.document.metadata
            for name in (*metadata.get("defines", ()), *metadata.get("mentions", ())):
                if name in names:
                    held.setdefault(name, found.document)
    return held


def _as_written(name: str, document: Document) -> str:
    """The code as the document writes it; in capitals where only its heading or another spelling has it."""
    text = str(document.page_content)
    folded, offsets = fold_with_offsets(text)
    for finding in scan(folded, question=False):
        if finding.value == name:
            return text[offsets[finding.start] : offsets[finding.end - 1] + 1]
    return name.upper()
