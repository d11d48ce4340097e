"""What both engines promise: the port, behaviour by behaviour."""

from __future__ import annotations

import math
from datetime import date
from pathlib import Path

import pytest

from knowledge.errors import BadInput, IndexBusy, IndexMissing
from knowledge.index.edge import EdgeIndex
from knowledge.index.port import IndexStore, ListRequest
from knowledge.index.terms import TermCounts
from knowledge.scope import Scope
from tests.knowledge.index.engines import both, chunk, embed, ids, open_engine, parent, sparse, spec, tokens, write

A = Scope(tenant="a")

SHELF = [
    chunk("returns#1", "Unused goods may be returned within thirty days of delivery"),
    chunk("returns#2", "Send the form with the parcel", defines=["form-7"]),
    chunk("damage#1", "Report damage within two days of delivery", updated_at="2026-03-02T00:00:00+00:00"),
    chunk("headphones#1", "The AX-204 headphones charge in two hours", category="electronics", mentions=["ax-204"]),
    chunk("shirts#1", "Shirts may be returned unwashed", category="clothing", language="de", price_tier=2, sale=True),
    chunk("old#1", "Goods may be returned within ten days", status="repealed", updated_at="2020-01-01T00:00:00+00:00"),
    chunk("returns#1", "Returned goods of another house", tenant="b"),
]


async def test_nothing_indexed_names_the_command(store: IndexStore) -> None:
    with pytest.raises(IndexMissing, match="policydesk ingest"):
        await store.current()
    assert (store.live(), store.versions()) == (None, [])


async def test_lists_come_in_the_order_asked_for_best_first(store: IndexStore) -> None:
    write(store, SHELF)
    index = await store.current()
    dense, keyword = (await index.search(both("goods returned within thirty days"), A)).lists
    assert dense[0].id == keyword[0].id == "returns#1"
    assert dense[0].document.page_content.startswith("Unused goods")
    for found in (dense, keyword):
        assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert 0.5 < dense[0].score <= 1.0
    assert "old#1" not in ids(dense)


async def test_a_look_ahead_changes_nothing_of_what_is_found(store: IndexStore) -> None:
    write(store, SHELF)
    index = await store.current()
    requests, terms = both("goods returned within thirty days"), list(tokens("the charge of old goods"))
    ahead = await index.look_ahead([one for one in requests if one.sparse], A, terms=terms[:2])
    assert await index.search(requests, A, terms=terms, ahead=ahead) == await index.search(requests, A, terms=terms)


async def test_what_was_looked_up_ahead_is_not_looked_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_engine("edge", tmp_path)
    write(store, SHELF)
    index = await store.current()
    requests, terms = both("goods returned within thirty days"), list(tokens("goods charge"))
    ahead = await index.look_ahead([one for one in requests if one.sparse], A, terms=terms)
    read: list[object] = []
    monkeypatch.setattr(EdgeIndex, "_contents", lambda self, ids: read.append(set(ids)) or {})
    monkeypatch.setattr(TermCounts, "idf", lambda self, wanted, tenants: read.append(set(wanted)) or {})
    result = await index.search([one for one in requests if one.sparse], A, terms=terms, ahead=ahead)
    assert (read, ids(result.lists[0])[0]) == ([set(), set()], "returns#1")
    assert result.idf.keys() == set(terms)


async def test_limit_is_kept(store: IndexStore) -> None:
    write(store, SHELF)
    index = await store.current()
    for found in (await index.search(both("returned within days", limit=2), A)).lists:
        assert len(found) == 2


async def test_ties_go_by_chunk_id_even_across_the_limit(store: IndexStore) -> None:
    write(store, [chunk(f"copy{n:02}#1", "the very same words") for n in reversed(range(40))])
    index = await store.current()
    for found in (await index.search(both("same words", limit=3), A)).lists:
        assert ids(found) == ["copy00#1", "copy01#1", "copy02#1"]


async def test_identifiers_narrow_a_list(store: IndexStore) -> None:
    write(store, SHELF)
    index = await store.current()
    vector = embed("anything")
    defines, mentions, either = (
        await index.search(
            [
                ListRequest(limit=5, dense=vector, defines=("form-7",)),
                ListRequest(limit=5, dense=vector, mentions=("ax-204", "none")),
                ListRequest(limit=5, dense=vector, mentions=("form-7",)),
            ],
            A,
        )
    ).lists
    assert ids(defines) == ["returns#2"]
    assert ids(mentions) == ["headphones#1"]
    assert either == ()


