"""The file beside the store with columns and vectors: never needed, never wrong, gone with what is erased."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import combray
from combray.runtime import Arm, Arrival, Filter, KeywordArm, RecencyArm, VectorArm
from combray.stores import mapped
from combray.stores.sqlite import SqliteStore, cache, derived
from combray.stores.sqlite.upkeep import migrations
from combray.testing.fakes import START, memory, vector

T0 = START.timestamp()
MODEL = "m:3"
WORDS = ("apple", "plum", "pear", "fig", "date")
ARMS: dict[str, Arm] = {
    "words": KeywordArm((("appl", 1.0), ("fig", 1.0)), before=(0.5, 0.3), after=(0.3,)),
    "vectors": VectorArm(vector(1, 2, 0), MODEL, before=(0.5,)),
    "recency": RecencyArm(),
}


@pytest.fixture(autouse=True)
def _few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_LEAST", 40)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of 60 memories in three sessions, closed."""
    place = tmp_path / "a.db"
    with closing(SqliteStore(str(place))) as store:
        add(store, 0, 60)
        told(store)
    assert len(files(place)) == 1
    return place


def add(store: SqliteStore, start: int, stop: int) -> list[int]:
    with store.transaction("default") as tx:
        return tx.insert(
            [
                Arrival(
                    memory(f"{WORDS[n % 5]} {WORDS[n % 3]} {n}", n, session=f"s{n % 3}", position=n),
                    {MODEL: vector(n % 4 - 1, n % 3, 1)},
                )
                for n in range(start, stop)
            ]
        )


