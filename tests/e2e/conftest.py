"""Real processes over a real index: the demo shelf, a shelf with hostile markup, and another tenant's."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.browsing import Page

ROOT = Path(__file__).parents[2]
KARTLY = ROOT / "knowledge" / "kartly"

SECRET = "zirconium"
OTHERS = "zeta"

HOSTILE = """# Gift <script>window.hacked = 1</script> Cards

## Gift card <img src=x onerror="window.hacked = 2"> rules

A gift card <b onmouseover="window.hacked = 3">expires</b> after 24 months. <script>window.hacked = 4</script> It can't be
paid out.
"""
#: People do give files such names.
LONG_NAME = f"{'a-very-long-name-' * 5}of-the-parental-leave-regulation-2026.md"
LONG = f"""# Regulation on Parental Leave and Reduced Working Time of the Central Administration

## Section 14b. Applications for parental leave submitted after the beginning of the quarter

An application for parental leave is decided by the directorate. Its form is at https://intranet.example/{"forms/" * 20}.
"""
THEIRS = f"""# Launch plan

The {SECRET} headphones of the other tenant launch in May. They can be returned within 90 days.
"""


@dataclass
class Process:
    """A program of ours that runs, and what it has printed."""

    popen: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)

    def wait_for(self, pattern: str, *, seconds: float = 90) -> re.Match[str]:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for line in list(self.lines):
                if found := re.search(pattern, line):
                    return found
            if self.popen.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError(f"{pattern!r} did not come:\n" + "".join(self.lines[-40:]))

    def stop(self) -> int:
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGTERM)
            try:
                self.popen.wait(20)
            except subprocess.TimeoutExpired:
                self.popen.kill()
        return self.popen.wait()


#: What a developer may have set, and a test must not inherit.
OURS_AND_TRACERS = ("POLICYDESK_", "LANGSMITH_", "LANGCHAIN_", "OTEL_")


def until(condition: Callable[[], bool], *, seconds: float) -> None:
    """Wait for it."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.05)


def environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(OURS_AND_TRACERS)}
    return {**kept, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", **more}


def start(*command: str, cwd: Path, **more: str) -> Process:
    popen = subprocess.Popen(
        command, cwd=cwd, env=environment(**more), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    process = Process(popen)

    def gather() -> None:
        assert popen.stdout is not None
        for line in popen.stdout:
            process.lines.append(line)

    threading.Thread(target=gather, daemon=True).start()
    return process


def policydesk(*arguments: str, data: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "service.cli", *arguments],
        env=environment(POLICYDESK_DATA=str(data), **more),
        cwd=data.parent,
        capture_output=True,
        text=True,
        check=True,
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of two tenants."""
    home = tmp_path_factory.mktemp("desk")
    (home / "hostile").mkdir()
    (home / "hostile" / "gift-cards.md").write_text(HOSTILE)
    (home / "hostile" / LONG_NAME).write_text(LONG)
    (home / "theirs").mkdir()
    (home / "theirs" / "launch.md").write_text(THEIRS)
    folder = home / "data"
    policydesk("ingest", str(KARTLY), str(home / "hostile"), data=folder)
    policydesk("ingest", "--tenant", OTHERS, str(home / "theirs"), data=folder)
    return folder


def serve(data: Path, *options: str, **more: str) -> tuple[Process, str]:
    """A service on a free port, ready to answer; its process and its address."""
    process = start(
        sys.executable,
        "-m",
        "service.cli",
        "serve",
        "--port",
        "0",
        *options,
        cwd=data.parent,
        POLICYDESK_DATA=str(data),
        **more,
    )
    address = process.wait_for(r"Policy Desk: (http://\S+)/")[1]
    for _ in range(600):
        try:
            if httpx.get(f"{address}/readyz", timeout=5).status_code == 200:
                return process, address
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError("not ready:\n" + "".join(process.lines[-40:]))


@pytest.fixture(scope="session")
def desk(data: Path) -> Iterator[str]:
    """The address of a service without keys."""
    process, address = serve(data)
    yield address
    process.stop()


def browser_or_skip() -> Any:
    """A headless Chromium, driven by selenium."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed; it is in the dev group")
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("no Chromium on this machine; on Debian: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    made = browser_or_skip()
    yield made
    made.quit()


@pytest.fixture
def page(driver: Any, desk: str) -> Iterator[Page]:
    made = Page(driver)
    made.size(1280, 860)
    made.prefer("light")
    made.open(f"{desk}/")
    made.complaints()
    yield made
    assert made.complaints() == [], "the console stays empty"
