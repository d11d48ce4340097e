"""The service as a process: two tenants over one real index, LangServe's client over a socket, its stop, its OpenAPI."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from langserve import RemoteRunnable

from service.auth import KeyStore
from tests.e2e.conftest import OTHERS, SECRET, environment, serve, until
from tests.fakes.ollama import FakeOllama, Reply

QUESTION = {"question": f"When do the {SECRET} headphones launch, and can headphones be returned?"}


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def keyed(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """A service with a key of each tenant, and one that sees electronics only."""
    own = tmp_path_factory.mktemp("keyed") / "data"
    shutil.copytree(data, own)
    keys = KeyStore(own / "keys.json")
    made = {"mine": keys.add("default", rate=0)[1], "theirs": keys.add(OTHERS, rate=0)[1]}
    made["narrow"] = keys.add("default", categories=("electronics",), rate=0)[1]
    process, address = serve(own)
    yield address, made
    process.stop()
    assert SECRET not in "".join(process.lines), "no text in the log"


def test_one_index_two_tenants(keyed: tuple[str, dict[str, str]]) -> None:
    address, keys = keyed
    for path, body in (
        ("/api/ask", QUESTION),
        ("/api/search", QUESTION),
        ("/api/ask/stream", QUESTION),
        ("/desk/invoke", {"input": QUESTION}),
        ("/desk/batch", {"inputs": [QUESTION, QUESTION]}),
        ("/desk/stream", {"input": QUESTION}),
    ):
        texts = {}
        for name, key in keys.items():
            response = httpx.post(f"{address}{path}", json=body, headers={"Authorization": f"Bearer {key}"}, timeout=60)
            assert response.status_code == 200, response.text
            texts[name] = response.text.replace(QUESTION["question"], "")
        assert "90 days" in texts["theirs"] and "electronics-returns" not in texts["theirs"], path
        for name in ("mine", "narrow"):
            assert "electronics-returns" in texts[name], path
            assert "90 days" not in texts[name] and "launch" not in texts[name].replace("launch, and can", ""), path
        assert "clothing-returns" in texts["mine"] and "clothing-returns" not in texts["narrow"], path


def test_another_tenants_chunk_is_not_there(keyed: tuple[str, dict[str, str]]) -> None:
    address, keys = keyed
    mine, theirs = ({"Authorization": f"Bearer {keys[name]}"} for name in ("mine", "theirs"))
    chunks = httpx.post(f"{address}/api/search", json=QUESTION, headers=theirs).json()["context"]
    path = f"{address}/api/chunks/{chunks[0]['id'].replace('#', '%23')}"

    assert httpx.get(path, headers=theirs).status_code == 200
    assert httpx.get(path, headers=mine).status_code == 404
    shown = httpx.get(f"{address}/api/documents", headers=mine).text
    assert "launch" not in shown


async def test_langserves_client_over_a_socket(keyed: tuple[str, dict[str, str]]) -> None:
    address, keys = keyed
    desk = RemoteRunnable(f"{address}/desk/", headers={"Authorization": f"Bearer {keys['mine']}"})
    ask = {"question": "How long does a refund take?"}

    assert "business days" in desk.invoke(ask)["answer"]
    assert [result["refused"] for result in desk.batch([ask, {"question": "Who is the president of France?"}])] == [
        False,
        True,
    ]
    assert "business days" in list(desk.stream(ask))[-1]["answer"]
    assert "business days" in (await desk.ainvoke(ask))["answer"]
    assert "business days" in [piece async for piece in desk.astream(ask)][-1]["answer"]
    with pytest.raises(httpx.HTTPStatusError, match="401"):
        RemoteRunnable(f"{address}/desk/").invoke(ask)
    with pytest.raises(httpx.HTTPStatusError, match="400"):
        desk.invoke({"question": ""})


def test_a_stop_lets_running_questions_finish(data: Path) -> None:
    slow = Reply(text="Electronics can be returned within 7 days of delivery [S1].", delay_s=2.5)
    with FakeOllama(replies=[slow]) as ollama:
        process, address = serve(data, CHAT_MODEL="ollama:llama3.1:8b", OLLAMA_HOST=ollama.url)
        answers: list[httpx.Response] = []
        ask = {"question": "How many days do I have to return electronics?"}
        asking = threading.Thread(target=lambda: answers.append(httpx.post(f"{address}/api/ask", json=ask, timeout=60)))
        asking.start()
        while not ollama.chats:
            time.sleep(0.02)
        process.popen.send_signal(signal.SIGTERM)
        process.wait_for(r'"event": "stopping"')
        late = httpx.post(f"{address}/api/ask", json=ask)
        assert (late.status_code, late.json()["error"]["code"]) == (503, "stopping")
        asking.join()

        assert answers[0].status_code == 200 and "7 days" in answers[0].json()["answer"]
        assert process.popen.wait(20) == 0
        process.wait_for(r'"all_finished": true')


def test_a_log_that_nobody_reads_any_more_stops_neither_questions_nor_the_stop(data: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "service.cli", "serve", "--port", "0"],
        env=environment(POLICYDESK_DATA=str(data)), stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        address = process.stderr.readline().removeprefix("Policy Desk: ").strip()
        until(lambda: is_ready(address), seconds=60)
        process.stderr.close()

        answered = httpx.post(f"{address}api/ask", json={"question": "How long does a refund take?"}, timeout=60)
        lost = re.search(r"policydesk_log_lines_lost (\d+)", httpx.get(f"{address}metrics").text)

        assert answered.status_code == 200 and answered.json()["citations"]
        assert lost and int(lost[1]) >= 1
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    finally:
        process.kill()


def is_ready(address: str) -> bool:
    try:
        return httpx.get(f"{address}readyz", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


def test_a_model_that_is_down_is_a_502_and_not_ready(data: Path) -> None:
    process, address = serve_unready(data)
    try:
        answered = httpx.post(f"{address}/api/ask", json={"question": "How long does a refund take?"}, timeout=60)
        found = httpx.post(f"{address}/api/search", json={"question": "How long does a refund take?"}, timeout=60)
        ready = httpx.get(f"{address}/readyz")

        assert (answered.status_code, answered.json()["error"]["code"]) == (502, "model_unavailable")
        assert "127.0.0.1:9" not in answered.text
        assert found.status_code == 200 and found.json()["context"]
        assert ready.status_code == 503 and "ollama serve" in ready.json()["checks"]["chat_model"]
    finally:
        process.stop()


def serve_unready(data: Path) -> tuple[object, str]:
    import sys

    from tests.e2e.conftest import start

    process = start(
        sys.executable, "-m", "service.cli", "serve", "--port", "0", cwd=data.parent, POLICYDESK_DATA=str(data),
        CHAT_MODEL="ollama:llama3.1:8b", OLLAMA_HOST="http://127.0.0.1:9",
    )  # fmt: skip
    address = process.wait_for(r"Policy Desk: (http://\S+)/")[1]
    for _ in range(300):
        try:
            httpx.get(f"{address}/healthz")
            break
        except httpx.TransportError:
            time.sleep(0.1)
    return process, address


def test_without_an_index_it_says_what_to_do(tmp_path: Path) -> None:
    process, address = serve_unready(tmp_path / "none")
    try:
        answered = httpx.post(f"{address}/api/search", json={"question": "How long does a refund take?"}, timeout=60)
        assert (answered.status_code, answered.json()["error"]["code"]) == (503, "index_missing")
        assert "policydesk ingest" in answered.json()["error"]["message"]
    finally:
        process.stop()
