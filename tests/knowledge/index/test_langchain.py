"""A collection of ours is one of ``langchain-qdrant``'s: opened, searched and added to by ``QdrantVectorStore``."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest
from langchain_core.documents import Document
from langchain_qdrant import QdrantVectorStore, RetrievalMode
from qdrant_client import QdrantClient, models

from knowledge.bm25 import Bm25Embeddings
from knowledge.index.port import ListRequest
from knowledge.index.server_store import Clients, ServerStore
from knowledge.scope import Scope
from tests.knowledge.index.engines import both, chunk, embed, ids, memory_clients, parent, sparse, tokens, write
from tests.knowledge.index.words import words

A = Scope(tenant="a")
SHELF = [
    chunk("returns#1", "Goods may be returned within thirty days", parent_id="returns#p1"),
    chunk("damage#1", "Report damage within two days"),
    chunk("damage#1", "Another house reports damage at once", tenant="b"),
    parent("returns#p1", "Goods may be returned within thirty days. Keep the invoice."),
]


@pytest.fixture
def clients() -> Clients:
    return memory_clients()


@pytest.fixture
def store(clients: Clients, tmp_path: Path) -> ServerStore:
    return ServerStore(clients, "policydesk", tmp_path)


def added_by(theirs: QdrantVectorStore, *documents: Document) -> list[str]:
    """The ids of added documents as the server writes them, with dashes."""
    return [str(UUID(at)) for at in theirs.add_documents(list(documents))]


def opened(client: QdrantClient, monkeypatch: pytest.MonkeyPatch) -> QdrantVectorStore:
    """``from_existing_collection`` makes its own client; here it is given the one that holds the collection."""
    monkeypatch.setattr("langchain_qdrant.qdrant.QdrantClient", lambda **options: client)
    model, _ = words()
    return QdrantVectorStore.from_existing_collection(
        "policydesk",
        embedding=model,
        sparse_embedding=Bm25Embeddings(average_length=8.0, language="en"),
        retrieval_mode=RetrievalMode.HYBRID,
    )


async def test_round_trip(store: ServerStore, clients: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    write(store, SHELF)
    theirs = opened(clients.sync, monkeypatch)
    tenant = models.Filter(must=[models.FieldCondition(key="metadata.tenant", match=models.MatchValue(value="a"))])
    found = theirs.similarity_search("damage within two days", k=5, filter=tenant)
    assert found[0].page_content == "Report damage within two days"
    assert {d.metadata["chunk_id"] for d in found} == {"returns#1", "damage#1"}  # parents have no vectors

    added = added_by(
        theirs,
        Document("Gift cards can not be refunded", metadata={"tenant": "a", "category": "general"}),
        Document("Gift cards of nobody", metadata={}),
        Document("Gift cards of the other house", metadata={"tenant": "b"}),
    )
    index = await store.current()
    dense, keyword = (await index.search(both("gift cards refunded"), A, terms=tokens("gift"))).lists
    assert ids(dense)[0] == ids(keyword)[0] == added[0]
    assert not {added[1], added[2]} & {*ids(dense), *ids(keyword)}
    assert dense[0].document.metadata["document_id"] == added[0]
    assert [d.page_content for d in await index.fetch([added[0], added[1]], A)] == ["Gift cards can not be refunded"]
    again = ListRequest(limit=5, sparse=sparse("gift"), chunk_ids=(added[0], "damage#1"))
    assert ids((await index.search([again], A)).lists[0]) == [added[0]]
    assert await index.count(A) == 3


async def test_what_langchain_added_outlives_an_ingest(
    store: ServerStore, clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = write(store, SHELF)
    theirs = opened(clients.sync, monkeypatch)
    before = added_by(theirs, Document("Gift cards can not be refunded", metadata={"tenant": "a"}))
    with store.lock():
        writer = store.writer((await store.current()).spec, base=first)
        writer.delete("a", ["damage#1"])
        during = added_by(theirs, Document("Opening hours are nine to five", metadata={"tenant": "a"}))
        writer.commit()
    index = await store.current()
    assert index.name == "v0002"
    assert set(ids(await index.documents(A))) == {"returns#1", before[0], during[0]}
    found = (await index.search([ListRequest(limit=3, dense=embed("opening hours"))], A)).lists[0]
    assert found[0].id == during[0]
    assert [d.page_content for d in await index.fetch(["returns#p1"], A)] == [SHELF[3].document.page_content]


def test_the_collection_is_laid_out_as_langchain_expects(store: ServerStore, clients: Clients) -> None:
    write(store, SHELF)
    info = clients.sync.get_collection("policydesk")
    vectors, sparse_vectors = info.config.params.vectors, info.config.params.sparse_vectors
    assert isinstance(vectors, dict) and vectors[""].distance == models.Distance.COSINE
    assert sparse_vectors is not None and sparse_vectors["langchain-sparse"].modifier == models.Modifier.IDF
    assert {a.collection_name for a in clients.sync.get_aliases().aliases} == {"policydesk_v0001"}
