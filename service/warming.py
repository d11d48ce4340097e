"""The first question before the first question: what loads late loads now, so that nobody waits for it."""

from __future__ import annotations

import gc

import structlog

from knowledge.errors import PolicyDeskError
from nodes.context import Context
from service.auth import KeyStore
from service.desk import Desk

log = structlog.get_logger("policydesk")

#: Any words do: a question always has nearest passages, and the models read them.
_QUESTION = "How long do I have?"
#: The packaged model reads a long question with more threads than a short one, which is a second session of it.
_LONG_QUESTION = " ".join([_QUESTION] * 16)


async def get_ready(desk: Desk, keys: KeyStore) -> None:
    """Warm up, then take what is loaded out of the garbage collector's rounds.

    It stays as long as the process. Left in, each full round goes over all of it, a tenth of a second in which no question is
    answered.
    """
    await warm(desk, keys)
    gc.collect()
    gc.freeze()


async def warm(desk: Desk, keys: KeyStore) -> None:
    """Ask a question that no chat model is called for, so that the encoder, the index and the reranker are loaded.

    ``desk.warming`` is true meanwhile. What fails here is logged, and the first question will say it too.
    """
    desk.warming = True
    try:
        resources = desk.resources
        for text in (_LONG_QUESTION, _QUESTION):
            await resources.embed_queries([text])
        await resources.open_index()
        tenants = [key.tenant for key in keys.list() if key.revoked_at is None]
        tenant = resources.settings.tenant if not keys.are_set() else next(iter(tenants), None)
        if not tenant:
            return
        quoting = resources.chat is None and resources.judge is None
        reranker = "none" if resources.settings.reranker == "llm" else None
        await (desk.answering if quoting else desk.searching).ainvoke(
            {"question": _QUESTION},
            {"run_name": "warm-up"},
            context=Context(tenant=tenant, expansion="none", reranker=reranker),
        )
    except PolicyDeskError as error:
        log.warning("not_ready", code=error.code, problem=error.message)
    finally:
        desk.warming = False
