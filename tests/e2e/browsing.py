"""The chat page as a person uses it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


class Page:
    """What a person does with the page."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, address: str) -> None:
        self.driver.get(address)
        self.driver.execute_script("sessionStorage.clear()")
        self.driver.get(address)
        self.wait(lambda: "document" in self.one("#shelf").text or self.all("dialog[open]"))

    def all(self, css: str) -> list[Any]:
        return list(self.driver.find_elements("css selector", css))

    def one(self, css: str) -> Any:
        return self.driver.find_element("css selector", css)

    def wait(self, condition: Any, seconds: float = 30) -> Any:
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, seconds, poll_frequency=0.02).until(lambda _: condition())

    def say(self, text: str) -> None:
        from selenium.webdriver.common.keys import Keys

        self.one("#question").send_keys(text, Keys.ENTER)

    def ask(self, text: str) -> Any:
        """The turn of this question, once it is answered."""
        before = len(self.all(".turn"))
        self.say(text)
        self.wait(lambda: len(self.all(".turn")) == before + 1 and not self.all("[aria-busy]"))
        return self.all(".turn")[-1]

    def press(self, element: Any) -> None:
        """Click it where it can be seen, in the middle, and not under the question box."""
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def size(self, width: int, height: int) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def prefer(self, scheme: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def picture(self, name: str) -> None:
        """Saved where POLICYDESK_SCREENSHOTS says, for people to look at."""
        if folder := os.environ.get("POLICYDESK_SCREENSHOTS"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.driver.save_screenshot(str(Path(folder) / f"{name}.png"))

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]
