"""Citing a sentence right that the model cited wrong: small models copy a rule well and slip on the label beside it.

A sentence that its own label does not support is held against every sentence of the passages. Where the passage with the nearest
one supports it by the same check, it is cited by that passage. A sentence that the nearest one does not bear out (another number,
the opposite) stays wrong, whatever some other passage says.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from knowledge.vectors import unit_rows
from nodes.checking import Checked, check_answer
from nodes.citing import without_heading
from nodes.quoting import quoted
from nodes.state import Passage, SentenceVerdict
from nodes.support import EmbedSentences, evidence_of
from nodes.words import content

#: One part cosine, two parts share of the words: what a copied or lightly turned rule reaches beside its source.
NEAR = 0.7
#: Near enough to be shown to a model that got its rule wrong.
RELATED = 0.4


async def relabelled(
    checked: Sequence[Checked],
    passages: Sequence[Passage],
    *,
    embed: EmbedSentences,
    question: str = "",
) -> list[Checked]:
    """The verdicts, with a failed sentence cited by its nearest passage where that one supports it.

    An answer without any known label is left alone: a model that cites nothing may have read nothing. A label that no passage has
    is never made good: it came from somewhere else.
    """
    known = {passage["label"] for passage in passages}
    if all(item.supported for item in checked) or not any(
        label in known for item in checked for label in item.said.labels
    ):
        return list(checked)
    out = []
    for item in checked:
        strange = any(label not in known for label in item.said.labels)
        found = None if item.supported or strange else await nearest(item.said.text, passages, embed)
        if found is None:
            out.append(item)
            continue
        said = f"{item.said.text} [{found[0]['label']}]"
        # Against all passages: another than the nearest may decide.
        again = await check_answer(said, passages, embed=embed, question=question)
        stands = len(again) == 1 and again[0].supported and again[0].said.text == item.said.text
        out.append(again[0] if stands else item)
    return out


async def nearest(
    text: str, passages: Sequence[Passage], embed: EmbedSentences, *, near: float = NEAR
) -> tuple[Passage, str] | None:
    """The passage with the sentence that is nearest to this one, right or wrong, and that sentence; ``None`` below ``near``.

    One sentence, not a passage as a whole: two rules of another passage must not outweigh the one that this garbles.
    """
    text = without_heading(text, passages)
    wanted = content(text)
    evidence = evidence_of([passage["text"] for passage in passages])
    if not evidence or not wanted:
        return None
    vectors = unit_rows(await embed([text, *(item.text for item in evidence)]))
    held = np.array([len(wanted & item.words) / len(wanted) for item in evidence])
    worth = (vectors[1:] @ vectors[0] + 2 * held) / 3
    best = int(worth.argmax())
    return (passages[evidence[best].source], evidence[best].text) if worth[best] >= near else None


async def with_sources(
    checked: Sequence[Checked], passages: Sequence[Passage], *, embed: EmbedSentences
) -> list[SentenceVerdict]:
    """The verdicts as findings for the model: the problem of a failed sentence with what the nearest passage says instead."""
    out = []
    for item in checked:
        verdict = item.verdict()
        found = None if item.supported else await nearest(item.said.text, passages, embed, near=RELATED)
        if found:
            quote = quoted(" ".join(found[1].split()))
            verdict["problem"] = f'{item.problem}; [{found[0]["label"]}] says: "{quote}"'
        out.append(verdict)
    return out
