"""The HNSW index: it finds what an exact search finds, also under filters, and keeps no codes in memory."""

from __future__ import annotations

import time
from contextlib import closing

import numpy as np
import psycopg
import pytest
from emptied import Emptied

from combray.errors import InvalidInputError, StoreError
from combray.runtime import Arrival, Filter, VectorArm
from combray.stores.postgres import PostgresStore, nearness, upkeep
from combray.stores.postgres.reader import PostgresView
from combray.stores.postgres.sql import sql
from combray.testing.fakes import memory
from combray.testing.postgres import Server

ROWS, DIMENSIONS, MODEL = 3000, 32, "m:32"


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    """Directions in thirty clusters, as texts of thirty subjects have."""
    random = np.random.default_rng(5)
    centres = random.normal(size=(30, DIMENSIONS))
    return (centres[np.arange(ROWS) % 30] + 0.7 * random.normal(size=(ROWS, DIMENSIONS))).astype(np.float32)


@pytest.fixture(scope="module")
def url(postgres_server: Server, vectors: np.ndarray) -> str:
    """A store of 3,000 memories: one in a hundred is an insight."""
    location = f"{postgres_server.url()}&schema=overlap"
    with closing(PostgresStore(location)) as store:
        for start in range(0, ROWS, 500):
            with store.transaction("default") as tx:
                places = range(start, start + 500)
                kinds = {place: "insight" if place % 100 == 7 else "fact" for place in places}
                tx.insert(
                    [
                        Arrival(memory(f"t{n}", n, kind=kinds[n], session="s", position=n), {MODEL: vectors[n]})
                        for n in places
                    ]
                )
    return location


NIGHTLY = pytest.mark.nightly("the ways that a store takes are tried every time")
WAYS = [
    (0, ()),
    (nearness.FEW, ("insight",)),
    pytest.param(0, ("insight",), marks=NIGHTLY),
    pytest.param(nearness.FEW, (), marks=NIGHTLY),
]
"""By the index, and exactly for the few rows that pass a filter."""


@pytest.mark.parametrize(("few", "kinds"), WAYS)
def test_the_index_finds_what_an_exact_search_finds(
    url: str, vectors: np.ndarray, kinds: tuple[str, ...], few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearness, "RESIDENT", 0)
    monkeypatch.setattr(nearness, "FEW", few)
    where = Filter(kinds=kinds)
    questions = vectors[::60] + 0.3 * np.random.default_rng(6).normal(size=(50, DIMENSIONS)).astype(np.float32)
    with closing(PostgresStore(url)) as exact, closing(PostgresStore(f"{url}&vectors=hnsw")) as indexed:
        assert indexed.check() == []
        one = exact.reader("default").nearest(MODEL, questions, where, 10, -1.0)
        other = indexed.reader("default").nearest(MODEL, questions, where, 10, -1.0)
        shared = [len(set(a.keys.tolist()) & set(b.keys.tolist())) / 10 for a, b in zip(one, other, strict=True)]
        assert min(len(each.keys) for each in other) == 10
        assert np.mean(shared) >= 0.97
        for a, b in zip(one, other, strict=True):
            known, found = (dict(zip(each.keys.tolist(), each.scores.tolist(), strict=True)) for each in (a, b))
            assert all(known[key] == found[key] for key in known.keys() & found.keys())
        assert isinstance(indexed._cache("default")._matrices[MODEL], nearness.Presence)
        assert exact.reader("default").covered(MODEL, where) == indexed.reader("default").covered(MODEL, where)