async def test_known_candidates_are_scored_by_the_other_vector(store: IndexStore) -> None:
    write(store, SHELF)
    index = await store.current()
    asked = ListRequest(limit=9, dense=embed("parcel"), chunk_ids=("returns#2", "damage#1", "nowhere#1"))
    assert set(ids((await index.search([asked], A)).lists[0])) == {"returns#2", "damage#1"}


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (A, {"returns#1", "returns#2", "damage#1", "headphones#1", "shirts#1"}),
        (
            Scope(tenant="a", include_repealed=True),
            {"returns#1", "returns#2", "damage#1", "headphones#1", "shirts#1", "old#1"},
        ),
        (Scope(tenant="a", categories=("electronics",)), {"returns#1", "returns#2", "damage#1", "headphones#1"}),
        (
            Scope(tenant="a", allowed_categories=("clothing",), categories=("electronics",)),
            {"returns#1", "returns#2", "damage#1"},
        ),
        (Scope(tenant="a", document_ids=("returns", "shirts")), {"returns#1", "returns#2", "shirts#1"}),
        (Scope(tenant="a", languages=("de",)), {"shirts#1"}),
        (Scope(tenant="a", updated_since=date(2026, 3, 2)), {"damage#1"}),
        (Scope(tenant="a", updated_since=date(2026, 3, 3)), set()),
        (Scope(tenant="a", fields={"price_tier": (2, 3)}), {"shirts#1"}),
        (Scope(tenant="a", fields={"price_tier": (1,)}), set()),
        (Scope(tenant="a", fields={"sale": (True,)}), {"shirts#1"}),
        (Scope(tenant="a", fields={"sale": ()}), set()),
        (Scope(tenant="nobody"), set()),
    ],
)
async def test_scope_holds_in_every_call(store: IndexStore, scope: Scope, expected: set[str]) -> None:
    write(store, SHELF, fields=("price_tier", "sale"))
    index = await store.current()
    assert set(ids(await index.documents(scope))) == expected
    assert await index.count(scope) == len(expected)
    dense, keyword = (
        await index.search(both("goods returned within two days of delivery form parcel hours"), scope)
    ).lists
    assert set(ids(dense)) == expected
    assert set(ids(keyword)) <= expected
    assert set(ids(await index.fetch([point.document.id for point in SHELF], scope))) == expected
    counted = await index.values("document_id", scope)
    assert sum(counted.values()) == len(expected)


async def test_shared_chunks_keep_apart_from_own_ones_of_the_same_id(store: IndexStore) -> None:
    write(
        store,
        [
            chunk("returns#1", "our own words", parent_id="returns#p1"),
            chunk("returns#1", "shared words", tenant="shared", parent_id="returns#p1"),
            parent("returns#p1", "our own parent"),
            parent("returns#p1", "shared parent", tenant="shared"),
        ],
    )
    index = await store.current()
    scope = Scope(tenant="a", include_shared=True)
    found = (await index.search(both("words"), scope)).lists[0]
    assert {one.id: one.document.page_content for one in found} == {
        "returns#1": "our own words",
        "shared::returns#1": "shared words",
    }
    parents = [one.document.metadata["parent_id"] for one in found]
    assert {d.id: d.page_content for d in await index.fetch(parents, scope)} == {
        "returns#p1": "our own parent",
        "shared::returns#p1": "shared parent",
    }
    again = ListRequest(limit=5, dense=embed("words"), chunk_ids=("shared::returns#1",))
    assert ids((await index.search([again], scope)).lists[0]) == ["shared::returns#1"]
    assert await index.fetch(["shared::returns#1"], A) == []


async def test_parents_are_fetched_and_never_found(store: IndexStore) -> None:
    write(store, [*SHELF, parent("returns#p1", "Unused goods may be returned. Send the form.")])
    index = await store.current()
    everyone = Scope(tenant="a", include_repealed=True)
    found = await index.search(both("goods returned form", limit=20), everyone)
    assert not any("p1" in at for row in found.lists for at in ids(row))
    assert await index.count(everyone) == 6
    assert "parent" not in await index.values("kind", everyone)
    assert ids(await index.documents(everyone)) == [
        "damage#1",
        "headphones#1",
        "old#1",
        "returns#1",
        "returns#2",
        "shirts#1",
    ]
    assert ids(await index.fetch(["returns#p1", "returns#2"], everyone)) == ["returns#p1", "returns#2"]


