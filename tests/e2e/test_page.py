"""The chat page in a real browser, against a real service over a real index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.browsing import Page
from tests.e2e.conftest import serve
from tests.fakes.ollama import FakeOllama, Reply

DAMAGED = "Can I return my damaged headphones after 10 days?"
pytestmark = pytest.mark.slow


def test_ask_cite_and_see_the_marked_quote(page: Page) -> None:
    page.picture("welcome")
    turn = page.ask(DAMAGED)
    page.picture("answer")

    assert "7 days" in turn.text
    mark = turn.find_element("css selector", ".cite")
    assert mark.get_attribute("aria-label").startswith("Source 1: Electronics Returns")
    mark.click()
    marked = page.one("#source mark.chosen").text
    assert marked == "Electronics can be returned within 7 days of delivery."
    facts = page.one("#source .facts").text
    assert "electronics-returns.md" in facts and "Return window and conditions" in facts
    assert page.driver.switch_to.active_element.text == "Source 1", "the focus goes where the reader looks"
    page.picture("source")

    page.one("#source-close").click()
    assert not page.one("#source").is_displayed()
    assert page.driver.switch_to.active_element == mark, "and comes back"


def test_each_citation_opens_at_the_sentence_that_it_stands_behind(page: Page) -> None:
    turn = page.ask(DAMAGED)
    for mark in turn.find_elements("css selector", ".cite"):
        before = page.driver.execute_script("return arguments[0].previousSibling.textContent", mark)
        mark.click()
        assert page.one("#source mark.chosen").text.rstrip(".") in before + before[-1]


def test_the_stages_are_seen_while_they_run(driver: Any, data: Path) -> None:
    page = Page(driver)
    slow = Reply(text="Electronics can be returned within 7 days of delivery [S1].", pause_s=0.4)
    with FakeOllama(replies=[slow]) as ollama:
        process, address = serve(data, CHAT_MODEL="ollama:llama3.1:8b", OLLAMA_HOST=ollama.url)
        try:
            page.open(f"{address}/")
            page.say("How many days do I have to return electronics?")
            page.wait(lambda: page.all(".bar .started[data-stage=generate_answer]"))
            assert page.one(".progress-words").text == "Writing the answer…"
            assert page.all(".bar .done[data-stage=retrieve]")
            page.wait(lambda: page.all(".draft:not([hidden])"))
            page.picture("progress")
            page.wait(lambda: page.all(".answer"))
            assert not page.all(".draft"), "the draft is gone once the checked answer is there"
            page.say("How long does a refund take?")
            page.wait(lambda: page.all(".progress"))
            page.one("#stop").click()
            page.wait(lambda: page.all(".problem"))
            assert "Stopped." in page.all(".turn")[-1].text
        finally:
            process.stop()


def test_a_refusal_looks_like_one_and_says_why(page: Page) -> None:
    turn = page.ask("Who is the president of France?")
    page.picture("refusal")

    assert turn.find_elements("css selector", ".refusal")
    assert "NOT ANSWERED" in turn.text.upper()
    assert "Why:" in turn.text
    assert not turn.find_elements("css selector", ".cite, .sources"), "no sources under a refusal"
    turn.find_element("css selector", ".stages summary").click()
    rows = [row.text for row in turn.find_elements("css selector", ".stage-table tbody tr")]
    assert rows[0].endswith("too weak") and rows[-1].endswith("below the cut"), rows
    turn.find_element("css selector", ".chunk-link").click()
    page.wait(lambda: page.one("#source .passage").text)


def test_a_follow_up_knows_what_was_said(page: Page) -> None:
    page.ask("Does the AX-204 support fast charging?")
    turn = page.ask("And the BX-900?")
    page.picture("follow-up")

    assert "BX-900" in turn.text
    page.driver.refresh()
    page.wait(lambda: len(page.all(".turn")) == 2)
    page.one("#fresh").click()
    assert not page.all(".turn")
    assert page.one("#welcome").is_displayed()


def test_nothing_in_a_document_or_a_question_acts(page: Page) -> None:
    turn = page.ask(
        "When does a gift card expire? <img src=x onerror='window.hacked = 5'><script>window.hacked = 6</script>"
    )
    for mark in turn.find_elements("css selector", ".cite"):
        mark.click()
    turn.find_element("css selector", ".stages summary").click()
    for link in turn.find_elements("css selector", ".chunk-link")[:3]:
        link.click()
        page.wait(lambda: page.one("#source").is_displayed())

    assert "24 months" in turn.text
    assert "<script>" in turn.find_element("css selector", ".asked").text, "it is shown as what it is"
    assert page.driver.execute_script("return window.hacked") is None
    assert not page.all("main img, main script, #source img, #source script, #source b")


def test_the_stage_view_shows_what_each_stage_found_and_dropped(page: Page) -> None:
    turn = page.ask(DAMAGED)
    turn.find_element("css selector", ".stages summary").click()
    page.picture("stages")
    head = [cell.text for cell in turn.find_elements("css selector", ".stage-table thead th")]
    rows = [row.text for row in turn.find_elements("css selector", ".stage-table tbody tr")]

    assert head[0] == "passage" and {"dense", "keyword", "fused", "reranked", "outcome"} <= set(head)
    assert any(row.startswith("electronics-returns#1") and row.endswith("S1") for row in rows)
    assert any(row.endswith("below the cut") for row in rows)


def test_the_keyboard_is_enough(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    assert page.driver.switch_to.active_element == page.one("#question"), "one can type at once"
    page.ask(DAMAGED)
    page.driver.execute_script("document.querySelector('.cite').focus()")
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert page.one("#source").is_displayed()
    page.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert not page.one("#source").is_displayed()
    page.one("#question").send_keys("one", Keys.SHIFT, Keys.ENTER, Keys.NULL, "two")
    assert page.one("#question").get_attribute("value") == "one\ntwo"


def test_what_a_screen_reader_needs_is_there(page: Page) -> None:
    page.ask(DAMAGED)
    assert page.one("#announce").get_attribute("role") == "status"
    assert page.one("#announce").get_attribute("textContent").startswith("Answer: ")
    names = "return [...document.querySelectorAll('button,input,select,textarea')].filter(e => e.offsetParent)"
    names += ".map(e => e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent)"
    assert all(name.strip() for name in page.driver.execute_script(names))
    headings = "return [...document.querySelectorAll('h1,h2')].filter(e => e.offsetParent).map(e => e.tagName)"
    assert page.driver.execute_script(headings)[0] == "H1"
    assert page.one("html").get_attribute("lang") == "en"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1280, 860), (390, 844)])
def test_it_fits_and_can_be_read(page: Page, scheme: str, width: int, height: int) -> None:
    page.size(width, height)
    page.prefer(scheme)
    turn = page.ask(DAMAGED)
    page.press(turn.find_element("css selector", ".stages summary"))
    assert page.driver.execute_script("return document.documentElement.scrollWidth") <= width, "no sideways scrolling"
    for css in (".answer p", ".cite", ".source-file", ".stages summary", ".motto", ".stage-table td", ".primary"):
        assert contrast(page, css) >= 4.5, css
    page.driver.execute_script("scrollTo(0, 0)")
    page.picture(f"{scheme}-{width}")
    turn.find_element("css selector", ".cite").click()
    assert contrast(page, "#source mark.chosen") >= 4.5
    page.picture(f"{scheme}-{width}-source")


@pytest.mark.parametrize("width", [1280, 390])
def test_long_names_leave_room_for_the_rest(page: Page, width: int) -> None:
    page.size(width, 844)
    turn = page.ask("Who decides on an application for parental leave?")
    page.press(turn.find_element("css selector", ".stages summary"))
    line = turn.find_element("css selector", ".source-link").rect["width"]
    assert turn.find_element("css selector", ".source-name").rect["width"] >= 0.4 * line
    chunk = turn.find_element("css selector", ".chunk-link").rect
    assert chunk["width"] <= 0.42 * width and chunk["height"] < 200, "the ranks are seen beside it"
    page.picture(f"long-names-{width}")
    page.press(turn.find_element("css selector", ".cite"))
    wide = "const panel = document.querySelector('#source'); return panel.scrollWidth - panel.clientWidth"
    assert page.driver.execute_script(wide) == 0
    assert page.driver.execute_script("return document.documentElement.scrollWidth") <= width


def contrast(page: Page, css: str) -> float:
    """WCAG's contrast of an element's text against the first opaque background behind it."""
    return float(page.driver.execute_script(CONTRAST, css))


CONTRAST = """
const element = document.querySelector(arguments[0]);
const parts = (text) => text.match(/[\\d.]+/g).map(Number);
const linear = (v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
const light = ([r, g, b]) => [r, g, b].map((v) => linear(v / 255))
  .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
const background = (node) => parts(getComputedStyle(node).backgroundColor);
let behind = element;
while (behind.parentElement && background(behind)[3] === 0) behind = behind.parentElement;
const one = light(parts(getComputedStyle(element).color)), other = light(background(behind));
return (Math.max(one, other) + .05) / (Math.min(one, other) + .05);
"""


def test_a_key_is_asked_for_where_one_is_needed(driver: Any, data: Path, tmp_path: Path) -> None:
    import shutil

    from service.auth import KeyStore

    own = tmp_path / "data"
    shutil.copytree(data, own)
    _, key = KeyStore(own / "keys.json").add("default", rate=0)
    process, address = serve(own)
    page = Page(driver)
    try:
        page.size(1280, 860)
        page.open(f"{address}/")
        page.wait(lambda: page.all("dialog[open]"))
        page.picture("key")
        page.one("#key").send_keys("pd_wrong_key", "\n")
        page.wait(lambda: "not valid" in page.one("#key-why").text)
        page.one("#key").send_keys(key, "\n")
        page.wait(lambda: "documents are on the shelf" in page.one("#shelf").text)
        assert "7 days" in page.ask(DAMAGED).text
        stored = page.driver.execute_script("return [Object.keys(localStorage).length, document.cookie]")
        assert stored == [0, ""], "the key stays in this tab"
    finally:
        process.stop()


@pytest.mark.parametrize("path", ["desk", "chat"])
def test_the_playground_runs(driver: Any, desk: str, path: str) -> None:
    page = Page(driver)
    page.size(1280, 1000)
    driver.get(f"{desk}/{path}/playground/")
    page.wait(lambda: page.all("textarea"))
    from selenium.webdriver.common.keys import Keys

    if path == "chat":
        box = page.all("textarea")[-1]
        box.send_keys(DAMAGED)
        page.wait(lambda: box.get_property("value") == DAMAGED)  # on a busy machine Enter may overtake the words
        box.send_keys(Keys.ENTER)
    else:
        page.one('[id="#/properties/question-input"]').send_keys(DAMAGED)
        next(button for button in page.all("button") if "Start" in button.text).click()
    page.wait(lambda: "7 days of delivery" in page.one("body").text)
    page.picture(f"playground-{path}")
