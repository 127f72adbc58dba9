"""What a write has added reaches the columns and vectors in memory as a new process reads it from the file."""

from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import combray
from combray.stores.sqlite import SqliteStore
from combray.stores.sqlite.sql import sql

_DAY = datetime(2024, 5, 8, 12, 30, 0, 123457, tzinfo=UTC)


def state(store: SqliteStore) -> dict[str, Any]:
    """The columns with their texts, and the rows of the vectors, as a reader sees them."""
    with store.view("default") as view:
        view.covered("wordllama:256", combray.runtime.Filter())
        snapshot = view._snapshot  # type: ignore[attr-defined]
        found: dict[str, Any] = {name: each.tolist() for name, each in snapshot.columns.items()}
        for name, texts in snapshot.names.items():
            found[name] = [texts[code] if code >= 0 else None for code in found[name]]
        matrix = store._cache("default")._matrices["wordllama:256"]
        for name in ("rows", "norms", "has", "there"):
            found[f"vector {name}"] = getattr(matrix, name)[: snapshot.count].tolist()
    return found


def same(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert one.keys() == other.keys()
    for name, values in one.items():
        np.testing.assert_equal(values, other[name], name)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements on columns that are run from here on."""
    ran: list[str] = []
    real = SqliteStore._connect

    def traced(self: SqliteStore, *, read_only: bool = False) -> Any:
        connection = real(self, read_only=read_only)
        connection.set_trace_callback(lambda text: ran.append(text))
        return connection

    monkeypatch.setattr(SqliteStore, "_connect", traced)
    return ran


def write(engine: combray.Engine) -> None:
    engine.remember("The kettle in the hall is red.", author="Ann", tags=["home", "scope:user:ann"])
    engine.remember(
        "Yesterday the ferry to Skye was late?", occurred_at=_DAY, valid_to=_DAY + timedelta(days=2), importance=4
    )
    engine.remember_many(["The gate is locked at ten.", "Tom has moved to Leeds.", "..."])
    talk = engine.conversation("monday")
    talk.add("I shall bring the ladder on Friday.", author="Bo")
    talk.add("Thank you.", author="Ann")


def test_rows_of_a_write_are_those_of_the_file(tmp_path: Path, asked: list[str]) -> None:
    path = str(tmp_path / "a.db")
    with combray.open(path, worker=False) as engine:
        engine.remember("The cellar key is on the hook.")
        store = engine.runtime.store
        assert isinstance(store, SqliteStore)
        state(store)
        asked.clear()
        write(engine)
        taken = state(store)
        column = sql.memories.columns.splitlines()[2].strip()
        assert not [text for text in asked if column in text]
        engine.remember("Tom has moved from Leeds to York.")
        changed = state(store)
        with closing(SqliteStore(path)) as other:
            same(changed, state(other))
        assert len(taken["key"]) < len(changed["key"])


def test_what_is_rolled_back_is_not_taken(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with combray.open(path, worker=False) as engine:
        write(engine)
        store = engine.runtime.store
        assert isinstance(store, SqliteStore)
        before = state(store)
        (memory, *_) = engine.list()
        with suppress(ZeroDivisionError), store.transaction("default") as tx:
            tx.change(tx.keys_of([memory.id])[memory.id], "edit", "ann", 0.0, importance=5)
            raise ZeroDivisionError
        same(before, state(store))
        engine.remember("The ladder is back.")
        with closing(SqliteStore(path)) as other:
            same(state(store), state(other))
