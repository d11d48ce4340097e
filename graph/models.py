"""From ``provider:model`` to a chat model. Ollama comes first; any other provider is LangChain's ``init_chat_model``.

The models are opened without talking to them. Retries are not theirs: ``nodes.asking`` does them, in one place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from knowledge.errors import BadInput, ModelUnavailable

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graph.settings import Settings

#: Tokens that a reply may have. Answers are short; a model that runs on is cut and loses its last sentence.
MAX_REPLY_TOKENS = 512


def open_chat_model(spec: str, settings: Settings) -> BaseChatModel:
    """The chat model named by ``provider:model``, with the settings' host, timeout, context size and temperature.

    Raises ``BadInput`` when ``spec`` is not ``provider:model``, ``ModelUnavailable`` when its package is not installed.
    """
    return open_chat(
        spec,
        ollama_host=settings.ollama_host,
        timeout_s=settings.model_timeout,
        num_ctx=settings.model_context,
        temperature=settings.temperature,
    )


def open_chat(
    spec: str,
    *,
    ollama_host: str,
    timeout_s: float = 120.0,
    num_ctx: int = 8192,
    temperature: float = 0.0,
) -> BaseChatModel:
    """As ``open_chat_model``, from plain values. ``num_ctx`` is asked of Ollama alone, in tokens."""
    provider, _, model = spec.strip().partition(":")
    if not provider or not model.strip():
        raise BadInput(f"The chat model {spec!r} is not provider:model; write for instance ollama:llama3.1:8b.")
    if provider == "ollama":
        return _ollama(model, ollama_host, timeout_s, num_ctx, temperature)
    return _other(provider, model, timeout_s, temperature)


def _ollama(model: str, host: str, timeout_s: float, num_ctx: int, temperature: float) -> BaseChatModel:
    try:
        from langchain_ollama import ChatOllama
    except ImportError:
        raise ModelUnavailable(
            "Ollama models need a package; run: pip install 'policydesk[ollama]' (in a checkout: -e '.[ollama]')"
        ) from None
    return ChatOllama(
        model=model,
        base_url=host,
        temperature=temperature,
        num_ctx=num_ctx,
        num_predict=MAX_REPLY_TOKENS,
        reasoning=False,
        client_kwargs={"timeout": timeout_s},
    )


def _other(provider: str, model: str, timeout_s: float, temperature: float) -> BaseChatModel:
    try:
        from langchain.chat_models import init_chat_model
    except ImportError:
        raise ModelUnavailable(
            f"The provider {provider} needs packages; run: pip install langchain langchain-{provider.replace('_', '-')}"
        ) from None
    try:
        return init_chat_model(
            model,
            model_provider=provider,
            temperature=temperature,
            timeout=timeout_s,
            max_retries=0,
            max_tokens=MAX_REPLY_TOKENS,
        )
    except ImportError as error:
        raise ModelUnavailable(f"The provider {provider} needs a package: {error}") from error
    except ValueError as error:
        raise BadInput(f"The chat model {provider}:{model} can't be used: {str(error)[:300]}") from error
    except Exception as error:
        # Providers check their API key when they are opened, each with an error class of its own.
        raise ModelUnavailable(f"The chat model {provider}:{model} can't be opened: {str(error)[:300]}") from error
