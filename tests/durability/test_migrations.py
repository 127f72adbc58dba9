"""Files of other versions: older ones are brought up behind a backup, newer ones are left alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import soundness

from combray.errors import NewerSchemaError, ReadOnlyStoreError, StoreError
from combray.stores.sqlite import SqliteStore, opening
from combray.stores.sqlite.upkeep import migrate, migrations, schema_version

NEWEST = migrations()[-1][0]
GOOD = (NEWEST + 1, "colour", "CREATE TABLE colour (name TEXT);\nINSERT INTO colour VALUES ('red; green');\n")
BAD = (NEWEST + 2, "broken", "CREATE TABLE shape (name TEXT);\nINSERT INTO never VALUES (1);\n")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.db"
    with closing(SqliteStore(str(path))) as opened:
        for number in range(3):
            with opened.transaction("default") as tx:
                soundness.write(tx, number)
    return path


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def tables(connection: sqlite3.Connection) -> set[str]:
    return {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}


def test_an_older_file_is_copied_before_it_is_changed(path: Path, connection: sqlite3.Connection) -> None:
    assert migrate(connection, str(path), [*migrations(), GOOD]) == ["colour"]
    assert schema_version(connection) == NEWEST + 1
    assert connection.execute("SELECT name FROM colour").fetchall() == [("red; green",)]
    backup = Path(f"{path}.backup-v{NEWEST}")
    with closing(SqliteStore(str(backup))) as copy:
        assert soundness.assert_sound(copy, {0, 1, 2}) == {0, 1, 2}
    with closing(sqlite3.connect(backup)) as copy:
        assert "colour" not in tables(copy)
    assert migrate(connection, str(path), [*migrations(), GOOD]) == []


def test_a_failing_migration_takes_all_back(path: Path, connection: sqlite3.Connection) -> None:
    before = tables(connection)
    with pytest.raises(sqlite3.OperationalError, match="never"):
        migrate(connection, str(path), [*migrations(), GOOD, BAD])
    assert schema_version(connection) == NEWEST
    assert tables(connection) == before
    connection.close()
    with closing(SqliteStore(str(path))) as opened:
        assert soundness.assert_sound(opened, {0, 1, 2}) == {0, 1, 2}
        with opened.transaction("default") as tx:
            soundness.write(tx, 3)


def test_the_backup_is_of_the_file_as_it_was_last(path: Path, connection: sqlite3.Connection) -> None:
    """A migration failed once; the user went on writing. The next try must not trust the old copy."""
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, str(path), [*migrations(), GOOD, BAD])
    with closing(SqliteStore(str(path))) as opened, opened.transaction("default") as tx:
        soundness.write(tx, 3)
    migrate(connection, str(path), [*migrations(), GOOD])
    with closing(SqliteStore(f"{path}.backup-v{NEWEST}")) as copy:
        assert soundness.numbers_in(copy) == {0, 1, 2, 3}
    assert not list(path.parent.glob("*unfinished*"))


def test_a_failure_is_a_store_error_when_the_store_opens(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = [*migrations(), GOOD, BAD]
    monkeypatch.setattr("combray.stores.sqlite.upkeep.migrations", lambda: every)
    monkeypatch.setattr(opening, "migrations", lambda: every)
    with pytest.raises(StoreError, match="never"):
        SqliteStore(str(path))
    with pytest.raises(ReadOnlyStoreError, match=f"needs {NEWEST + 2}"):
        SqliteStore(str(path), read_only=True)


def test_a_newer_file_is_refused_and_not_touched(path: Path, connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA user_version = {NEWEST + 1}")
    connection.close()
    before = path.read_bytes()
    for read_only in (True, False):
        with pytest.raises(NewerSchemaError, match=f"schema {NEWEST + 1}"):
            SqliteStore(str(path), read_only=read_only)
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["a.db"]


def test_a_new_file_needs_no_backup(tmp_path: Path) -> None:
    SqliteStore(str(tmp_path / "a.db")).close()
    assert [each.name for each in tmp_path.iterdir()] == ["a.db"]


def test_words_cut_another_way_are_indexed_again(path: Path, connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE setting SET value = 'old' WHERE name = 'terms_version'")
    connection.execute("INSERT INTO term_index (term_index) VALUES ('delete-all')")
    connection.close()
    with closing(SqliteStore(str(path))) as opened:
        assert soundness.assert_sound(opened, {0, 1, 2}) == {0, 1, 2}
        soundness.assert_whole(opened, 1)
