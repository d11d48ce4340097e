"""The whole graph on the demo shelf, with the real index and embedding model and no chat model."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from graph.resources import Resources
from graph.workflow import build_graph
from knowledge.errors import BadQuestion, Forbidden
from tests.graph.scripted import Scripted

DEMO = "Can I return my damaged headphones after 10 days?"


async def ask(resources: Resources, question: str, **context: Any) -> dict[str, Any]:
    return dict(await build_graph(resources).ainvoke({"question": question}, context=context))


async def test_the_demo_answer_states_both_rules_each_with_its_citation(resources: Resources) -> None:
    result = await ask(resources, DEMO)
    cited = {citation["id"]: citation for citation in result["citations"]}
    assert not result["refused"]
    assert "within 7 days of delivery" in result["answer"] and "within 48 hours" in result["answer"]
    assert {"electronics-returns#1", "damage#1"} <= set(cited)
    assert result["verdict"]["faithful"]
    passages = {passage["label"]: passage["text"] for passage in result["context"]}
    for citation in result["citations"]:
        assert passages[citation["label"]][citation["start"] : citation["end"]] == citation["quote"]


@pytest.mark.parametrize("code", ["AX-204", "AX204", "ax 204", "AX–204", "ax_204"])
async def test_a_product_code_is_found_however_it_is_written(resources: Resources, code: str) -> None:
    result = await ask(resources, f"Does the {code} wireless headphone support fast charging?")
    assert result["ranked"][0]["id"] == "ax-204-manual#2"
    assert {citation["id"] for citation in result["citations"]} == {"ax-204-manual#2"}
    assert "do not support fast charging" in result["answer"] and "BX-900" not in result["answer"]


@pytest.mark.parametrize("question", ["Who won the IPL in 2024?", "asdfgh", "What is your CEO's salary?"])
async def test_what_the_documents_do_not_hold_is_refused_without_a_model_call(
    resources: Resources, kartly: Any, question: str
) -> None:
    chat = Scripted(answers=["Certainly [S1]."])
    result = await ask(Resources(kartly, embedding=resources.embedding, chat=chat), question)
    assert result["refused"] and result["refusal_reason"]
    assert result["citations"] == [] and result["verdict"]["sentences"] == []
    assert chat.seen == []


@pytest.mark.parametrize("question", ["refund", "PIN code delivery"])
async def test_a_bare_keyword_that_the_documents_cover_is_answered(resources: Resources, question: str) -> None:
    assert not (await ask(resources, question))["refused"]


async def test_a_category_sees_itself_and_general_in_every_list(resources: Resources) -> None:
    graph = build_graph(resources, answer=False)
    seen: set[str] = set()
    async for update in graph.astream(
        {"question": "Can I return a damaged shirt or the AX-204?"},
        context={"category": "electronics"},
        stream_mode="updates",
    ):
        for node in update.values():
            seen |= {d.metadata["category"] for d in (node.get("candidates") or {}).values()}
            seen |= {passage["category"] for passage in node.get("context") or []}
    assert seen == {"electronics", "general"}


async def test_typing_errors_are_read_as_the_words_of_the_documents(resources: Resources) -> None:
    result = await ask(resources, "how long is the retrun window for electroncs")
    assert not result["refused"] and "7 days" in result["answer"]
    assert "electronics" in result["standalone_question"]
    assert any("electroncs" in warning for warning in result["warnings"])


async def test_a_bulgarian_article_is_found_by_its_number(resources: Resources) -> None:
    result = await ask(resources, "Колко плаща работодателят според чл. 40, ал. 5?")
    assert result["ranked"][0]["id"].startswith("obezshtetenie-pri-bolest#")
    assert "70" in result["answer"] and result["notices"]


async def test_messages_and_a_question_give_the_same_answer(resources: Resources) -> None:
    graph = build_graph(resources)
    by_messages = await graph.ainvoke({"messages": [HumanMessage(DEMO)]})
    assert by_messages["answer"] == (await graph.ainvoke({"question": DEMO}))["answer"]
    assert isinstance(by_messages["messages"][-1], AIMessage)


async def test_a_thread_starts_each_turn_clean_and_understands_a_follow_up(resources: Resources) -> None:
    graph = build_graph(resources, InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "one"}}
    first = await graph.ainvoke({"question": "Does the AX-204 support fast charging?"}, thread)
    second = await graph.ainvoke({"question": "and the BX-900?"}, thread)
    refused = await graph.ainvoke({"question": "Who won the IPL in 2024?"}, thread)
    assert "do not support" in first["answer"]
    assert second["ranked"][0]["id"] == "bx-900-manual#2" and "AX-204" not in second["answer"]
    assert refused["refused"] and refused["citations"] == [] and refused["warnings"] == []
    assert len(refused["messages"]) == 6


@pytest.mark.parametrize(
    ("question", "context", "field"),
    [
        ("", {}, "question"),
        ("  ?! ", {}, "question"),
        ("x" * 2001, {}, "question"),
        ("refund", {"top_k": 0}, "top_k"),
        ("refund", {"top_k": 9}, "top_k"),
        ("refund", {"category": "toys"}, "category"),
        ("refund", {"fields": {"price_tier": "gold"}}, "fields"),
        ("refund", {"updated_since": "yesterday"}, "updated_since"),
        ("refund", {"reranker": "magic"}, "reranker"),
        ("refund", {"expansion": "auto,hyde"}, "expansion"),
    ],
)
async def test_what_can_not_be_used_is_told_by_field(
    resources: Resources, question: str, context: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadQuestion) as caught:
        await ask(resources, question, **context)
    assert caught.value.field == field and caught.value.message.endswith(".")


async def test_another_tenant_finds_nothing(resources: Resources) -> None:
    result = await ask(resources, DEMO, tenant="stranger")
    assert result["refusal_reason"] == "nothing_found"
    assert all(not ranked["hits"] for ranked in result["lists"])


async def test_where_callers_must_name_their_tenant_nobody_gets_a_default(kartly: Any, embedding: Any) -> None:
    class Closed(Resources):
        pass

    resources = Closed(kartly.model_copy(update={"tenant": ""}), embedding=embedding)
    with pytest.raises(Forbidden):
        await ask(resources, DEMO)


async def test_a_reranker_that_is_not_there_leaves_the_fused_order(resources: Resources) -> None:
    result = await ask(resources, DEMO, reranker="cross-encoder:not/here")
    assert not result["reranked"] and any("not/here" in warning for warning in result["warnings"])
    assert [hit["id"] for hit in result["ranked"]] == [hit["id"] for hit in result["fused"]]


async def test_every_stage_is_timed_and_kept(resources: Resources) -> None:
    result = await ask(resources, DEMO)
    assert set(result["timings_ms"]) == {
        "rewrite_query", "expand_query", "retrieve", "fuse", "rerank", "fit_context", "generate_answer",
        "check_faithfulness",
    }  # fmt: skip
    assert {ranked["kind"] for ranked in result["lists"]} == {"dense", "keyword"}
    assert result["model"] == "extractive" and not any(result["model_calls"].values())


async def test_the_graph_answers_without_an_event_loop_in_batches_and_streams(resources: Resources) -> None:
    graph = build_graph(resources)

    def without_a_loop() -> tuple[str, list[str], list[str]]:
        one = graph.invoke({"question": DEMO}, context={"top_k": 3})
        several = graph.batch([{"question": DEMO}, {"question": "Who won the IPL in 2024?"}])
        steps = [name for update in graph.stream({"question": DEMO}, stream_mode="updates") for name in update]
        assert len(one["context"]) == 3
        return one["answer"], [result["answer"] for result in several], steps

    one, several, steps = await asyncio.to_thread(without_a_loop)
    awaited = await graph.ainvoke({"question": DEMO})
    assert several[0] == awaited["answer"] and "7 days" in one
    assert steps[0] == "rewrite_query" and steps[-1] == "check_faithfulness"
    assert len(await graph.abatch([{"question": "refund"}, {"question": DEMO}])) == 2


async def test_a_numbered_paragraph_is_no_label(resources: Resources) -> None:
    result = await ask(resources, "За колко дни се изплаща обезщетение за гледане на болно дете според чл. 45?")
    assert not result["refused"] and "⟦" not in result["answer"]


@pytest.mark.parametrize(
    "question",
    [
        "Who is the CEO of Kartly?",
        "What are Kartly's opening hours?",
        "How many employees does Kartly have?",
        "Is Kartly hiring?",
    ],
)
async def test_the_shops_own_name_is_no_evidence(resources: Resources, question: str) -> None:
    assert (await ask(resources, question))["refused"]


async def test_a_quoted_answer_holds_what_decides(resources: Resources) -> None:
    express = await ask(resources, "Is express delivery available in Kolkata?")
    assert "The selected cities are" in express["answer"]
    use = await ask(resources, "Can I use the AX-204 while charging?")
    assert "cannot play music during charging" in use["answer"]
    shirt = await ask(resources, "How long do I have to return a t-shirt?")
    assert "15 days" in shirt["answer"] and "Electronics" not in shirt["answer"]


@pytest.mark.parametrize("code", ["P0999", "P0420", "ZX-81", "E-4012", "QR-7"])
async def test_a_code_of_no_known_kind_is_refused_by_name_where_nothing_else_is_asked(
    resources: Resources, code: str
) -> None:
    result = await ask(resources, f"What does {code} mean?")
    assert result["refused"] and f"{code} is not in your documents" in result["answer"]
    assert (await ask(resources, f"Is the {code} waterproof?"))["refused"]


@pytest.mark.parametrize(
    "question",
    [
        "Can I return my iPhone15 after 20 days?",
        "Can I return WH-1000XM4 headphones after 10 days?",
        "Does the AX204 support fast charging?",
    ],
)
async def test_a_products_own_code_does_not_hide_the_rule_for_its_kind(resources: Resources, question: str) -> None:
    assert not (await ask(resources, question))["refused"]
