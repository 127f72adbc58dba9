"""Files of other tools in which two names meet: of columns, of items."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import combray
from combray.errors import InvalidInputError
from combray.transfer import read_file


def test_a_slash_in_a_namespace_of_langgraph_is_no_end_of_it(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("CREATE TABLE store_migrations (v)")
        store.execute("CREATE TABLE store (prefix, key, value, created_at)")
        rows = [("a/b", "c", '{"text": "Tea."}'), ("a", "b/c", '{"text": "Rum."}')]
        store.executemany("INSERT INTO store VALUES (?, ?, ?, '2024-01-01 00:00:00')", rows)
    with combray.open(":memory:", embedder="none") as engine:
        assert engine.store.import_from(read_file(path), dry_run=False).memories == 2
        assert {each.content for each in engine.list()} == {"Tea.", "Rum."}


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,note,note,,\nTea,green,black,,\n")
    with pytest.raises(InvalidInputError, match="has two columns 'note'"):
        read_file(path)
    path.write_text("text,,\nTea,,\n")
    assert len(read_file(path).entries) == 1
