"""``check_faithfulness``: what the documents do not support does not leave.

Each sentence of the draft is checked; where one fails, the model gets one round to repair it, then what fails is dropped if a
whole answer remains, else the desk refuses. Only here does a draft become an answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from nodes.answering import first_draft
from nodes.asking import DEFAULT_LIMITS, Limits
from nodes.checking import Checked, check_answer
from nodes.citing import Said, citation, renumbering, sentences_of, written
from nodes.context import Context
from nodes.generate_answer import EXTRACTIVE
from nodes.judging import judged
from nodes.relabelling import relabelled, with_sources
from nodes.state import Citation, Passage, SentenceVerdict, State, Verdict
from nodes.support import EmbedSentences
from nodes.tables import with_header

MAX_REPAIRS = 1
#: The share of a draft's sentences that must stand for the rest to be dropped: below it, what is left is no whole answer.
WHOLE = 0.5
#: A sentence that leans on the one before it falls with it.
_LEANS = re.compile(
    r"^(?:however|but|therefore|thus|so|hence|otherwise|also|in that case|in this case|then|it|this|that|these|those|they|such|"
    r"обаче|но|затова|следователно|иначе|също|тогава|това|той|тя|те)\b",
    re.IGNORECASE,
)


async def check_faithfulness(
    state: State,
    runtime: Runtime[Context],
    *,
    judge: BaseChatModel | None,
    embed: EmbedSentences,
    limits: Limits = DEFAULT_LIMITS,
) -> dict[str, Any]:
    """The answer with its citations and verdict; or ``findings`` for a repair; or a ``refusal_reason``."""
    passages = state["context"]
    by_model = state.get("model") != EXTRACTIVE
    last = not by_model or state.get("repairs", 0) >= MAX_REPAIRS
    out: dict[str, Any] = {}

    async def read(draft: str) -> list[Checked]:
        question = state["standalone_question"]
        checked = await check_answer(draft, passages, embed=embed, question=question)
        if by_model:
            checked = said_once(await relabelled(checked, passages, embed=embed, question=question))
        if judge is None or not checked:
            return checked
        runtime.stream_writer({"node": "check_faithfulness", "event": "judge"})
        checked, calls, warning = await judged(checked, passages, judge, limits=limits)
        made = out.get("model_calls", state.get("model_calls", {}))
        out["model_calls"] = {**made, "judge": made.get("judge", 0) + calls}
        if warning:
            out["warnings"] = list(dict.fromkeys([*state.get("warnings", []), warning]))
        return checked

    checked = await read(state["draft"])
    failed = [item for item in checked if not item.supported]
    runtime.stream_writer(
        {"node": "check_faithfulness", "event": "checked", "sentences": len(checked), "failed": len(failed)}
    )
    if checked and not failed:
        return {**out, **_answer(checked, checked, passages, state)}
    if checked and not last:
        findings = await with_sources(checked, passages, embed=embed)
        return {**out, "findings": findings, "repairs": state.get("repairs", 0) + 1, "verdict": _verdict(checked)}
    kept = surviving(checked)
    before = first_draft(state.get("findings", []))
    if not kept and _said_in(before) != _said_in(state["draft"]):
        # A small model may spoil a draft by repairing it: then what stood in the first one is the answer.
        earlier = await read(before)
        kept = surviving(earlier)
        checked = earlier if kept else checked
    if kept:
        return {**out, **_answer(kept, checked, passages, state)}
    return {**out, "verdict": _verdict(checked), "refusal_reason": "unsupported_answer"}


def after_check(state: State) -> Literal["generate_answer", "refuse", "__end__"]:
    """An answer ends the run; findings go back to the model; a reason leads to the refusal."""
    if state.get("refusal_reason"):
        return "refuse"
    return "__end__" if state.get("answer") else "generate_answer"


def _said_in(draft: str) -> list[str]:
    return [said.text for said in sentences_of(draft)]


def said_once(checked: Sequence[Checked]) -> list[Checked]:
    """Each sentence the first time that it is said with these labels: a small model can say one until its length runs out."""
    found: dict[tuple[str, frozenset[str]], Checked] = {}
    for item in checked:
        found.setdefault((item.said.text.casefold(), frozenset(item.said.labels)), item)
    return list(found.values())


def surviving(checked: Sequence[Checked]) -> list[Checked]:
    """The supported sentences, if they make a whole answer; else none. One that leans on a dropped sentence is dropped too."""
    kept: list[Checked] = []
    dropped_before = False
    for item in checked:
        stands = item.supported and not (dropped_before and _LEANS.match(item.said.text))
        if stands:
            kept.append(item)
        dropped_before = not stands
    return kept if kept and len(kept) >= WHOLE * len(checked) else []


def _answer(
    kept: Sequence[Checked], checked: Sequence[Checked], passages: Sequence[Passage], state: State
) -> dict[str, Any]:
    names = renumbering([item.said for item in kept], passages)
    renamed = [Passage(**{**passage, "label": names[passage["label"]]}) for passage in passages]
    if state.get("model") == EXTRACTIVE and len(kept) == len(checked):
        text = _renamed_in(state["draft"], names)
    else:
        text = written([item.said for item in kept], names)
    return {
        "answer": text,
        "draft": "",
        "refused": False,
        "refusal_reason": None,
        "context": renamed,
        "citations": _citations(kept, {passage["label"]: passage for passage in passages}, names),
        "verdict": _verdict([_with_names(item, names) for item in kept]),
        "messages": [AIMessage(text)],
    }


def _verdict(checked: Sequence[Checked]) -> Verdict:
    sentences: list[SentenceVerdict] = [item.verdict() for item in checked]
    return Verdict(faithful=bool(sentences) and all(item["supported"] for item in sentences), sentences=sentences)


def _with_names(item: Checked, names: dict[str, str]) -> Checked:
    labels = [names.get(label, label) for label in item.said.labels]
    return Checked(Said(item.said.text, labels), item.supported, item.score, item.problem, item.quotes)


def _renamed_in(text: str, names: dict[str, str]) -> str:
    return re.sub(r"\[(S\d+)\]", lambda match: f"[{names.get(match[1], match[1])}]", text)


def _citations(kept: Sequence[Checked], by_label: dict[str, Passage], names: dict[str, str]) -> list[Citation]:
    """For each sentence and each label it cites, the passage's sentence that supports it best; each quotation once.

    A table's row is quoted with its header, in a quotation of its own.
    """
    out: list[Citation] = []
    seen: set[tuple[str, int, int]] = set()
    for item in kept:
        for label, start, end in item.quotes:
            passage = by_label[label]
            for span in with_header(passage["text"], start, end):
                if (label, *span) not in seen:
                    seen.add((label, *span))
                    out.append(citation(Passage(**{**passage, "label": names[label]}), *span))
    return sorted(out, key=lambda found: int(found["label"][1:]))
