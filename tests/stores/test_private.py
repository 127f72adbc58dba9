"""Stores, their logs, backups and exports are readable by their owner only; an existing file keeps its mode."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from combray.interfaces.cli import combray
from combray.stores.sqlite import SqliteStore
from combray.stores.sqlite.encryption import key_from
from combray.testing.fakes import memory
from combray.testing.store_cases import add

KEY = key_from("a passphrase long enough")


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
def test_a_store_its_logs_and_its_backups(tmp_path: Path, key: object) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    with closing(SqliteStore(str(folder / "a.db"), key=KEY if key else None)) as store:
        add(store, memory("Quark"))
        assert modes(folder) == {"a.db": 0o600, "a.db-shm": 0o600, "a.db-wal": 0o600}
        store.backup(str(folder / "plain-or-own.db"))
        store.backup(str(folder / "encrypted.db"), "another passphrase")
    assert set(modes(folder).values()) == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o755


def test_a_store_that_exists_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(SqliteStore(str(path))):
        pass
    path.chmod(0o640)
    with closing(SqliteStore(str(path))) as store:
        add(store, memory("Quark"))
        assert modes(tmp_path) == {"a.db": 0o640, "a.db-shm": 0o640, "a.db-wal": 0o640}


def test_the_shells_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COMBRAY_HOME", str(tmp_path))
    monkeypatch.setenv("COMBRAY_EMBEDDER", "none")

    def run(*words: str) -> None:
        done = CliRunner().invoke(combray, [*words, "--db", str(tmp_path / "a.db")])
        assert done.exit_code == 0, done.output

    run("remember", "Quark tastes of lemon.")
    for words in (["export", "x.jsonl"], ["viz", "-o", "x.html"], ["backup", "b.db"]):
        run(*words)
        assert modes(tmp_path)[words[-1]] == 0o600
    for words in (["export", "x.jsonl"], ["viz", "-o", "x.html"]):
        (tmp_path / words[-1]).chmod(0o644)
        run(*words)
        assert modes(tmp_path)[words[-1]] == 0o644
