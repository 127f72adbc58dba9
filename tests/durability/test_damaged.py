"""Files that are damaged, or were never a store: a clear error, and repair where repair can help."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import soundness

from combray.errors import CorruptStoreError, StoreError
from combray.runtime import Filter, KeywordArm
from combray.stores.sqlite import SqliteStore

COUNT = 60


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.db"
    with closing(SqliteStore(str(path))) as store:
        for number in range(COUNT):
            with store.transaction("default") as tx:
                soundness.write(tx, number)
    return path


def use(path: Path) -> None:
    """Open the file and read all that can be read."""
    with closing(SqliteStore(str(path))) as store:
        reader = store.reader("default")
        for number in soundness.numbers_in(store):
            soundness.assert_whole(store, number)
        reader.edges()
        reader.status()
        with store.transaction("default") as tx:
            soundness.write(tx, COUNT + 1)


@pytest.mark.parametrize("content", [b"hello", b"# Notes\n" * 1000, bytes(range(256)) * 64, b"\x00" * 8192])
def test_a_file_that_is_no_database(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.md"
    path.write_bytes(content)
    with pytest.raises(CorruptStoreError, match=r"notes\.md"):
        SqliteStore(str(path))
    with pytest.raises(CorruptStoreError, match=r"notes\.md"):
        SqliteStore(str(path), read_only=True)
    assert path.read_bytes() == content
    assert [each.name for each in tmp_path.iterdir()] == ["notes.md"]


def test_another_programs_database_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "browser.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE bookmark (url TEXT)")
        other.commit()
    before = path.read_bytes()
    with pytest.raises(CorruptStoreError, match="another program"):
        SqliteStore(str(path))
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["browser.db"]


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="folder"):
        SqliteStore(str(tmp_path))
    with pytest.raises(StoreError, match="does not exist"):
        SqliteStore(str(tmp_path / "never" / "a.db"))


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.touch()
    with closing(SqliteStore(str(path))) as store:
        with store.transaction("default") as tx:
            soundness.write(tx, 0)
        assert soundness.assert_sound(store, {0}) == {0}


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_file_cut_short(path: Path, share: float) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(CorruptStoreError, match=r"a\.db"):
        use(path)


def test_the_header_overwritten(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(b"garbage!" * 12 + content[96:])
    with pytest.raises(CorruptStoreError):
        use(path)


def test_flipped_bytes_anywhere_give_errors_of_ours_and_are_told(path: Path) -> None:
    """40 files with a page of 200 changed bytes: an error of ours, or a problem that check() tells.

    A page of an empty table holds nothing that could be damaged.
    """
    content, rng, told = path.read_bytes(), random.Random(7), 0
    pages = [at for at in range(4096, len(content), 4096) if content.count(0, at, at + 4096) < 3900]
    for _ in range(40):
        damaged = bytearray(content)
        page = rng.choice(pages)
        for _ in range(200):
            damaged[page + rng.randrange(4096)] = rng.randrange(256)
        for side in ("-wal", "-shm"):
            Path(f"{path}{side}").unlink(missing_ok=True)
        path.write_bytes(bytes(damaged))
        try:
            with closing(SqliteStore(str(path))) as store:
                told += bool(store.check())
                soundness.numbers_in(store)
                store.reader("default").status()
        except StoreError as error:
            told += "a.db" in str(error)
    assert told >= 35


def pages_of_keyword_index(content: bytes) -> list[int]:
    """Pages that hold index terms: only there a word stands behind its namespace's number."""
    return [at for at in range(4096, len(content), 4096) if b"1_" in content[at : at + 4096]]


def test_a_flipped_bit_in_a_posting_list_is_found_and_mended(path: Path) -> None:
    """No structure breaks: a list just names another memory, and only comparing with the texts can tell."""
    with closing(SqliteStore(str(path))) as store:
        writer = store._writer
        number, block = writer.execute(
            "SELECT id, block FROM term_index_data ORDER BY length(block) DESC"
        ).fetchone()
        for place in range(len(block) // 2, len(block)):
            flipped = bytearray(block)
            flipped[place] ^= 1
            writer.execute("UPDATE term_index_data SET block = ? WHERE id = ?", (bytes(flipped), number))
            problems = store.check()
            if problems and "does not fit" in problems[0]:
                break
        # SQLite itself sees nothing wrong: only the comparison does.
        assert writer.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert ["keyword index" in problem for problem in problems] == [True]
        assert any(f"{COUNT} memories" in line for line in store.repair())
        assert soundness.assert_sound(store, set(range(COUNT))) == set(range(COUNT))
        for memory_number in range(COUNT):
            soundness.assert_whole(store, memory_number)


def test_destroyed_pages_of_the_keyword_index_are_found_and_mended(path: Path) -> None:
    content = bytearray(path.read_bytes())
    pages = pages_of_keyword_index(bytes(content))
    assert pages
    rng = random.Random(3)
    for page in pages:
        content[page : page + 4096] = rng.randbytes(4096)
    path.write_bytes(bytes(content))
    with closing(SqliteStore(str(path))) as store:
        assert store.check()
        with pytest.raises(CorruptStoreError):
            store.reader("default").search({"a": KeywordArm((("word3", 1.0),))}, Filter(), 5)
        store.repair()
        assert soundness.assert_sound(store, set(range(COUNT))) == set(range(COUNT))
        with store.transaction("default") as tx:
            soundness.write(tx, COUNT)
    with closing(SqliteStore(str(path))) as store:
        for number in range(COUNT + 1):
            soundness.assert_whole(store, number)
        assert soundness.assert_sound(store, set(range(COUNT + 1))) == set(range(COUNT + 1))


def test_wrong_labels_are_found_and_mended(path: Path) -> None:
    with closing(SqliteStore(str(path))) as store:
        store._writer.execute("DELETE FROM label WHERE name = 'name3'")
        store._writer.execute("UPDATE label SET live = 0 WHERE name = 'name4'")
        assert any("labels" in problem for problem in store.check())
        store.repair()
        assert store.check() == []
        soundness.assert_whole(store, 3)


def test_what_points_nowhere_is_found_and_removed(path: Path) -> None:
    with closing(SqliteStore(str(path))) as store:
        for sql in (
            "INSERT INTO edge VALUES (1, 9999, 0, '', 1.0, NULL, NULL, 0)",
            "INSERT INTO vector SELECT namespace, model, 9999, code FROM vector LIMIT 1",
            "INSERT INTO version VALUES (9999, 1, 0, 'a', 'b', '{}')",
        ):
            store._writer.execute(sql)
        problems = " ".join(store.check())
        assert all(what in problems for what in ("1 edges", "1 vectors", "1 versions"))
        store.repair()
        assert soundness.assert_sound(store, set(range(COUNT))) == set(range(COUNT))


def test_a_damaged_memory_is_said_so(path: Path) -> None:
    with closing(SqliteStore(str(path))) as store:
        store._writer.execute("UPDATE memory SET tags = '[\"x' WHERE key = 3")
        with pytest.raises(CorruptStoreError, match="id-00000002"):
            store.reader("default").memories([3])
        assert store.check() != []
    with closing(SqliteStore(str(path))) as store:
        store._writer.execute("UPDATE memory SET status = 'lost' WHERE key = 4")
        with pytest.raises(CorruptStoreError, match="lost"):
            store.reader("default").scan(Filter())
