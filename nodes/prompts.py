"""Loading and filling the prompt files of the ``prompts`` folder.

A file has a ``# System`` part, a ``# User`` part, or both. ``{name}`` marks a place. Filling is one pass, so that a value is
never searched for places of its own. The files are read when this module loads: a node must not read a disk.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from knowledge.errors import BadInput

_PART = re.compile(r"^# (System|User)[ \t]*$", re.MULTILINE)
_PLACE = re.compile(r"\{([a-z_]+)\}")
_TEXTS = {
    file.name.removesuffix(".md"): file.read_text(encoding="utf-8")
    for file in files("prompts").iterdir()
    if file.name.endswith(".md")
}


@cache
def load(name: str) -> Mapping[str, str]:
    """The parts of ``prompts/<name>.md``, by heading. Raises ``BadInput`` when there is no such file, or no part in it."""
    if name not in _TEXTS:
        raise BadInput(f"The prompt file prompts/{name}.md is missing: restore it.", field="prompts")
    pieces = _PART.split(_TEXTS[name])
    parts = {heading: text.strip() for heading, text in zip(pieces[1::2], pieces[2::2], strict=True)}
    if not parts:
        raise BadInput(f"prompts/{name}.md needs a line '# System' or '# User' above its text.", field="prompts")
    return parts


def fill(name: str, values: Mapping[str, str]) -> list[BaseMessage]:
    """The messages of a prompt with its places filled, the system message first. Raises ``BadInput`` for an unknown place."""
    parts = load(name)
    messages: list[BaseMessage] = []
    if "System" in parts:
        messages.append(SystemMessage(_filled(name, parts["System"], values)))
    if "User" in parts:
        messages.append(HumanMessage(_filled(name, parts["User"], values)))
    return messages


def _filled(name: str, text: str, values: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            known = ", ".join(sorted(values))
            raise BadInput(f"prompts/{name}.md has the unknown place {{{match[1]}}}; known: {known}.", field="prompts")
        return values[match[1]]

    return _PLACE.sub(value, text)
