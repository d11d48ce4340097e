"""The demo shelves and their golden sets hold what the rest of the project counts on.

The cutting is written out here once more, in its plainest form, so that these facts do not depend on the chunkers they
are used to judge.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import Stemmer

ROOT = Path(__file__).resolve().parents[2]
KARTLY = ROOT / "knowledge" / "kartly"
SICK_PAY = ROOT / "knowledge" / "bg-sick-pay"
GOLDEN = ROOT / "evals" / "golden"
LIMIT = 120
ARTICLE = re.compile(r"^(?:Чл\. (\d+[а-я]?)\.|(§ \d+)\.)", re.MULTILINE)
KINDS = {
    "single",
    "multi",
    "exact_code",
    "paraphrase",
    "typo",
    "off_topic",
    "near_topic",
    "injection",
    "follow_up",
}
EXPECTED_CHUNKS = {
    "returns": 2,
    "electronics-returns": 2,
    "clothing-returns": 1,
    "damage": 1,
    "refunds": 2,
    "exchanges": 1,
    "shipping": 2,
    "warranty": 2,
    "ax-204-manual": 2,
    "bx-900-manual": 2,
}


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+", " ".join(text.split()))


def sections(markdown: str) -> list[tuple[str, str]]:
    """(heading path, body) of every heading that has text of its own."""
    found: list[tuple[str, str]] = []
    path: list[str] = []
    for part in re.split(r"^(?=#{1,3} )", markdown, flags=re.MULTILINE)[1:]:
        heading, _, body = part.partition("\n")
        marks, _, name = heading.partition(" ")
        path = [*path[: len(marks) - 1], name]
        if body.strip():
            found.append((" > ".join(path), body.strip()))
    return found


def pack(body: str, limit: int = LIMIT) -> list[list[str]]:
    """Sentences packed greedily up to `limit` words, one sentence of overlap where it fits."""
    if len(body.split()) <= limit:
        return [sentences(body)]
    pieces: list[list[str]] = [[]]
    for sentence in sentences(body):
        if words(pieces[-1]) + len(sentence.split()) > limit:
            overlap = pieces[-1][-1:]
            pieces.append(overlap if words([*overlap, sentence]) <= limit else [])
        pieces[-1].append(sentence)
    return pieces


def words(piece: list[str]) -> int:
    return sum(len(sentence.split()) for sentence in piece)


def kartly_chunks() -> dict[str, str]:
    """Chunk id, counted from 1, to its text: the heading path, then the body."""
    chunks: dict[str, str] = {}
    for file in sorted(KARTLY.glob("*.md")):
        pieces = [
            f"{path}\n{' '.join(piece)}" for path, body in sections(file.read_text("utf-8")) for piece in pack(body)
        ]
        chunks.update({f"{file.stem}#{number}": text for number, text in enumerate(pieces, 1)})
    return chunks


def sick_pay_chunks() -> dict[str, str]:
    """One chunk an article, and one for the text before the first."""
    chunks: dict[str, str] = {}
    for file in sorted(SICK_PAY.glob("*.md")):
        text = file.read_text("utf-8")
        starts = [0, *(match.start() for match in ARTICLE.finditer(text)), len(text)]
        for number, (start, end) in enumerate(pairwise(starts), 1):
            chunks[f"{file.stem}#{number}"] = " ".join(text[start:end].split())
    return chunks


CHUNKS = kartly_chunks()
ARTICLES = sick_pay_chunks()


def document_frequency(word: str) -> list[str]:
    return [key for key, text in CHUNKS.items() if word in re.findall(r"[a-z0-9-]+", text.lower())]


def stem_frequency(word: str) -> list[str]:
    stem = Stemmer.Stemmer("english").stemWord
    return [key for key, text in CHUNKS.items() if stem(word) in map(stem, re.findall(r"[a-z0-9]+", text.lower()))]


def manifest(shelf: Path) -> dict[str, dict[str, Any]]:
    documents: dict[str, dict[str, Any]] = json.loads((shelf / "manifest.json").read_text("utf-8"))["documents"]
    return documents


def golden(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / f"{name}.jsonl").read_text("utf-8").splitlines()]


def test_ten_files_make_seventeen_chunks() -> None:
    assert Counter(key.partition("#")[0] for key in CHUNKS) == EXPECTED_CHUNKS
    assert len(CHUNKS) == 17


def test_every_section_but_warranty_is_one_chunk_of_moderate_length() -> None:
    for file in KARTLY.glob("*.md"):
        if file.stem != "warranty":
            for path, body in sections(file.read_text("utf-8")):
                assert 35 <= len(body.split()) <= 110, path


def test_warranty_is_cut_in_two_pieces_that_share_one_sentence() -> None:
    [(_, body)] = sections((KARTLY / "warranty.md").read_text("utf-8"))
    assert len(body.split()) == 177
    first, second = pack(body)
    assert (words(first), words(second)) == (99, 94)
    assert first[-1] == second[0]
    assert len(first[-1].split()) == 16
    assert words(first[-1:]) + 177 == words(first) + words(second)


@pytest.mark.parametrize(
    ("word", "expected", "idf"),
    [
        ("ax-204", {"ax-204-manual#1", "ax-204-manual#2"}, 1.97),
        ("charging", {"ax-204-manual#2", "bx-900-manual#2"}, 1.97),
        (
            "headphones",
            {"ax-204-manual#1", "ax-204-manual#2", "bx-900-manual#1", "bx-900-manual#2", "electronics-returns#1"},
            1.19,
        ),
    ],
)
def test_document_frequencies(word: str, expected: set[str], idf: float) -> None:
    assert set(document_frequency(word)) == expected
    if "-" not in word:
        assert set(stem_frequency(word)) == expected
    n = len(expected)
    assert math.log(1 + (len(CHUNKS) - n + 0.5) / (n + 0.5)) == pytest.approx(idf, abs=0.005)


def test_codes_and_charge_words_stand_nowhere_else() -> None:
    for key, text in CHUNKS.items():
        for code in ("ax-204", "bx-900"):
            loose = code.replace("-", "[^a-z0-9]?")
            assert bool(re.search(loose, text.lower())) == key.startswith(code), (key, code)
        assert ("charg" in text.lower()) == (key in {"ax-204-manual#2", "bx-900-manual#2"}), key
        assert "earphone" not in text.lower()


@pytest.mark.parametrize(
    ("chunk", "phrases"),
    [
        ("returns#1", ["within 30 days of delivery", "A category rule wins over this general rule"]),
        (
            "electronics-returns#1",
            [
                "Electronics can be returned within 7 days of delivery.",
                "original packaging",
                "purchase invoice",
                "Electronics with customer-caused damage cannot be returned.",
            ],
        ),
        (
            "damage#1",
            [
                "reported within 48 hours of delivery",
                "applies to every category",
                "A late damage report is treated as a normal return.",
            ],
        ),
        ("shipping#1", ["every serviceable PIN code in India", "dispatched within 24 hours"]),
        ("shipping#2", ["Express delivery is available in selected cities."]),
        ("ax-204-manual#2", ["The AX-204 wireless headphones do not support fast charging."]),
        ("bx-900-manual#2", ["The BX-900 wireless headphones support fast charging."]),
    ],
)
def test_the_rules_of_the_shop(chunk: str, phrases: list[str]) -> None:
    for phrase in phrases:
        assert phrase in CHUNKS[chunk]


def test_the_thirty_and_seven_day_windows_are_not_mixed_up() -> None:
    assert [key for key, text in CHUNKS.items() if "within 30 days" in text] == ["returns#1"]
    assert [key for key, text in CHUNKS.items() if "within 7 days" in text] == ["electronics-returns#1"]
    assert [key for key, text in CHUNKS.items() if "within 48 hours of delivery" in text] == ["damage#1"]


@pytest.mark.parametrize("shelf", [KARTLY, SICK_PAY])
def test_manifest_names_every_file_by_its_first_heading(shelf: Path) -> None:
    entries = manifest(shelf)
    assert set(entries) == {file.name for file in shelf.glob("*.md")}
    for name, entry in entries.items():
        assert (shelf / name).read_text("utf-8").startswith(f"# {entry['title']}\n")
        assert re.fullmatch(r"2026-\d\d-\d\d", entry["updated_at"])
        assert entry["status"] == "active"
        assert "tenant" not in entry


def test_kartly_categories() -> None:
    by_category: dict[str, set[str]] = {}
    for name, entry in manifest(KARTLY).items():
        by_category.setdefault(entry["category"], set()).add(name.removesuffix(".md"))
        assert entry["language"] == "en"
    assert by_category == {
        "general": {"returns", "damage", "refunds", "exchanges", "shipping", "warranty"},
        "electronics": {"electronics-returns", "ax-204-manual", "bx-900-manual"},
        "clothing": {"clothing-returns"},
    }


def test_sick_pay_articles_carry_their_facts() -> None:
    illness = "obezshtetenie-pri-bolest"
    assert ARTICLES[f"{illness}#2"].startswith("Чл. 40. (1)")
    assert "(5) От 1 януари 2024 г. работодателят изплаща първите два работни дни" in ARTICLES[f"{illness}#2"]
    assert "70 % от среднодневното брутно възнаграждение" in ARTICLES[f"{illness}#2"]
    assert ARTICLES[f"{illness}#3"].startswith("Чл. 40а. (1)")
    assert ARTICLES[f"{illness}#4"].startswith("Чл. 41. (1)")
    assert "80 %" in ARTICLES[f"{illness}#4"]
    assert ARTICLES["prehodni-razporedbi#3"].startswith("§ 5. ")
    assert all(len(text.split()) <= LIMIT for text in ARTICLES.values())


def test_sick_pay_documents_open_with_a_preface_and_carry_a_notice() -> None:
    for name, entry in manifest(SICK_PAY).items():
        preface = ARTICLES[f"{name.removesuffix('.md')}#1"].removeprefix(f"# {entry['title']}")
        assert len(preface.split()) >= 10
        assert (entry["language"], entry["category"], entry["chunker"]) == ("bg", "sick-pay", "legal")
        assert entry["notice"] == "Обща информация, не е правен съвет."


@pytest.mark.parametrize(("name", "least", "chunks"), [("kartly", 80, CHUNKS), ("bg-sick-pay", 20, ARTICLES)])
def test_golden_questions_point_at_chunks_that_hold_their_facts(name: str, least: int, chunks: dict[str, str]) -> None:
    rows = golden(name)
    assert len(rows) >= least
    assert len({row["id"] for row in rows}) == len(rows)
    assert {row["kind"] for row in rows} == KINDS
    for row in rows:
        assert row["question"].strip(), row["id"]
        assert row["answerable"] == bool(row["needed"]) == bool(row["facts"]), row["id"]
        assert ("history" in row) == (row["kind"] == "follow_up"), row["id"]
        assert all(turn["role"] in {"user", "assistant"} and turn["content"] for turn in row.get("history", []))
        texts = [chunks[key].lower() for key in row["needed"]]
        for fact in row["facts"]:
            assert any(fact.lower() in text for text in texts), (row["id"], fact)
        for key, text in zip(row["needed"], texts, strict=True):
            assert any(fact.lower() in text for fact in row["facts"]), (row["id"], key)


def test_golden_kinds_mean_what_they_say() -> None:
    for row in [*golden("kartly"), *golden("bg-sick-pay")]:
        if row["kind"] in {"off_topic", "near_topic"}:
            assert not row["answerable"], row["id"]
        if row["kind"] == "multi":
            assert len(row["needed"]) > 1, row["id"]


def test_golden_categories_let_every_needed_chunk_be_seen() -> None:
    entries = manifest(KARTLY)
    for row in golden("kartly"):
        if row["category"] is not None:
            for key in row["needed"]:
                assert entries[f"{key.partition('#')[0]}.md"]["category"] in {row["category"], "general"}, row["id"]