def files(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.columns-*"))


def answers(path: Path) -> object:
    with closing(SqliteStore(str(path))) as store:
        return told(store)


def told(store: SqliteStore) -> object:
    reader = store.reader("default")
    found = reader.search(ARMS, Filter(), 10)
    lists = {name: (each.keys.tolist(), each.scores.tolist()) for name, each in found.lists.items()}
    rows = reader.rows(found.keys)
    near = reader.nearest(MODEL, vector(1, 2, 0)[None, :], Filter(), 5, 0.1)[0]
    return lists, rows.gain.tolist(), rows.session.tolist(), near.keys.tolist(), reader.profile(), found.eligible


def without_file(path: Path) -> object:
    """What a store says that reads everything from the database."""
    for each in files(path):
        each.rename(each.with_suffix(".aside"))
    result = answers(path)
    for each in files(path):
        if each.suffix != ".aside":
            each.unlink()
    return result


def test_a_store_opened_with_its_file_reads_no_row_and_says_the_same(path: Path) -> None:
    with closing(SqliteStore(str(path))) as store:
        found = told(store)
        assert store._cache("default")._read == 0
    assert found == without_file(path)


def test_what_was_written_after_the_file_is_read_from_the_store(path: Path) -> None:
    (before,) = files(path)
    with closing(SqliteStore(str(path))) as store:
        new = add(store, 60, 70)
        with store.transaction("default") as tx:
            tx.change(new[0] - 5, "x", "y", T0, status="forgotten")
            tx.put_vectors(MODEL, [new[0] - 7], vector(1, 2, 0)[None, :])
    assert files(path) == [before]
    found = answers(path)
    assert found == without_file(path)
    assert found[0]["vectors"][0][0] == new[0] - 7  # type: ignore[index]


def test_changes_in_memory_never_reach_the_file(path: Path) -> None:
    (file,) = files(path)
    before = file.read_bytes()
    with closing(SqliteStore(str(path))) as store:
        add(store, 60, 70)
        told(store)
    assert file.read_bytes() == before


def test_a_restored_backup_does_not_take_the_file_of_its_future(path: Path, tmp_path: Path) -> None:
    """The same number of later writes, with other texts: counters alone could not tell them apart."""
    backup = tmp_path / "backup.db"
    with closing(SqliteStore(str(path))) as store:
        store.backup(str(backup))
        add(store, 60, 120)
        told(store)
    assert len(files(path)) == 1
    for each in ("", "-wal", "-shm"):
        Path(f"{path}{each}").unlink(missing_ok=True)
    backup.rename(path)
    with closing(SqliteStore(str(path))) as store:
        add(store, 200, 260)
        told(store)
    assert answers(path) == without_file(path)


def test_an_erasure_removes_the_file_and_its_drafts(path: Path) -> None:
    (file,) = files(path)
    draft = file.with_name(f"{file.name}.new")
    draft.write_bytes(b"left by a process that was killed")
    with closing(SqliteStore(str(path))) as store:
        with store.transaction("default") as tx:
            tx.erase([5], T0)
        assert files(path) == []
    assert 5 not in answers(path)[3]  # type: ignore[index]


def test_another_process_sees_an_erasure_although_it_has_mapped_the_file(path: Path) -> None:
    with closing(SqliteStore(str(path))) as one, closing(SqliteStore(str(path))) as other:
        told(other)
        with one.transaction("default") as tx:
            tx.erase([1, 2, 3], T0)
        assert told(other) == told(one)


@pytest.mark.parametrize("damage", [b"", b"COMBRAY\x01", b"x" * 5000, "cut", "flipped"])
def test_a_damaged_file_is_not_used(path: Path, damage: bytes | str) -> None:
    (file,) = files(path)
    whole = file.read_bytes()
    if damage == "cut":
        file.write_bytes(whole[: len(whole) // 2])
    elif damage == "flipped":
        file.write_bytes(whole[:40] + bytes([whole[40] ^ 255]) + whole[41:])
    else:
        file.write_bytes(damage)  # type: ignore[arg-type]
    found = answers(path)
    # It was read anew and replaced.
    assert files(path) not in ([], [file])
    assert found == without_file(path)


def test_a_file_of_another_layout_is_not_used(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = files(path)
    monkeypatch.setattr("combray.stores.sqlite.derived._LAYOUT", 99)
    answers(path)
    assert files(path) not in ([], before)


def test_a_file_fits_after_a_migration_of_other_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word in a comment is no table: without it, all rows of every store would be read after each update."""
    every = migrations()
    schema = derived._schema()
    for text, fits in (
        ("CREATE TABLE basket (name TEXT); -- what a memory is put in", True),
        ("ALTER TABLE memory ADD COLUMN weight INTEGER;", False),
        ("UPDATE vector SET code = code;", False),
    ):
        monkeypatch.setattr(derived, "migrations", lambda text=text: [*every, (99, "next", text)])
        assert derived._schema.__wrapped__() == (schema if fits else 99)


def test_a_fill_that_never_compares_saves_all_vectors(tmp_path: Path) -> None:
    """Otherwise the next process reads the vectors of a whole import."""
    path = tmp_path / "fill.db"
    with closing(SqliteStore(str(path))) as store:
        add(store, 0, 60)
        store.reader("default").profile()
    assert len(files(path)) == 1
    with closing(SqliteStore(str(path))) as store:
        found = told(store)
        assert store._cache("default")._read == 0
    file = mapped.read(files(path)[0])
    assert file is not None
    # Neighbours too: else each process would link all turns.
    assert [["chain"], 60] in file.about["derived"]
    assert found == without_file(path)


def test_a_file_that_lags_is_written_by_the_process_that_catches_up(path: Path) -> None:
    """While it is open: a process that only reads may run for weeks."""
    (file,) = files(path)
    with closing(SqliteStore(str(path))) as store:
        add(store, 60, 110)
    assert files(path) == [file]
    with closing(SqliteStore(str(path))) as store:
        with store.view("default") as reader:
            reader.search(ARMS, Filter(), 10)
        store._columns.wait()
        (newer,) = files(path)
        assert newer != file
        # What was read is given up for the file that all processes share.
        rows = store._cache("default")._columns.columns["moment"]
        assert rows.base is not None
        assert told(store) == without_file(path)


def test_of_two_processes_that_catch_up_one_writes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (file,) = files(path)
    file.unlink()
    with closing(SqliteStore(str(path))) as one, closing(SqliteStore(str(path))) as other:
        with monkeypatch.context() as patch:
            patch.setattr(other._columns, "save_beside", lambda *_: None)
            told(other)
        with one.view("default") as reader:
            reader.search(ARMS, Filter(), 10)
        one._columns.wait()
        found = told(one)
        (file,) = files(path)
        other._columns.save_beside(other._cache("default"), 64)
        other._columns.wait()
        assert other._cache("default")._read == 0
        assert told(other) == found
    assert files(path) == [file]


def test_an_erasure_while_a_file_is_written_leaves_none(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = mapped.write

    def interrupted(*given: Any) -> None:
        whole(*given)
        with closing(SqliteStore(str(path))) as other, other.transaction("default") as tx:
            tx.erase([5], T0)

    for each in files(path):
        each.unlink()
    with monkeypatch.context() as patch:
        patch.setattr(mapped, "write", interrupted)
        answers(path)
    assert files(path) == []


def test_a_file_is_due_after_so_many_rows() -> None:
    """A 64th, but no more than 8,000; a quarter while a process writes. These tests lower the least to 40."""
    every = cache.SqliteNamespaceCache("default")
    for count, share, due in (
        (1_000, 64, 40),
        (256_000, 64, 4_000),
        (10_000_000, 64, 8_000),
        (10_000_000, 4, 2_500_000),
    ):
        every._columns.count = count
        assert every.is_due(share, due)
        assert not every.is_due(share, due - 1)


def test_a_write_does_not_map_a_file_again_that_lacks_few_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 0
    read = cache.SqliteNamespaceCache._map

    def counted(held: cache.SqliteNamespaceCache, found: Any) -> None:
        nonlocal count
        count += 1
        read(held, found)

    monkeypatch.setattr(cache.SqliteNamespaceCache, "_map", counted)
    with closing(combray.open(tmp_path / "a.db", embedder="wordllama")) as engine:
        store = engine.runtime.store
        assert isinstance(store, SqliteStore)
        # A file is due after the second batch, and after the fourth. Then one is due when 40 more were written.
        for start in range(0, 125, 25):
            engine.remember_many([f"Shelf {n} holds jars of {WORDS[n % 5]}." for n in range(start, start + 25)])
            # A file that is written later would be another one during the single writes.
            store._columns.wait()
        count = 0
        for n in range(30):
            engine.remember(f"Crate {n} is full of {WORDS[n % 3]} stones.")
            store._columns.wait()
    assert count <= 1


def test_an_encrypted_store_and_one_in_memory_have_none(tmp_path: Path) -> None:
    pytest.importorskip("sqlcipher3")
    with combray.open(tmp_path / "secret.db", key="a passphrase", embedder="none") as engine:
        engine.remember_many([f"plum {n}" for n in range(60)], diff=False)
    assert files(tmp_path / "secret.db") == []
    with closing(SqliteStore(":memory:")) as store:
        add(store, 0, 60)


def test_a_read_only_store_uses_the_file_and_writes_none(path: Path) -> None:
    (file,) = files(path)
    with closing(SqliteStore(str(path), read_only=True)) as store:
        told(store)
        assert store._cache("default")._read == 0
    file.unlink()
    with closing(SqliteStore(str(path), read_only=True)) as store:
        told(store)
    assert files(path) == []


def test_only_the_owner_can_read_it(path: Path) -> None:
    assert files(path)[0].stat().st_mode & 0o777 == 0o600


def test_a_full_disk_costs_the_file_and_nothing_else(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (before,) = files(path)
    monkeypatch.setattr(mapped, "write", full)
    with closing(SqliteStore(str(path))) as store:
        add(store, 60, 120)
    assert files(path) == [before]
    assert answers(path) == without_file(path)


def test_a_process_killed_while_it_saves_leaves_a_store_that_works(tmp_path: Path) -> None:
    """Killed when the draft is whole and when it is renamed, but the store does not name it."""
    for number, moment in enumerate(("os.fsync", "pathlib.Path.rename")):
        path = tmp_path / f"{number}.db"
        code = f"""
import os, pathlib, signal, combray
from combray.stores.sqlite import cache
cache._LEAST = 20
owner, name = {moment!r}.rsplit(".", 1)
place = os if owner == "os" else pathlib.Path
whole = getattr(place, name)
def dying(*given):
    whole(*given)
    os.kill(os.getpid(), signal.SIGKILL)
engine = combray.open({str(path)!r}, embedder="none")
engine.remember_many([f"plum number {{n}}" for n in range(60)], diff=False)
setattr(place, name, dying)
engine.recall("plum")
engine.close()
"""
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
        with combray.open(path, embedder="none") as engine:
            assert len(engine.recall("plum", limit=50)) == 50
            engine.erase(engine.list()[0].id)
        left = [each.name for each in tmp_path.glob(f"{number}.db.columns-*.new")]
        assert left == []


def test_the_default_engine_saves_maps_and_erases_with_proof(tmp_path: Path) -> None:
    """With the default preset and embedder: 200 facts, closed, opened, asked, erased with proof."""
    path = tmp_path / "agent.db"
    facts = [f"{name} keeps {count} {what}" for name in ("Ana", "Bo") for what in WORDS for count in range(20)]
    with combray.open(path) as engine:
        engine.remember_many(facts, diff=False)
        engine.recall("figs")
    (file,) = files(path)
    with combray.open(path) as engine:
        hit = engine.recall("How many figs does Ana keep?")[0]
        assert "Ana" in hit.memory.content
        certificate = engine.erase(hit.memory.id, prove=True)
        assert certificate is not None
        assert not certificate.left
        assert not file.exists()


def test_arrays_come_back_with_room(tmp_path: Path) -> None:
    arrays: dict[str, tuple[np.ndarray, int]] = {
        "one": (np.arange(5, dtype=np.int16), 9),
        "two": (np.arange(6, dtype=np.float64).reshape(3, 2), 4),
        "none": (np.zeros(0, dtype=np.bool_), 0),
    }
    mapped.write(tmp_path / "x", {"revision": 7}, arrays)
    found = mapped.read(tmp_path / "x")
    assert found is not None
    assert found.about == {"revision": 7}
    assert found.arrays["one"].tolist() == [0, 1, 2, 3, 4, 0, 0, 0, 0]
    assert found.arrays["two"].tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [0.0, 0.0]]
    assert found.arrays["none"].dtype == np.bool_
    assert mapped.read(tmp_path / "missing") is None