async def test_idf_is_counted_over_the_scopes_tenants(store: IndexStore) -> None:
    write(store, [*SHELF, parent("returns#p1", "returned"), chunk("rules#1", "returned goods", tenant="shared")])
    index = await store.current()

    async def idf(word: str, scope: Scope) -> float | None:
        (token,) = tokens(word)
        counted = (await index.search([], scope, terms=[token])).idf
        (found,) = (await index.search([ListRequest(limit=1, sparse=sparse(word))], scope)).lists
        assert bool(found) or token not in counted
        return counted.get(token)

    def formula(chunks: int, holding: int) -> float:
        return math.log(1 + (chunks - holding + 0.5) / (holding + 0.5))

    assert await idf("returned", A) == pytest.approx(formula(6, 3), abs=1e-5)
    assert await idf("returned", Scope(tenant="a", include_shared=True)) == pytest.approx(formula(7, 4), abs=1e-5)
    assert await idf("returned", Scope(tenant="b")) == pytest.approx(formula(1, 1), abs=1e-5)
    assert await idf("unheard", A) is None
    assert await idf("returned", Scope(tenant="nobody")) is None


async def test_keyword_scores_do_not_feel_other_tenants(store: IndexStore) -> None:
    write(store, SHELF)
    before = (await (await store.current()).search(both("returned goods"), A)).lists
    write(store, [*SHELF, *(chunk(f"noise{n}#1", "returned goods returned goods", tenant="b") for n in range(30))])
    after = (await (await store.current()).search(both("returned goods"), A)).lists
    assert [[(one.id, one.score) for one in row] for row in before] == [
        [(one.id, one.score) for one in row] for row in after
    ]


async def test_a_change_replaces_removes_and_leaves_the_rest(store: IndexStore) -> None:
    first = write(store, SHELF, fields=("price_tier",))
    old = await store.current()
    with store.lock():
        writer = store.writer(old.spec, base=first)
        assert set(writer.stored("a")) == {"returns#1", "returns#2", "damage#1", "headphones#1", "shirts#1", "old#1"}
        assert set(writer.stored("b")) == {"returns#1"}
        assert writer.tenants(["/secret/root"]) == ["a", "b"]
        assert writer.tenants(["/other"]) == []
        kept = writer.vectors("a", ["returns#2", "nowhere#1"])
        assert kept["returns#2"] == pytest.approx(SHELF[1].dense, abs=1e-6)
        assert set(kept) == {"returns#2"}
        writer.delete("a", ["damage#1", "nowhere#1"])
        writer.upsert([chunk("returns#1", "Unused goods may be returned within forty days")])
        writer.commit()
    index = await store.current()
    assert (index.name, old.name) == ("v0002", "v0001")
    assert await index.count(A) == 4
    assert (await index.fetch(["returns#1"], A))[0].page_content.endswith("forty days")
    assert (await index.fetch(["returns#1"], Scope(tenant="b")))[0].page_content == "Returned goods of another house"
    # Who began with the old version ends with it.
    assert await old.count(A) == 5
    assert (await old.fetch(["returns#1"], A))[0].page_content.endswith("of delivery")


async def test_a_changed_index_scores_like_one_built_afresh(store: IndexStore, tmp_path: Path) -> None:
    name = write(store, SHELF)
    with store.lock():
        writer = store.writer(spec(), base=name)
        writer.delete("a", ["old#1", "damage#1"])
        writer.upsert([chunk("returns#2", "Send the parcel within ten days"), chunk("new#1", "days and days")])
        writer.commit()
    fresh = open_engine("edge", tmp_path / "fresh")
    kept = [p for p in SHELF if p.document.id not in {"old#1", "damage#1", "returns#2"}]
    write(fresh, [*kept, chunk("returns#2", "Send the parcel within ten days"), chunk("new#1", "days and days")])
    asked = both("returned goods within ten days of delivery parcel")
    changed, built = [
        await (await one.current()).search(asked, A, terms=tokens("days returned damage")) for one in (store, fresh)
    ]
    assert [[(f.id, pytest.approx(f.score, abs=2e-5)) for f in row] for row in changed.lists] == [
        [(f.id, f.score) for f in row] for row in built.lists
    ]
    assert changed.idf == pytest.approx(built.idf, abs=1e-5)


