"""The words for the answer model: rules in the system message, passages quoted in the user message; and reading what it says."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from knowledge.sentences import split_sentences
from nodes.citing import Said, labels_in, written
from nodes.prompts import fill
from nodes.quoting import heading_of, quoted, quoted_passages
from nodes.state import Passage, SentenceVerdict

NOT_IN_DOCUMENTS = "NOT_IN_DOCUMENTS"

_SENTINEL = re.compile(r"\bNOT[\s_]IN[\s_](?:THE[\s_])?DOCUMENTS?\b")
_SOURCES = (
    r"(?:(?:provided |given |available |supplied |above |your |these |the )*(?:documents?|passages?|sources?|context|texts?|"
    r"information|materials?|excerpts?|knowledge base|policy|policies|quotations?))"
)
_NOT_THERE = re.compile(
    rf"\b{_SOURCES} (?:\w+ ){{0,3}}?(?:do(?:es)? not|don['’]t|doesn['’]t|did not|didn['’]t|cannot|can['’]t|never|lacks?|"
    r"fails? to)\b|"
    rf"\b(?:not|nothing|no \w+|isn['’]t|aren['’]t|never) (?:\w+ ){{0,6}}?(?:in|by|from|within|on) {_SOURCES}\b|"
    r"\b(?:no|not enough|insufficient|any) (?:\w+ ){0,2}(?:information|mention|details?|answer|data|context|evidence)\b|"
    r"\b(?:i|we)(?:['’]m| am| are)? (?:do not|don['’]t|cannot|can['’]t|could not|couldn['’]t|not able to|unable to|sorry)\b"
    r"[^.]{0,60}?\b(?:know|have|find|answer|determine|tell|see|locate|help|provide|confirm|assist|say)\b|"
    r"\b(?:i am|i['’]m) (?:not sure|sorry)\b|\bcannot be (?:determined|answered|found)\b|\bunanswerable\b|"
    r"\b(?:няма|липсва|не намирам|не откривам|не съдържа\w*|не е посочен\w*|не се споменава|не се посочва|не мога да)\b[^.]{0,60}"
    r"\b(?:информация|документ\w*|пасаж\w*|текст\w*|данни|отговор\w*|контекст\w*)|\bне (?:знам|зная)\b|"
    r"\b(?:nicht|keine?) [^.]{0,40}(?:Dokument\w*|Passage\w*|Information\w*|Text\w*)|"
    r"\b(?:aucune|pas) [^.]{0,40}(?:document\w*|information\w*|passage\w*)|"
    r"\bno (?:hay|tengo|encuentro|se menciona)\b[^.]{0,40}(?:document\w*|informaci\w*|pasaje\w*)",
    re.IGNORECASE,
)
_LEAD = re.compile(r"\A\s*(?:\*\*)?(?:answer|отговор)\s*:(?:\*\*)?[ \t]*", re.IGNORECASE)
_LABEL_FIRST = re.compile(r"^\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)?(\[S\d{1,3}\])\s*:?\s*", re.IGNORECASE)
#: The marks that passages stand between in the prompt.
_COPIED_MARKS = re.compile(r"</?passages?>[ \t]*", re.IGNORECASE)
_APPLIES = re.compile(r"\(applies to:[^)]*\)\s*:?\s*\Z", re.IGNORECASE)
_MAX_REFUSAL_CHARACTERS = 600


def messages_for(
    question: str, passages: Sequence[Passage], *, draft: str = "", findings: Sequence[SentenceVerdict] = ()
) -> list[BaseMessage]:
    """The prompt for an answer; with ``findings`` a second round that shows the model its draft and what is wrong with it."""
    messages = fill("answer", {"question": quoted(question), "passages": quoted_passages(passages)})
    if findings:
        messages.append(AIMessage(draft))
        messages += fill("repair", {"findings": findings_text(findings)})
    return messages


def findings_text(findings: Sequence[SentenceVerdict]) -> str:
    """One line a faulty sentence, with its problem."""
    return "\n".join(f'- "{quoted(item["text"])}": {item["problem"]}.' for item in findings if not item["supported"])


def tidied(answer: str, passages: Sequence[Passage]) -> str:
    """The answer with each label behind its sentence, and without copied headings and marks.

    Small models write as the passages stand before them: ``[S1] Returns (applies to: electronics)``, a line break, then
    sentences; or ``[S1] Seven days.``; or one label behind a paragraph. Sentences that have their labels are left as they are.
    """
    headings = {" ".join(heading_of(passage).split()).casefold() for passage in passages} - {""}
    out: list[str] = []
    carried = ""
    for line in _LEAD.sub("", _COPIED_MARKS.sub("", answer)).splitlines():
        match = _LABEL_FIRST.match(line)
        rest = line[match.end() :].strip() if match else line.strip()
        if not rest:
            carried = match[1] if match else ""
        elif _APPLIES.sub("", rest).strip(" *#:").casefold() in headings:
            carried = match[1] if match else carried
        elif (match or carried) and not labels_in(rest):
            label = match[1] if match else carried
            out.append(" ".join(f"{rest[start:end].strip()} {label}" for start, end in split_sentences(rest)))
            carried = label
        else:
            carried = ""
            out.append(_shared_labels(line))
    return "\n".join(out)


def _shared_labels(line: str) -> str:
    """The line with a label at the end of several sentences given to each of them that has none: "A. B. [S2]"."""
    pieces = [line[start:end].strip() for start, end in split_sentences(line)]
    marks = [labels_in(piece) for piece in pieces]
    if all(marks) or not any(marks):
        return line
    out: list[str] = []
    following: list[str] = []
    for piece, labels in zip(reversed(pieces), reversed(marks), strict=True):
        out.append(piece if labels or not following else f"{piece} [{', '.join(following)}]")
        following = labels or following
    return " ".join(reversed(out))


def first_draft(findings: Sequence[SentenceVerdict]) -> str:
    """The draft that the findings are about, as it was read."""
    return written([Said(item["text"], list(item["labels"])) for item in findings])


def says_not_there(answer: str) -> bool:
    """Whether the whole answer is that the documents do not hold one, in whatever words.

    An answer with a citation is an answer, unless it says the agreed word: the check decides on its sentences.
    """
    if _SENTINEL.search(answer):
        return not labels_in(_SENTINEL.sub("", answer)) or len(answer) < 2 * len(NOT_IN_DOCUMENTS)
    if labels_in(answer) or len(answer) > _MAX_REFUSAL_CHARACTERS:
        return False
    return bool(_NOT_THERE.search(answer))


def without_remarks(answer: str) -> str:
    """The answer without the agreed word where it stands beside real sentences."""
    return _SENTINEL.sub("", answer).strip()


def whole_sentences(answer: str) -> str:
    """What is left of an answer that was cut: up to the last end of a sentence or label; empty when none ended."""
    end = max((match.end() for match in re.finditer(r"[.!?…](?:\s*\[[^\]]{1,20}\])*(?=\s|\Z)|\]", answer)), default=0)
    return answer[:end].strip()
