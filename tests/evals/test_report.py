from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from evals import pictures
from evals.ablating import Row
from evals.bootstrap import Difference
from evals.golden import Item
from evals.report import Report, lost_at, page, write_report
from evals.running import Outcome
from evals.summary import summarise

pytest.importorskip("matplotlib")
pictures.check_drawing()

QUESTION = "Is <b>AX-204</b> & co. covered?"


def outcome(number: int, *, ranked: str, needed: str | None = "a", answerable: bool = True, **more: object) -> Outcome:
    order = tuple(ranked)
    item = Item(
        id=str(number),
        question=QUESTION,
        needed={needed: 1} if needed else {},
        answerable=answerable,
        kind=("name", "exact_code")[number % 2],
    )
    stages = {"retrieve": order, "fuse": order, "rerank": order[:8], "fit": order[:5]}
    return Outcome(item=item, stages=stages, threshold=0.2, timings_ms={"retrieve": 9.0, "fuse": 0.1}, **more)  # type: ignore[arg-type]


RUN = [
    outcome(1, ranked="abcdef", evidence=0.9),
    outcome(2, ranked="bcdefa", evidence=0.8),
    outcome(3, ranked="bc", evidence=0.1, refused=True),
    outcome(4, ranked="bc", needed=None, answerable=False, evidence=0.5),
]
ROW = Row(
    name="without the <dense> list",
    removes=True,
    stage="rerank",
    differences={name: Difference(-0.1, -0.2, -0.05) for name in ("recall@5", "all@5", "ndcg@10")},
    changed=2,
    ms=-0.3,
    verdict="brings something",
)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.urls: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.urls += [str(value) for name, value in attrs if name in ("src", "href")]


def test_one_file_with_its_pictures_inside(tmp_path: Path) -> None:
    report = Report(name="small", about="4 questions", summary=summarise(RUN), outcomes=RUN, stage="rerank", rows=[ROW])
    path = write_report(report, tmp_path / "out")
    assert [file.name for file in path.parent.iterdir()] == ["index.html"]
    text = path.read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(text)
    assert tags.seen.count("svg") == 5
    assert "script" not in tags.seen
    assert not [url for url in tags.urls if not url.startswith("#")]
    assert "recall@5" in text
    assert "Earns its place" in text


def test_documents_words_are_never_markup() -> None:
    text = page(Report(name="<x>", about="", summary=summarise(RUN), outcomes=RUN, stage="rerank", rows=[ROW]))
    assert "<b>AX-204" not in text
    assert "&lt;b&gt;AX-204" in text
    assert "<x>" not in text
    assert "without the <dense>" not in text


def test_what_was_misjudged_is_listed() -> None:
    text = page(Report(name="small", about="", summary=summarise(RUN), outcomes=RUN, stage="rerank"))
    assert "Refused or let through wrongly: 2" in text
    assert "not in the first five (2)" in text
    assert "What each stage" not in text


def test_a_set_without_judgements_or_kinds_still_has_a_page() -> None:
    bare = [Outcome(item=Item(id="1", question="?"), stages=dict.fromkeys(("retrieve", "fuse", "rerank", "fit"), ()))]
    text = page(Report(name="bare", about="", summary=summarise(bare), outcomes=bare, stage="rerank"))
    assert text.startswith("<!doctype html>")
    assert "recall" not in re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)


def test_stage_that_lost_it() -> None:
    assert lost_at(RUN[0]) == "kept"
    assert lost_at(RUN[1]) == "ranked too low"
    assert lost_at(RUN[2]) == "never found"
