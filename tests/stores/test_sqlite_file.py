"""What only the SQLite store promises: its file."""

from __future__ import annotations

import errno
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import combray
from combray.errors import StoreError
from combray.runtime import Arrival, Filter, KeywordArm, Link, Reader, Store
from combray.stores.sqlite import SqliteStore, store
from combray.testing.fakes import memory, vector
from combray.testing.store_cases import MODEL, add, order, scores, search
from combray.testing.store_suite import StoreSuite


class TestSqliteMemory(StoreSuite):
    """A store in memory has one connection, which an open write holds."""

    @pytest.fixture
    def store(self) -> Iterator[Store]:
        with closing(SqliteStore(":memory:")) as store:
            yield store

    def test_a_reader_during_an_open_write_sees_committed_rows(self, store: Store, reader: Reader) -> None:
        (key,) = add(store, memory("tea"))
        with store.transaction("default") as tx:
            tx.insert([Arrival(memory("tea again", 1))])
            with pytest.raises(StoreError, match="through the transaction"):
                reader.scan(Filter())
        assert order(reader.scan(Filter())) == [key, key + 1]


def test_no_byte_of_an_erased_memory_is_left_in_any_file(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    secret = memory(
        "Xylophonist Quetzalcoatl kept zwieback",
        context="bathysphere",
        entities=("Ouagadougou",),
        tags=("perspicacious",),
        author="Mxyzptlk",
        metadata={"note": "sesquipedalian"},
    )
    words = [
        "xylophonist",
        "quetzalcoatl",
        "zwieback",
        "bathysphere",
        "ouagadougou",
        "perspicacious",
        "mxyzptlk",
    ]
    words.append("sesquipedalian")
    with closing(SqliteStore(str(path))) as store:
        kept, gone = add(store, (memory("a"), vector(1, 0, 0, 0)), (secret, vector(0, 1, 0, 0)))
        with store.transaction("default") as tx:
            tx.link([Link(kept, gone, "causal", 1.0, "", "because of zwieback")], 0.0)
            tx.change(gone, "edit", "someone", 0.0, context="bathysphere twice")
            tx.note("remember", secret.id, "Xylophonist", 0.0)
        files = [path, Path(f"{path}-wal")]
        assert any(b"Xylophonist" in each.read_bytes() for each in files)
        with store.transaction("default") as tx:
            tx.erase([gone], 0.0)
        left = b"".join(each.read_bytes() for each in tmp_path.iterdir()).lower()
        assert [word for word in words if word.encode() in left] == []
        # Not the stems either, nor the ends of words that the index shortens by what they share.
        assert [word for word in words if word.encode()[2:8] in left] == []
        assert secret.id.encode() not in left
    left = b"".join(each.read_bytes() for each in tmp_path.iterdir()).lower()
    assert [word for word in words if word.encode()[2:8] in left] == []


def test_a_log_in_use_is_emptied_by_a_later_write(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(SqliteStore(str(path), busy_timeout=0.05)) as store:
        (key,) = add(store, memory("zwieback"))
        reading = store._reading()
        with reading as connection:
            connection.execute("SELECT count(*) FROM memory").fetchone()
            with store.transaction("default") as tx:
                tx.erase([key], 0.0)
            assert b"zwieback" in Path(f"{path}-wal").read_bytes()
        add(store, memory("plum"))
        assert b"zwieback" not in Path(f"{path}-wal").read_bytes() + path.read_bytes()


def test_a_log_that_another_process_deletes_meanwhile_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever closes the file last deletes its log, also between two looks of somebody who opens it."""
    path = tmp_path / "a.db"
    with closing(SqliteStore(str(path))) as store:
        add(store, memory("tea"))
    monkeypatch.setattr(Path, "exists", lambda self, **_: True)
    with closing(SqliteStore(str(path))) as store:
        assert store.reader("default").contents([1]) == ["tea"]


def test_a_backup_that_fails_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "copy.db"

    def full(_: sqlite3.Connection) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with combray.open(tmp_path / "a.db") as engine:
        engine.remember("The attic is dry.")
        with monkeypatch.context() as patched:
            patched.setattr(store, "forget", full)
            with pytest.raises(OSError, match="No space left"):
                engine.store.backup(str(copy))
        assert not copy.exists()
        engine.store.backup(str(copy))
        with pytest.raises(StoreError, match="cannot be opened"):
            engine.store.backup(str(copy / "in-a-file.db"))
    with combray.open(copy) as engine:
        assert len(engine.list()) == 1


def test_a_backup_is_a_store_of_its_own(tmp_path: Path) -> None:
    path, copy = str(tmp_path / "a.db"), str(tmp_path / "b.db")
    with closing(SqliteStore(path)) as store:
        add(store, memory("tea"))
        store.backup(copy)
        add(store, memory("plum"))
        with pytest.raises(StoreError, match="exists"):
            store.backup(copy)
    with closing(SqliteStore(copy)) as other:
        assert other.reader("default").contents([1, 2]) == ["tea", ""]
        assert other.check() == []


def test_threads_that_come_and_go_leave_no_connections_behind(tmp_path: Path) -> None:
    with closing(SqliteStore(str(tmp_path / "a.db"))) as store:
        add(store, memory("tea"))
        seen: list[dict[int, float]] = []
        for _ in range(20):
            thread = threading.Thread(
                target=lambda: seen.append(scores(search(store, KeywordArm((("tea", 1.0),)))))
            )
            thread.start()
            thread.join()
        assert len(seen) == 20
        assert len(store._idle) == 1


def test_reads_and_writes_in_many_threads_agree(tmp_path: Path) -> None:
    """Erasures shift every place while others read: an answer is always of one state."""
    with closing(SqliteStore(str(tmp_path / "a.db"))) as store:
        keys = add(store, *((memory(f"tea {i}", i), vector(1, i, 0, 0)) for i in range(30)))
        wrong: list[str] = []
        done = threading.Event()

        def read() -> None:
            reader = store.reader("default")
            while not done.is_set():
                try:
                    found = reader.nearest(MODEL, vector(1, 3, 0, 0)[None, :], Filter(), 1, 0.0)[0].keys.tolist()
                    if found != [keys[3]]:
                        wrong.append(f"nearest {found}")
                    if search(store, KeywordArm((("tea", 1.0),)), limit=5).keys.size != 5:
                        wrong.append("keyword")
                except Exception as error:  # noqa: BLE001 - any error here is what the test looks for
                    wrong.append(repr(error))

        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        for place in range(8):
            with store.transaction("default") as tx:
                tx.erase([keys[place]] if place != 3 else [], 0.0)
            add(store, (memory(f"tea again {place}", place), vector(0, 0, 1, 0)))
        done.set()
        for thread in threads:
            thread.join()
        assert wrong == []


def test_a_word_is_weighed_anew_after_a_write_and_for_other_fields(tmp_path: Path) -> None:
    def found(store: Store, fields: tuple[float, float, float, float]) -> dict[int, float]:
        arm = KeywordArm((("tea", 1.0),), fields=fields, normalise=False)
        ranked = store.reader("default").search({"keyword": arm}, Filter(), 9).lists["keyword"]
        return {order([key])[0]: score for key, score in zip(ranked.keys, ranked.scores, strict=True)}

    with closing(SqliteStore(str(tmp_path / "a.db"))) as store:
        first, second = add(store, memory("tea"), memory("rain", 1, context="tea"))
        content = (1.0, 0.0, 0.0, 0.0)
        assert list(found(store, content)) == [first]
        assert list(found(store, (0.0, 1.0, 0.0, 0.0))) == [second]
        before = found(store, content)
        assert before == found(store, content)
        (third,) = add(store, memory("tea tea", 2))
        after = found(store, content)
        assert set(after) == {first, third}
        # Two of three memories hold the word now instead of one of two: it says less.
        assert after[first] < before[first]