async def test_abort_leaves_the_live_version(store: IndexStore) -> None:
    name = write(store, SHELF)
    with store.lock():
        writer = store.writer(spec(), base=name)
        writer.delete("a", ["returns#1"])
        writer.abort()
    assert [info.name for info in store.versions()] == [name]
    assert await (await store.current()).count(A) == 5


async def test_an_unfinished_build_is_invisible_and_cleared_away(store: IndexStore) -> None:
    name = write(store, SHELF)
    store.writer(spec(), base=name).upsert([chunk("half#1", "half written")])
    assert [info.name for info in store.versions()] == [name]
    assert await (await store.current()).count(A) == 5
    with pytest.raises(BadInput):
        await store.version("v0002")
    assert write(store, SHELF[:1]) == "v0002"
    assert await (await store.current()).count(A) == 1


async def test_build_beside_switch_and_drop(store: IndexStore) -> None:
    first = write(store, SHELF)
    beside = write(store, SHELF[:2], name="small", live=False)
    assert (await store.current()).name == first
    assert await (await store.version("small")).count(A) == 2
    store.switch(beside)
    assert (await store.current()).name == "small"
    assert [(info.name, info.live, info.kept) for info in store.versions()] == [
        (first, False, False),
        ("small", True, True),
    ]
    with pytest.raises(BadInput, match="live"):
        store.drop("small")
    store.drop(first)
    assert [info.name for info in store.versions()] == ["small"]
    for refused in (lambda: store.switch(first), lambda: store.drop(first)):
        with pytest.raises(BadInput, match="there are: small"):
            refused()
    with pytest.raises(BadInput, match="already"):
        store.writer(spec(), name="small")
    with pytest.raises(BadInput, match="can't name"):
        store.writer(spec(), name="../small")


async def test_a_name_built_again_is_another_version(store: IndexStore) -> None:
    write(store, SHELF[:1])
    write(store, SHELF[:2], name="x", live=False)
    assert await (await store.version("x")).count(A) == 2
    store.drop("x")
    write(store, SHELF[:3], name="x", live=False, embedding="another")
    assert await (await store.version("x")).count(A) == 3
    assert (await store.version("x")).spec.embedding == "another"


async def test_the_last_three_ingests_and_named_versions_stay(store: IndexStore) -> None:
    write(store, SHELF[:1], name="kept", live=False)
    for n in range(1, 6):
        write(store, SHELF[:n])
    assert [info.name for info in store.versions()] == ["kept", "v0003", "v0004", "v0005"]


async def test_spec_is_stored(store: IndexStore) -> None:
    write(store, SHELF, fields=("price_tier",), average_length=12.5)
    assert (await store.current()).spec == spec(fields=("price_tier",), average_length=12.5)
    assert store.versions()[0].spec.version == "words-16/structural-120w"


async def test_where_a_document_came_from_stays_in_the_store(store: IndexStore) -> None:
    write(store, SHELF)
    index = await store.current()
    found = (await index.search(both("goods"), A)).lists[0]
    for document in [*(one.document for one in found), *await index.documents(A), *await index.fetch(["returns#1"], A)]:
        assert "/secret/root" not in repr(document)
    with pytest.raises(BadInput):
        await index.values("source_root", A)


async def test_values_of_unknown_keys_are_refused(store: IndexStore) -> None:
    write(store, SHELF, fields=("price_tier", "sale"))
    index = await store.current()
    assert await index.values("category", A) == {"general": 3, "electronics": 1, "clothing": 1}
    assert await index.values("price_tier", A) == {"2": 1}
    assert await index.values("sale", A) == {"True": 1}
    with pytest.raises(BadInput, match="color"):
        await index.values("color", A)


def test_one_writer_at_a_time(store: IndexStore) -> None:
    with store.lock(), pytest.raises(IndexBusy, match="wait until it is done"), store.lock():
        pass
    with store.lock():
        pass


async def test_searching_for_nothing_finds_nothing(store: IndexStore) -> None:
    write(store, SHELF)
    index = await store.current()
    assert (await index.search([], A)).lists == ()
    assert await index.fetch([], A) == []
    assert (await index.search([ListRequest(limit=3, sparse=sparse("unheard of"))], A)).lists == ((),)
    await index.close()
    await index.close()
