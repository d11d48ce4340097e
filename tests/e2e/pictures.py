"""The README's pictures, made from the running product: ``python -m tests.e2e.pictures``.

The chat page is photographed as it is served. Studio's own page lives on LangChain's site; what it draws comes from
``langgraph dev``, so the same responses (the graph, and a thread that is stopped, edited and run on) are drawn here.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from string import Template
from typing import Any

from langgraph_sdk import get_client

from tests.e2e.conftest import KARTLY, ROOT, browser_or_skip, policydesk, serve
from tests.e2e.test_langgraph_dev import develop
from tests.e2e.test_page import DAMAGED, Page

PICTURES = ROOT / "docs" / "pictures"
#: The two passages that decide the question, which the editing hand keeps.
KEPT = ("electronics-returns#1", "damage#1")
WIDE, PHONE = (1280, 860), (390, 844)


def main() -> None:
    """Make all of them."""
    driver = browser_or_skip()
    try:
        with tempfile.TemporaryDirectory(prefix="policydesk-pictures-") as folder:
            data = Path(folder) / "data"
            policydesk("ingest", str(KARTLY), data=data)
            _chat_page(driver, data)
            _studio(driver, data, Path(folder))
    finally:
        driver.quit()


def _chat_page(driver: Any, data: Path) -> None:
    process, address = serve(data)
    page = Page(driver)
    try:
        for (width, height), name in ((WIDE, "chat-page"), (PHONE, "chat-page-phone")):
            page.size(width, height)
            page.prefer("light")
            page.open(f"{address}/")
            turn = page.ask(DAMAGED)
            if width > PHONE[0]:
                page.driver.execute_script("scrollTo(0, 0)")
                turn.find_element("css selector", ".cite").click()
            driver.save_screenshot(str(PICTURES / f"{name}.png"))
    finally:
        process.stop()


def _studio(driver: Any, data: Path, folder: Path) -> None:
    process, address = develop(data, folder / "studio")
    try:
        served = asyncio.run(stepped_through(address))
    finally:
        process.stop()
    drawn = folder / "studio.html"
    drawn.write_text(studio_page(served), encoding="utf-8")
    page = Page(driver)
    page.size(WIDE[0], 900)
    driver.get(drawn.as_uri())
    height = driver.execute_script("return document.documentElement.scrollHeight")
    page.size(WIDE[0], height)
    driver.save_screenshot(str(PICTURES / "studio-thread.png"))


async def stepped_through(address: str) -> dict[str, Any]:
    """What the server gives for a thread that stops before the answer, is edited and goes on."""
    client = get_client(url=address)
    assistant = (await client.assistants.search())[0]["assistant_id"]
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(
        thread, assistant, input={"question": DAMAGED}, interrupt_before=["generate_answer"], context={"top_k": 5}
    )
    values: Any = (await client.threads.get_state(thread))["values"]
    kept = [passage for passage in values["context"] if passage["id"] in KEPT]
    await client.threads.update_state(thread, {"context": kept}, as_node="fit_context")
    await client.runs.wait(thread, assistant, input=None)
    history: list[Any] = list(await client.threads.get_history(thread, limit=50))
    return {
        "graph": await client.assistants.get_graph(assistant, xray=True),
        "history": history[::-1],
        "address": address.removeprefix("http://"),
        "thread": thread[:8],
    }


def studio_page(served: dict[str, Any]) -> str:
    """The page with the server's responses in it."""
    text = json.dumps(served, ensure_ascii=False).replace("</", "<\\/")
    return Template((Path(__file__).parent / "studio_page.html").read_text("utf-8").replace("${", "$${")).substitute(
        DATA=text
    )


if __name__ == "__main__":
    main()
