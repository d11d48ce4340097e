"""The chat page with answers that real documents give seldom: hostile, endless, of other scripts; and without its service."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.browsing import Page
from tests.e2e.conftest import serve

pytestmark = pytest.mark.slow

HOSTILE = '<img src=x onerror="window.hacked = 1"><script>window.hacked = 2</script>'
ENDLESS = "W" * 300
ARABIC = "يمكن إرجاع الأجهزة خلال 7 أيام."

#: In place of the service's stream: the result that the test gives, and what the page sent is kept.
PLAY = """
const [result, real] = [arguments[0], window.fetch];
window.fetch = async (path, options) => {
  if (!String(path).includes("/ask/stream")) return real(path, options);
  window.sent = options.body;
  return new Response(new Blob([`event: result\\r\\ndata: ${JSON.stringify(result)}\\r\\n\\r\\n`]));
};
"""
WIDTH = "return document.documentElement.scrollWidth"


def passage(number: int = 1, **more: Any) -> dict[str, Any]:
    named = {
        "title": "Title",
        "source": "file.md",
        "section": "Section",
        "category": "general",
        "text": "Some text here.",
    }
    return {"label": f"S{number}", "id": f"file#{number}", "page": None, "truncated": False, **named, **more}


def result(answer: str, *context: dict[str, Any], **more: Any) -> dict[str, Any]:
    """What the service would have sent."""
    hits = [{"id": one["id"], "score": 1.0} for one in context]
    quoted = [{**one, "quote": one["text"][:10], "start": 0, "end": 10} for one in context]
    return {
        "question": "", "standalone_question": "", "answer": answer, "refused": False, "refusal_reason": None,
        "context": list(context), "citations": quoted, "notices": [], "warnings": [], "queries": [], "evidence": 0.9,
        "ranked": hits, "fused": hits, "lists": [{"query": "q", "kind": "dense", "weight": 1, "hits": hits}],
        "chunk_ids": [one["id"] for one in context], "model": "model", "reranked": True, "reranker": "evidence",
        "timings_ms": {"retrieve": 5.0}, **more,
    }  # fmt: skip


def everywhere(text: str) -> dict[str, Any]:
    """An answer with that text wherever a text can stand."""
    return result(
        f"{text} [S1] **{text}**",
        passage(id=f"{text}#1", title=text, source=text, section=f"{text}.", category=text, text=f"Some {text}"),
        notices=[text], warnings=[text], queries=[{"text": text, "kind": "hyde", "weight": 1}],
        standalone_question=text, model=text, reranker=text,
    )  # fmt: skip


@pytest.mark.parametrize(("width", "height"), [(1280, 860), (640, 430), (320, 640)])
@pytest.mark.parametrize("text", [HOSTILE, ENDLESS], ids=["hostile", "endless"])
def test_text_is_text_and_stays_within_the_page(page: Page, text: str, width: int, height: int) -> None:
    page.size(width, height)
    page.driver.execute_script(PLAY, everywhere(text))
    turn = page.ask(f"Question {text}")
    page.press(turn.find_element("css selector", ".stages summary"))
    page.press(turn.find_element("css selector", ".cite"))

    assert page.driver.execute_script(WIDTH) <= width
    assert text in page.one("#source .passage").text and text in turn.find_element("css selector", ".notice").text
    assert page.driver.execute_script("return window.hacked ?? null") is None
    assert not page.all("#main img, #main script, #source img")


def test_an_endless_error_stays_within_the_page(page: Page) -> None:
    page.size(320, 640)
    page.driver.execute_script(
        PLAY.replace("event: result", "event: error"), {"error": {"code": "x", "message": ENDLESS}}
    )
    page.say("When?")
    page.wait(lambda: page.all(".problem"))

    assert page.driver.execute_script(WIDTH) <= 320


def test_the_numbers_of_an_answer_stay(page: Page) -> None:
    lines = [f"{number}. Step {number} of the return [S{number % 8 + 1}]" for number in range(1, 301)]
    answer = "\n".join([*lines[:2], "- a point", "- another", *lines[2:]])
    page.driver.execute_script(PLAY, result(answer, *(passage(number) for number in range(1, 9))))
    turn = page.ask("How?")

    values = "return [...arguments[0].querySelectorAll('ol > li')].filter(e => e.closest('.answer')).map(e => e.value)"
    assert page.driver.execute_script(values, turn) == list(range(1, 301))
    assert len(turn.find_elements("css selector", ".answer ul > li")) == 2
    assert len(turn.find_elements("css selector", ".cite")) == 300


def test_each_line_runs_its_own_way(page: Page) -> None:
    page.driver.execute_script(
        PLAY, result(f"{ARABIC} [S1]\nThis line is English.\n- {ARABIC}\n- English", passage(text=ARABIC * 2))
    )
    turn = page.ask("كم يوما؟")
    runs = (
        "return [...arguments[0].querySelectorAll('h2, .answer p, .answer li')].map(e => getComputedStyle(e).direction)"
    )

    assert page.driver.execute_script(runs, turn) == ["rtl", "rtl", "ltr", "rtl", "ltr"]
    page.one("#question").send_keys(ARABIC)
    assert page.driver.execute_script("return getComputedStyle(document.querySelector('#question')).direction") == "rtl"


@pytest.mark.parametrize("answer", ["Я" * 20_000, "a" * 7_999 + "😀😀", "😀" * 9_000, "line\n" * 4_000])
def test_a_follow_up_fits_into_a_request_whatever_was_said(page: Page, answer: str) -> None:
    page.driver.execute_script(PLAY, result(f"{answer} [S1]", passage()))
    for number in range(8):
        page.ask(f"{'ъ' * 1900} {number}")
    sent = page.driver.execute_script("return window.sent")

    assert len(sent.encode("utf-8", "surrogatepass")) < 65_536 and "\\ud8" not in sent
    messages = json.loads(sent)["messages"]
    assert messages[-1]["content"].endswith(" 7") and messages[-3]["content"].endswith(" 6")
    assert all(len(message["content"]) <= 8_000 for message in messages)


@pytest.mark.parametrize(
    "kept", ["{}", "null", "{{", "[1]", '[{"question": "x", "result": {}}]', '[{"question": "x"}]']
)
def test_a_conversation_that_can_not_be_read_begins_anew(page: Page, kept: str) -> None:
    page.driver.execute_script("sessionStorage.setItem('policydesk-turns', arguments[0])", kept)
    page.driver.refresh()
    page.wait(lambda: "document" in page.one("#shelf").text)

    assert not page.all(".turn")
    assert "7 days" in page.ask("Can I return my damaged headphones after 10 days?").text


def test_reload_and_back_keep_the_conversation(page: Page, desk: str) -> None:
    page.ask("How long does a refund take?")
    answered = page.ask("And who pays for it?").text
    page.driver.refresh()
    page.wait(lambda: len(page.all(".turn")) == 2)
    page.driver.get(f"{desk}/healthz")
    page.complaints()
    page.driver.back()
    page.wait(lambda: len(page.all(".turn")) == 2)

    assert page.all(".turn")[-1].text == answered
    page.press(page.all(".turn")[0].find_element("css selector", ".cite"))
    assert page.all("#source mark")


def test_when_the_service_goes_the_page_says_so(driver: Any, data: Path) -> None:
    process, address = serve(data)
    page = Page(driver)
    page.size(1280, 860)
    page.open(f"{address}/")
    turn = page.ask("How long does a refund take?")
    process.stop()

    page.say("And who pays for it?")
    page.wait(lambda: page.all(".problem"))
    assert "can't be reached" in page.one(".problem").text
    page.press(turn.find_element("css selector", ".stages summary"))
    page.press(turn.find_element("css selector", ".chunk-link"))
    page.wait(lambda: page.all("#source .problem"))
    assert "can't be reached" in page.one("#source .problem").text
    page.complaints()
