"""What is copied with COPY is what the verbs would have written."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from conftest import Emptied

import combray
from bench.postgres.filling import fill
from combray.stores.postgres import PostgresStore
from combray.stores.sqlite import SqliteStore
from combray.testing.fakes import START
from combray.transfer import moving


def indexes(url: str) -> list[tuple[object, ...]]:
    """Return every index of the tables and their partitions, and whether it is used."""
    with psycopg.connect(url) as connection:
        return connection.execute(
            "SELECT i.indrelid::regclass::text, pg_get_indexdef(i.indexrelid), i.indisvalid "
            "FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid "
            "WHERE c.relnamespace = 'combray'::regnamespace ORDER BY 1, 2"
        ).fetchall()


def test_a_copied_store_is_sound_and_gives_the_same_answers(
    postgres: Emptied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMBRAY_HOME", str(tmp_path / "home"))
    path = str(tmp_path / "a.db")
    texts = (
        "Alice lives in Berlin, Berlin, Berlin.",
        "Bob likes green tea. 茶が好き。",
        "Größe ändern\tin C:\\temp",
    )
    with combray.open(path, clock=lambda: START.timestamp()) as engine:
        engine.remember_many([f"{text} Case {place}." for place in range(20) for text in texts], diff=False)
        source = engine.recall("Where does Alice live?", limit=5)
    with closing(SqliteStore(path)) as file:
        wanted = moving.checksum(file, "default")
    with closing(PostgresStore(postgres.url)):
        before = indexes(postgres.url)
    counted: dict[str, int] = {}
    fill(path, postgres.url, counted.__setitem__)
    assert counted["memory"] == 60
    assert indexes(postgres.url) == before
    with closing(PostgresStore(postgres.url)) as store:
        assert store.check() == []
        assert moving.checksum(store, "default") == wanted
    with combray.open(postgres.url, clock=lambda: START.timestamp()) as engine:
        found = engine.recall("Where does Alice live?", limit=5)
        engine.remember("A later memory has a later key.")
    assert [(hit.memory.id, hit.score) for hit in found.hits] == [
        (hit.memory.id, hit.score) for hit in source.hits
    ]
