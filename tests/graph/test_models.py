from __future__ import annotations

import sys

import pytest
from langchain_core.messages import HumanMessage

from graph.models import MAX_REPLY_TOKENS, open_chat, open_chat_model
from graph.settings import Settings
from knowledge.errors import BadInput, ModelUnavailable
from tests.fakes.ollama import FakeOllama


def test_ollama_gets_host_model_context_temperature_and_no_thinking() -> None:
    with FakeOllama(["Hello."]) as server:
        chat = open_chat("ollama:llama3.1:8b", ollama_host=server.url, num_ctx=4096, temperature=0.0)
        assert chat.invoke([HumanMessage("hi")]).text == "Hello."
    [body] = server.chats
    assert body["model"] == "llama3.1:8b"
    assert body["think"] is False
    assert body["options"] == {"num_ctx": 4096, "temperature": 0.0, "num_predict": MAX_REPLY_TOKENS}


def test_settings_reach_the_model() -> None:
    settings = Settings(ollama_host="127.0.0.1:9", model_timeout=7, model_context=2048, temperature=0.5)
    chat = open_chat_model("ollama:llama3.1:8b", settings)
    assert (chat.base_url, chat.num_ctx, chat.temperature) == ("http://127.0.0.1:9", 2048, 0.5)  # type: ignore[attr-defined]
    assert chat.client_kwargs == {"timeout": 7.0}  # type: ignore[attr-defined]


@pytest.mark.parametrize("spec", ["llama3.1", "ollama:", ":llama", "", "  :  "])
def test_a_spec_without_provider_or_model_says_what_to_write(spec: str) -> None:
    with pytest.raises(BadInput, match=r"ollama:llama3\.1:8b"):
        open_chat(spec, ollama_host="http://127.0.0.1:9")


def test_without_the_ollama_package_the_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_ollama", None)
    with pytest.raises(ModelUnavailable, match=r"policydesk\[ollama\]"):
        open_chat("ollama:llama3.1:8b", ollama_host="http://127.0.0.1:9")


def test_another_provider_without_packages_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain", None)
    monkeypatch.setitem(sys.modules, "langchain.chat_models", None)
    with pytest.raises(ModelUnavailable, match="pip install langchain langchain-google-genai"):
        open_chat("google_genai:gemini", ollama_host="http://127.0.0.1:9")


def test_an_unknown_provider_is_bad_input() -> None:
    pytest.importorskip("langchain")
    with pytest.raises(BadInput, match="nobody:model"):
        open_chat("nobody:model", ollama_host="http://127.0.0.1:9")
