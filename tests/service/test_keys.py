"""Keys, limits and the commands that make them."""

from __future__ import annotations

import json
import socket
import stat
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.errors import BadInput, Forbidden
from service.auth import Caller, KeyStore
from service.cli import main
from service.errors import Overloaded, RateLimited, Unauthorized
from service.limits import RateLimiter, Running


def test_a_key_lets_its_holder_in_and_nobody_else(tmp_path: Path) -> None:
    keys = KeyStore(tmp_path / "keys.json")
    made, text = keys.add("acme", categories=("hr", "hr", "it"), rate=5)

    assert keys.authenticate(text) == Caller(key_id=made.id, tenant="acme", categories=("hr", "it"), rate=5)
    for wrong in (
        None,
        "",
        "pd",
        text[:-1],
        text + "0",
        text.upper(),
        f"pd_{made.id}_",
        f"xx{text[2:]}",
        "pd__",
        "é" * 500,
    ):
        with pytest.raises(Unauthorized) as caught:
            keys.authenticate(wrong)
        assert "valid key" in str(caught.value), "the same words whatever is wrong"


def test_the_file_holds_no_secret_and_is_the_owners_alone(tmp_path: Path) -> None:
    keys = KeyStore(tmp_path / "deep" / "keys.json")
    _, text = keys.add("acme")

    assert text.split("_")[2] not in keys.path.read_text()
    assert stat.S_IMODE(keys.path.stat().st_mode) == 0o600


def test_a_revoked_key_stops_at_once_in_every_process(tmp_path: Path) -> None:
    serving, operator = KeyStore(tmp_path / "keys.json"), KeyStore(tmp_path / "keys.json")
    made, text = operator.add("acme")
    assert serving.authenticate(text).tenant == "acme"
    operator.revoke(made.id)

    with pytest.raises(Unauthorized):
        serving.authenticate(text)
    assert serving.are_set(), "the last key's end does not open the service"


def test_keys_made_at_once_are_all_kept(tmp_path: Path) -> None:
    made: list[str] = []

    def add() -> None:
        made.append(KeyStore(tmp_path / "keys.json").add("acme")[1])

    threads = [threading.Thread(target=add) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    keys = KeyStore(tmp_path / "keys.json")
    assert len(keys.list()) == 8
    assert all(keys.authenticate(text) for text in made)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"keys": 1}', '{"keys": [{"id": "a"}]}', '{"keys": [{"id": "a", "x": 1}]}']
)
def test_a_broken_file_is_told_and_lets_nobody_in(tmp_path: Path, text: str) -> None:
    (tmp_path / "keys.json").write_text(text)

    with pytest.raises(BadInput, match=r"keys\.json can't be read"):
        KeyStore(tmp_path / "keys.json").authenticate("pd_a_b")


def _edited(path: Path, **values: Any) -> None:
    """What people do to such a file by hand."""
    stored = json.loads(path.read_text())
    stored["keys"][0] |= values
    path.write_text(json.dumps(stored))


@pytest.mark.parametrize(
    "values",
    [
        *[{"tenant": value} for value in (None, "", " ", 5, ["acme"], True)],
        *[{"categories": value} for value in (None, "", "hr", [5], [""], [None], {"hr": 1})],
        *[{"rate": value} for value in (None, "60", -1, 1.5, True)],
        *[{"secret_sha256": value} for value in (None, "", "é" * 64, "A" * 64, 5)],
        *[{"revoked_at": value} for value in (False, "", 0)],
        *[{"metrics": value} for value in (None, "no", 1)],
        *[{"id": value} for value in (None, "", 5)],
    ],
    ids=str,
)
def test_no_value_edited_by_hand_comes_to_mean_all(tmp_path: Path, values: dict[str, Any]) -> None:
    store = KeyStore(tmp_path / "keys.json")
    _, text = store.add("acme", categories=("hr",))
    _edited(store.path, **values)

    with pytest.raises(BadInput, match=rf"keys\.json can't be read: keys\.0\.{next(iter(values))}"):
        store.authenticate(text)


def test_an_id_that_stands_there_twice_is_nobodys(tmp_path: Path) -> None:
    store = KeyStore(tmp_path / "keys.json")
    key, text = store.add("acme")
    store.revoke(key.id)
    stored = json.loads(store.path.read_text())["keys"]
    store.path.write_text(json.dumps({"keys": [*stored, {**stored[0], "revoked_at": None}]}))

    with pytest.raises(BadInput, match="twice"):
        store.authenticate(text)


