"""Why nothing of a passage stands in a quoted answer, though the passage reached the context."""

from __future__ import annotations

from nodes.checking import check_answer
from nodes.extracting import ENOUGH, MAX_PER_PASSAGE, MAX_SENTENCES, Choice, chosen_for, compose
from nodes.passage_sentences import Sentence, sentences_of
from nodes.state import State
from nodes.support import EmbedSentences

_SHOWN = 120


async def not_quoted(state: State, label: str, embed: EmbedSentences) -> str | None:
    """A sentence on why the answer quotes nothing of the passage with this label; ``None`` where it does."""
    choice = await chosen_for(state, embed=embed)
    if any(sentence.label == label for sentence in choice.chosen):
        return await _dropped(state, label, choice, embed)
    passage = next(one for one in state["context"] if one["label"] == label)
    if label not in {one["label"] for one in choice.passages}:
        best = choice.passages[0]["title"] if choice.passages else "the others"
        return (
            f"it is about something else by its identifiers or its category ({passage['category'] or 'none'}), and "
            f"{best!r} is on the same matter."
        )
    if not sentences_of(passage, 0, state["language"]):
        return "it holds no sentence that says anything by itself, such as headings, questions or bare numbers alone."
    own = [at for at, sentence in enumerate(choice.sentences) if sentence.label == label]
    if not own:
        return "its sentences belong to other entries than the one asked for, or do not name it."
    best_at = max(own, key=lambda at: choice.worth[at])
    return _too_little(choice, best_at)


def _too_little(choice: Choice, at: int) -> str:
    """What the passage's best sentence is worth, against what was quoted."""
    best, worth = choice.sentences[at], choice.worth[at]
    if worth < choice.floor:
        return (
            f"its best sentence, {_shown(best)}, is worth {worth:.2f}, and {choice.floor:.2f} is needed, "
            f"{ENOUGH:.0%} of what the best of all is worth."
        )
    return (
        f"its best sentence, {_shown(best)}, is worth enough ({worth:.2f} of {choice.floor:.2f}), but others say the same, or "
        f"came first: at most {MAX_SENTENCES} are picked, {MAX_PER_PASSAGE} of a passage."
    )


async def _dropped(state: State, label: str, choice: Choice, embed: EmbedSentences) -> str | None:
    """Why the check let none of what was quoted of the passage through; ``None`` where it let some."""
    draft = compose(choice.chosen, state["context"])
    checked = await check_answer(draft, state["context"], embed=embed, question=state["standalone_question"])
    own = [item for item in checked if label in item.said.labels]
    if not own or any(item.supported for item in own):
        return None
    return f"{own[0].said.text!r} was quoted, and the check dropped it: it {own[0].problem}."


def _shown(sentence: Sentence) -> str:
    text = sentence.text if len(sentence.text) <= _SHOWN else f"{sentence.text[:_SHOWN].rstrip()}…"
    return f'"{text}"'
