"""``refuse``: a fixed answer by reason and language. No model, no citations, no sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from nodes.context import Context
from nodes.state import RefusalReason, State, Verdict

_NOT_THERE: dict[str, str] = {
    "en": "I don't have that in your documents.",
    "bg": "Нямам това във вашите документи.",
    "de": "Das steht nicht in Ihren Dokumenten.",
    "fr": "Je ne trouve pas cela dans vos documents.",
    "es": "No tengo eso en sus documentos.",
    "ru": "Этого нет в ваших документах.",
}
_ANSWERS: dict[RefusalReason, dict[str, str]] = {
    "nothing_found": _NOT_THERE,
    "not_in_documents": _NOT_THERE,
    "weak_retrieval": {
        "en": "I don't have that in your documents: what I found does not answer the question.",
        "bg": "Нямам това във вашите документи: намереното не отговаря на въпроса.",
        "de": "Das steht nicht in Ihren Dokumenten: das Gefundene beantwortet die Frage nicht.",
        "fr": "Je ne trouve pas cela dans vos documents : ce que j'ai trouvé ne répond pas à la question.",
        "es": "No tengo eso en sus documentos: lo que encontré no responde a la pregunta.",
        "ru": "Этого нет в ваших документах: найденное не отвечает на вопрос.",
    },
    "unsupported_answer": {
        "en": "I can't give an answer that your documents support.",
        "bg": "Не мога да дам отговор, който вашите документи потвърждават.",
        "de": "Ich kann keine Antwort geben, die Ihre Dokumente belegen.",
        "fr": "Je ne peux pas donner de réponse que vos documents confirment.",
        "es": "No puedo dar una respuesta que sus documentos respalden.",
        "ru": "Не могу дать ответ, который подтверждают ваши документы.",
    },
}

#: For one identifier that stands nowhere, and for several.
_MISSING: dict[str, tuple[str, str]] = {
    "en": ("{names} is not in your documents.", "{names} are not in your documents."),
    "bg": ("{names} го няма във вашите документи.", "{names} ги няма във вашите документи."),
    "de": ("{names} steht nicht in Ihren Dokumenten.", "{names} stehen nicht in Ihren Dokumenten."),
    "fr": ("{names} n'est pas dans vos documents.", "{names} ne sont pas dans vos documents."),
    "es": ("{names} no está en sus documentos.", "{names} no están en sus documentos."),
    "ru": ("{names}: этого нет в ваших документах.", "{names}: этого нет в ваших документах."),
}


#: Behind it, the code in the documents that may have been meant, or several.
_NEAR: dict[str, tuple[str, str]] = {
    "en": ("{names} is.", "{names} are."),
    "bg": ("{names} го има.", "{names} ги има."),
    "de": ("{names} dagegen schon.", "{names} dagegen schon."),
    "fr": ("{names} s'y trouve.", "{names} s'y trouvent."),
    "es": ("{names} sí está.", "{names} sí están."),
    "ru": ("{names} есть.", "{names} есть."),
}


async def refuse(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """The refusal for ``refusal_reason``; where no node set one, nothing was found, or what was found is too weak."""
    reason: RefusalReason = state.get("refusal_reason") or (
        "weak_retrieval" if state.get("ranked") else "nothing_found"
    )
    answer = refusal_text(
        reason,
        state.get("language", "en"),
        missing=state.get("missing_identifiers", []),
        near=list(state.get("near_identifiers", {}).values()),
    )
    runtime.stream_writer({"node": "refuse", "event": "refused", "reason": reason})
    return {
        "answer": answer,
        "draft": "",
        "refused": True,
        "refusal_reason": reason,
        "citations": [],
        "notices": [],
        "verdict": state.get("verdict") or Verdict(faithful=False, sentences=[]),
        "messages": [AIMessage(answer)],
    }


def refusal_text(reason: RefusalReason, language: str, *, missing: Sequence[str] = (), near: Sequence[str] = ()) -> str:
    """The fixed answer, in English where the language has none.

    Identifiers that stand nowhere are named as they were typed, and ``near`` are those that are there and may have been meant.
    """
    if reason == "nothing_found" and missing:
        said = _MISSING.get(language, _MISSING["en"])[len(missing) > 1].format(names=", ".join(missing))
        offered = dict.fromkeys(near)
        if not offered:
            return said
        return f"{said} {_NEAR.get(language, _NEAR['en'])[len(offered) > 1].format(names=', '.join(offered))}"
    texts = _ANSWERS[reason]
    return texts.get(language, texts["en"])