@pytest.mark.parametrize("tenant", ["", None])
def test_nobody_asks_for_no_tenant(tenant: Any) -> None:
    with pytest.raises(Forbidden):
        Caller(key_id="k", tenant=tenant)


@given(rate=st.integers(1, 600), waits=st.lists(st.floats(0, 30), max_size=60))
def test_no_minute_holds_more_than_the_rate_and_what_was_saved_up(rate: int, waits: list[float]) -> None:
    now = 0.0
    limiter, caller, admitted = RateLimiter(clock=lambda: now), Caller(key_id="k", tenant="t", rate=rate), 0
    for wait in waits:
        now += wait
        for _ in range(rate // 10 + 1):
            try:
                limiter.charge(caller)
                admitted += 1
            except RateLimited as error:
                assert error.retry_after >= 1
                break
    assert admitted <= rate + now * rate / 60 + 1e-6


def test_keys_do_not_share_their_limits() -> None:
    limiter = RateLimiter(clock=lambda: 0.0)
    one, other = Caller(key_id="1", tenant="t", rate=1), Caller(key_id="2", tenant="t", rate=1)
    limiter.charge(one)

    with pytest.raises(RateLimited):
        limiter.charge(one)
    limiter.charge(other)
    for _ in range(1000):
        limiter.charge(Caller(key_id="3", tenant="t", rate=0))


def test_a_place_is_given_back_also_after_a_failure() -> None:
    running = Running(most=1)
    with pytest.raises(ZeroDivisionError), running.question():
        with pytest.raises(Overloaded), running.question():
            pass
        raise ZeroDivisionError
    with running.question():
        assert running.count == 1
    assert running.idle.is_set()


def test_the_commands_make_show_and_end_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from graph.settings import load_settings

    monkeypatch.setenv("POLICYDESK_DATA", str(tmp_path))
    load_settings.cache_clear()
    with pytest.raises(SystemExit) as done:
        main(["keys", "add", "--tenant", "acme", "--category", "hr"])
    assert done.value.code == 0
    text = capsys.readouterr().out.strip().splitlines()[-1]
    keys = KeyStore(tmp_path / "keys.json")
    assert keys.authenticate(text).categories == ("hr",)

    with pytest.raises(SystemExit):
        main(["keys", "list", "--json"])
    listed = json.loads(capsys.readouterr().out)
    assert [(key["tenant"], key["revoked_at"]) for key in listed] == [("acme", None)]
    assert text.split("_")[2] not in json.dumps(listed) and "secret_sha256" not in listed[0]

    with pytest.raises(SystemExit):
        main(["keys", "revoke", listed[0]["id"]])
    with pytest.raises(Unauthorized):
        keys.authenticate(text)
    with pytest.raises(SystemExit) as failed:
        main(["keys", "revoke", "nobody"])
    assert failed.value.code == 2
    load_settings.cache_clear()


def test_without_keys_it_does_not_listen_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from graph.settings import load_settings

    monkeypatch.setenv("POLICYDESK_DATA", str(tmp_path))
    load_settings.cache_clear()
    for host in ("0.0.0.0", "::", "192.168.1.7", "desk.example"):
        with pytest.raises(SystemExit) as failed:
            main(["serve", "--host", host])
        assert failed.value.code == 2
        assert "keys add" in capsys.readouterr().err
    load_settings.cache_clear()


@pytest.mark.parametrize(
    ("host", "port", "told"),
    [
        ("127.0.0.1", None, "is in use"),
        ("localhost", None, "is in use"),
        ("203.0.113.5", 0, "no address 203.0.113.5"),
        ("desk.invalid", 0, "no address named 'desk.invalid'"),
    ],
)
def test_where_it_can_not_listen_it_says_so_before_it_says_where(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    host: str,
    port: int | None,
    told: str,
) -> None:
    from graph.settings import load_settings

    monkeypatch.setenv("POLICYDESK_DATA", str(tmp_path))
    load_settings.cache_clear()
    KeyStore(tmp_path / "keys.json").add("acme")
    with socket.create_server(("127.0.0.1", 0)) as listening, pytest.raises(SystemExit) as failed:
        taken = int(listening.getsockname()[1])
        main(["serve", "--host", host, "--port", str(taken if port is None else port)])

    load_settings.cache_clear()
    said = capsys.readouterr().err
    assert failed.value.code == 2 and told in said and said.count("\n") == 1 and "http://" not in said