def test_an_arm_with_neighbours_has_the_scores_of_an_exact_search(
    url: str, vectors: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for the mean, which is a sample's: 1,024 of 3,000."""
    monkeypatch.setattr(nearness, "RESIDENT", 0)
    monkeypatch.setattr(nearness, "FEW", 0)
    with closing(PostgresStore(url)) as exact, closing(PostgresStore(f"{url}&vectors=hnsw")) as indexed:
        for place in (0, 500, 1500):
            arms = {"near": VectorArm(vectors[place], MODEL, before=(0.5,), after=(0.3,))}
            one, other = (store.reader("default").search(arms, Filter(), 10) for store in (exact, indexed))
            assert other.eligible == one.eligible == ROWS
            shared = set(one.lists["near"].keys.tolist()) & set(other.lists["near"].keys.tolist())
            assert len(shared) >= 9
            known, found = (
                dict(zip(each.keys.tolist(), each.scores["near"].tolist(), strict=True)) for each in (one, other)
            )
            assert all(abs(known[key] - found[key]) < 0.02 for key in shared)


def test_the_index_is_used(url: str, monkeypatch: pytest.MonkeyPatch, vectors: np.ndarray) -> None:
    monkeypatch.setattr(nearness, "RESIDENT", 0)
    monkeypatch.setattr(nearness, "FEW", 0)
    with closing(PostgresStore(f"{url}&vectors=hnsw")) as store:
        store.reader("default").nearest(MODEL, vectors[:5], Filter(), 10, -1.0)
    scans = "SELECT sum(idx_scan) FROM pg_stat_all_indexes WHERE schemaname = 'overlap' AND indexrelname ~ 'near'"
    # The server counts a connection's scans when the connection ends, and that it does after `close`.
    deadline = time.monotonic() + 90
    with psycopg.connect(url.partition("&schema")[0], autocommit=True) as connection:
        while not (found := connection.execute(scans).fetchone()) or not found[0]:
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_more_than_the_server_looks_at_in_one_scan(
    url: str, vectors: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pgvector looks at 1,000 rows at the most; a store of a million needs 3,000. Here 20 stand for the 1,000."""
    monkeypatch.setattr(nearness, "RESIDENT", 0)
    monkeypatch.setattr(nearness, "_EF_LEAST", 10)
    monkeypatch.setattr(nearness, "_EF_MOST", 20)
    questions = vectors[::60] + 0.3 * np.random.default_rng(6).normal(size=(50, DIMENSIONS)).astype(np.float32)
    with closing(PostgresStore(url)) as exact, closing(PostgresStore(f"{url}&vectors=hnsw")) as indexed:
        one, other = (
            store.reader("default").nearest(MODEL, questions, Filter(), 10, -1.0) for store in (exact, indexed)
        )
        shared = [len(set(a.keys.tolist()) & set(b.keys.tolist())) / 10 for a, b in zip(one, other, strict=True)]
    assert np.mean(shared) >= 0.97


def test_a_quarantined_memory_does_not_starve_the_index(
    postgres_server: Server, vectors: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index holds it too. It takes no place among the nearest, and nobody compares every row for it."""
    monkeypatch.setattr(nearness, "RESIDENT", 0)
    monkeypatch.setattr(nearness.Near, "_exact", lambda *_: pytest.fail("every row was compared"))
    with closing(PostgresStore(f"{postgres_server.url()}&schema=starved&vectors=hnsw")) as store:
        with store.transaction("default") as tx:
            tx.insert(
                [
                    Arrival(memory(f"t{n}", n, trust="quarantined" if n == 0 else "owner"), {MODEL: vectors[n]})
                    for n in range(200)
                ]
            )
        with store.view("default") as reader:
            (found,) = reader.nearest(MODEL, vectors[:1], Filter(), 10, -1.0)
            assert len(found.keys) == 10
            assert "t0" not in reader.contents(found.keys.tolist())
            # Later statements of the transaction are planned as always.
            assert isinstance(reader, PostgresView)
            assert reader._session.rows("SHOW enable_sort") == [("on",)]


def test_a_large_store_gets_its_index_by_repair(
    postgres_server: Server, vectors: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = f"{postgres_server.url()}&schema=repaired"
    with closing(PostgresStore(location)) as store, store.transaction("default") as tx:
        tx.insert([Arrival(memory(f"t{place}", place), {MODEL: vectors[place]}) for place in range(20)])
    monkeypatch.setattr(upkeep, "BUILT_AT_OPENING", 5)
    monkeypatch.setattr(nearness, "RESIDENT", 0)
    with closing(PostgresStore(f"{location}&vectors=hnsw")) as store:
        assert "doctor --repair" in " ".join(store.check())
        found = store.reader("default").nearest(MODEL, vectors[:1], Filter(), 1, 0.0)
        assert found[0].scores.tolist() == [1.0]
        assert any("20 vectors" in line for line in store.repair())
        assert store.check() == []
    with closing(PostgresStore(location)) as store, store.transaction("default") as tx:
        tx.insert([Arrival(memory("written without the option", 99), {MODEL: vectors[99]})])
    with closing(PostgresStore(f"{location}&vectors=hnsw")) as store:
        assert store.check() == []
        (late,) = store.reader("default").nearest(MODEL, vectors[99:100], Filter(), 1, 0.0)
        assert store.reader("default").contents(late.keys.tolist()) == ["written without the option"]


def test_a_server_without_the_extension_says_so(postgres: Emptied, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = "SELECT 1 WHERE false"
    monkeypatch.setattr(sql.near, "installed", nothing, raising=False)
    monkeypatch.setattr(sql.near, "available", nothing, raising=False)
    with pytest.raises(StoreError, match=r"pgvector 0\.8 or later"):
        PostgresStore(f"{postgres.url}&vectors=hnsw")
    monkeypatch.setattr(sql.near, "installed", "SELECT '0.6.2'")
    with pytest.raises(StoreError, match=r"the server has 0\.6\.2"):
        PostgresStore(f"{postgres.url}&vectors=hnsw")
    with pytest.raises(InvalidInputError, match="exact or hnsw"):
        PostgresStore(f"{postgres.url}&vectors=ivf")
