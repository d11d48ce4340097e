"""A list stays in one chunk with the sentence that leads it, where that is not much over the limit."""

from __future__ import annotations

import pytest

from knowledge.chunking import ChunkingDefaults, chunk
from knowledge.documents import SourceDocument


def chunks_of(text: str, limit: int = 40, chunker: str = "structural") -> list[tuple[str, bool]]:
    source = SourceDocument(document_id="d", title="T", text=text, source="d.md", chunker=chunker)
    found = chunk(source, ChunkingDefaults(limit=limit))
    return [(one.page_content[one.metadata["body_start"] :], "list_goes_on" in one.metadata) for one in found]


def bodies(text: str, limit: int = 40) -> list[str]:
    return [body for body, _ in chunks_of(text, limit)]


BEFORE = "The club was founded by the neighbours. " + "It has " + "many " * 24 + "members."
AFTER = "All of it is checked at the gate. " + "There is " + "much " * 24 + "to see."


@pytest.mark.parametrize("lead", ["Members bring:", "Members bring the things in the list below."])
@pytest.mark.parametrize("joint", ["\n", "\n\n"])
@pytest.mark.parametrize("marks", [("-", "-", "-", "-"), ("1.", "2.", "3.", "4."), ("(a)", "(b)", "(c)", "(d)")])
def test_a_list_and_its_lead_are_one_chunk(lead: str, joint: str, marks: tuple[str, ...]) -> None:
    items = joint.join(f"{mark} A tool. It is theirs, and it is\n  clean and sharp." for mark in marks)
    assert f"{lead}{joint}{items}" in bodies(f"{BEFORE} {lead}{joint}{items}\n\n{AFTER}")


def test_what_follows_a_list_is_not_of_it() -> None:
    items = "\n".join(f"- tool number {number} of the shed" for number in range(4))
    found = bodies(f"{BEFORE}\n\nMembers bring:\n\n{items}\n\n{AFTER}")
    assert found[1] == f"Members bring:\n\n{items}" or found[1].startswith(f"Members bring:\n\n{items}\n\nAll of it")
    assert any(body.endswith("to see.") for body in found[2:])


def test_a_long_list_is_cut_behind_its_first_item_at_the_earliest() -> None:
    items = "\n".join(f"- tool number {number} of the shed, which is\n  clean and sharp" for number in range(12))
    found = chunks_of(f"{BEFORE} Members bring:\n\n{items}\n\n{AFTER}")
    assert sum("Members bring:\n\n- tool number 0" in body for body, _ in found) == 1
    assert all(len(body.split()) <= 60 for body, _ in found)
    listed = [(body, goes_on) for body, goes_on in found if "- tool" in body]
    assert len(listed) > 2
    assert [goes_on for _, goes_on in listed] == [*[True] * (len(listed) - 1), False]


def test_an_item_that_is_cut_goes_on_too() -> None:
    items = "\n".join(f"{number}. A tool is brought. " + "It is sharp and clean. " * 6 for number in range(1, 5))
    found = chunks_of(f"Members bring:\n\n{items}")
    assert [goes_on for _, goes_on in found] == [*[True] * (len(found) - 1), False]


@pytest.mark.parametrize("chunker", ["parent_child", "legal"])
def test_others_keep_lists_within_their_limit(chunker: str) -> None:
    items = "\n\n".join(f"- tool number {number} of the shed" for number in range(30))
    source = SourceDocument(
        document_id="d", title="T", text=f"{BEFORE}\n\nBring:\n\n{items}", source="d.md", chunker=chunker,
        chunker_options={"limit": 40},
    )  # fmt: skip
    found = [one for one in chunk(source, ChunkingDefaults()) if one.metadata.get("kind") != "parent"]
    assert any("Bring:\n\n- tool number 0" in one.page_content for one in found)
    assert all(one.metadata["words"] <= 40 for one in found)


def test_windows_do_not_end_behind_a_lead() -> None:
    items = "\n".join(f"- tool number {number} of the shed" for number in range(6))
    source = SourceDocument(
        document_id="d", title="T", text=f"The shed is open. {'It is ' + 'very ' * 20}large. Bring:\n\n{items}", source="d.txt",
        kind="text", chunker="recursive", chunker_options={"limit": 32, "unit": "words", "overlap": 0},
    )  # fmt: skip
    found = [one.page_content for one in chunk(source, ChunkingDefaults())]
    assert not any(one.endswith("Bring:") for one in found)
