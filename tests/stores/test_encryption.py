"""The store encrypted: the whole suite, and that nothing can be read without the key."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from tiers import nightly

import combray
from combray import settings
from combray.errors import CorruptStoreError, EncryptionError, InvalidInputError, MissingExtraError, StoreError
from combray.interfaces.cli import combray as shell
from combray.runtime import Store
from combray.stores.sqlite import SqliteStore, encryption, upkeep
from combray.stores.sqlite.encryption import Key, key_from
from combray.testing.store_suite import StoreSuite

needs_driver = pytest.mark.skipif(
    not __import__("importlib.util").util.find_spec("sqlcipher3"),
    reason="SQLCipher is not installed: pip install 'combray[encryption]'",
)
RAW = bytes(range(32))
PASSPHRASE = 'it\'s the "quoted" üñí passphrase'
SECRET = "xylophone"


@pytest.fixture(autouse=True)
def _no_key_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (settings.KEY, settings.NEW_KEY):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"{name}_FILE", raising=False)


@needs_driver
@pytest.mark.nightly("the plain file runs the suite every time; pages are encrypted below the SQL")
class TestEncryptedFile(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        with closing(SqliteStore(str(tmp_path / "a.db"), key=Key(raw=RAW))) as store:
            yield store


def remember(path: Path, key: str | bytes | None = None, text: str = f"The word is {SECRET}.") -> str:
    with combray.open(path, embedder="none", key=key) as engine:
        return engine.remember(text).id


def recalled(path: Path, key: str | bytes | None = None) -> list[str]:
    with combray.open(path, embedder="none", key=key) as engine:
        assert all(finding.ok for finding in engine.store.doctor())
        return [hit.memory.content for hit in engine.recall(SECRET)]


@needs_driver
@pytest.mark.parametrize("key", [RAW, RAW.hex(), PASSPHRASE])
def test_what_is_remembered_is_recalled_and_stands_in_no_file(tmp_path: Path, key: str | bytes) -> None:
    path = tmp_path / "a.db"
    with combray.open(path, embedder="none", key=key) as engine:
        engine.remember(f"The word is {SECRET}.")
        # The log is still beside the file, and other threads read with connections of their own.
        reading = threading.Thread(target=lambda: engine.recall(SECRET))
        reading.start()
        reading.join()
        held = [each for each in tmp_path.iterdir() if "audit" not in each.name]
        assert {each.name for each in held} >= {"a.db", "a.db-wal"}
        for each in held:
            content = each.read_bytes()
            assert SECRET.encode() not in content
            assert b"CREATE TABLE" not in content
    assert recalled(path, key) == [f"The word is {SECRET}."]


@needs_driver
def test_a_passphrase_opens_what_sqlcipher_made_of_it(tmp_path: Path) -> None:
    # Derived here to spare the rounds at every connection: it must be what SQLCipher derives itself.
    remember(tmp_path / "a.db", PASSPHRASE)
    quoted = PASSPHRASE.replace("'", "''")
    with closing(encryption.encrypted_driver().connect(str(tmp_path / "a.db"))) as connection:
        connection.execute(f"PRAGMA key = '{quoted}'")
        assert connection.execute("SELECT count(*) FROM memory").fetchone() == (1,)


@needs_driver
@pytest.mark.parametrize("wrong", [bytes(32), "another passphrase"])
@pytest.mark.parametrize("read_only", [False, True])
def test_a_wrong_key_is_told_as_a_wrong_key(tmp_path: Path, wrong: str | bytes, read_only: bool) -> None:
    path = tmp_path / "a.db"
    remember(path, PASSPHRASE)
    before = path.read_bytes()
    with pytest.raises(EncryptionError, match="key does not fit") as told:
        combray.open(path, embedder="none", key=wrong, read_only=read_only)
    assert str(wrong) not in str(told.value)
    assert path.read_bytes() == before
    assert recalled(path, PASSPHRASE)


@needs_driver
def test_an_encrypted_file_without_a_key_and_a_plain_one_with_a_key(tmp_path: Path) -> None:
    remember(tmp_path / "secret.db", PASSPHRASE)
    remember(tmp_path / "plain.db")
    before = (tmp_path / "plain.db").read_bytes()
    with pytest.raises(EncryptionError, match=r"secret\.db: is encrypted.* Set COMBRAY_KEY"):
        combray.open(tmp_path / "secret.db", embedder="none")
    with pytest.raises(EncryptionError, match=r"plain\.db: is not encrypted.*combray backup NEW-FILE --encrypt"):
        combray.open(tmp_path / "plain.db", embedder="none", key=PASSPHRASE)
    assert (tmp_path / "plain.db").read_bytes() == before
    assert recalled(tmp_path / "plain.db")


def test_what_is_no_store_and_no_cipher_text_is_still_told_as_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"# Notes\n" * 1024)
    with pytest.raises(CorruptStoreError, match="does not begin as an SQLite file"):
        combray.open(path, embedder="none")


@needs_driver
def test_damaged_pages_and_a_file_cut_short_are_told_as_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with combray.open(path, embedder="none", key=RAW) as engine:
        for number in range(60):
            engine.remember(f"Fact number {number} about {SECRET}.", diff=False)
    whole = path.read_bytes()
    flipped = bytearray(whole)
    for place in range(2 * 4096 + 100, len(flipped), 4096):
        flipped[place] ^= 1
    for content in (bytes(flipped), whole[: len(whole) // 2]):
        path.write_bytes(content)
        with pytest.raises(StoreError) as told:
            remember(path, RAW, "A new thing.")
        assert not isinstance(told.value, EncryptionError)


@needs_driver
def test_a_plain_store_is_encrypted_by_a_copy_and_a_key_changed_by_another(tmp_path: Path) -> None:
    plain, first, second = (tmp_path / name for name in ("plain.db", "first.db", "second.db"))
    remember(plain)
    with combray.open(plain, embedder="none") as engine:
        engine.store.backup(str(first), key=PASSPHRASE)
        memories = engine.runtime.store.reader("default").status()
        history = [engine.history(hit.memory.id) for hit in engine.recall(SECRET)]
    with combray.open(first, embedder="none", key=PASSPHRASE) as engine:
        assert engine.runtime.store.reader("default").status() == memories
        assert [engine.history(hit.memory.id) for hit in engine.recall(SECRET)] == history
        engine.store.backup(str(second), key=RAW)
        engine.store.backup(str(tmp_path / "third.db"))
    for path, key in ((first, PASSPHRASE), (second, RAW), (tmp_path / "third.db", PASSPHRASE)):
        assert recalled(path, key) == [f"The word is {SECRET}."]
        assert SECRET.encode() not in path.read_bytes()
    with pytest.raises(EncryptionError):
        combray.open(second, embedder="none", key=PASSPHRASE)
    assert not [each for each in tmp_path.iterdir() if each.name.startswith(".combray-")]


@needs_driver
def test_the_shell_takes_keys_from_the_environment_and_from_files_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "key"
    file.write_text(f"{RAW.hex()}\n")
    plain, copy = str(tmp_path / "plain.db"), str(tmp_path / "copy.db")

    def run(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(shell, [*words, "--json"])
        return done.exit_code, done.output

    assert run("remember", f"The word is {SECRET}.", "--db", plain, "--embedder", "none")[0] == 0
    code, said = run("backup", copy, "--encrypt", "--db", plain)
    assert (code, "COMBRAY_NEW_KEY" in said) == (2, True)
    monkeypatch.setenv("COMBRAY_NEW_KEY_FILE", str(file))
    assert run("backup", copy, "--encrypt", "--db", plain)[0] == 0
    assert run("recall", SECRET, "--db", copy, "--embedder", "none")[0] != 0
    monkeypatch.setenv("COMBRAY_KEY_FILE", str(file))
    code, said = run("recall", SECRET, "--db", copy, "--embedder", "none")
    assert (code, SECRET in said) == (0, True)
    options = {name for command in shell.commands for name in _options(command)}
    assert not {name for name in options if "key" in name and name != "keyword"}


def _options(name: str) -> list[str]:
    import click

    command = shell.get_command(click.Context(shell), name)
    return [option for parameter in getattr(command, "params", []) for option in parameter.opts]


def test_a_key_stands_in_no_settings_file(tmp_path: Path) -> None:
    path = tmp_path / "combray.toml"
    path.write_text('key = "open sesame please"')
    with pytest.raises(InvalidInputError, match="is not a setting"):
        settings.load(file=path)


def test_unusable_keys_are_refused_without_being_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in ("sesame", b"31 bytes are one too few for it", "tab\tin a passphrase", 7):
        with pytest.raises(InvalidInputError) as told:
            key_from(wrong)  # type: ignore[arg-type]
        assert str(wrong) not in str(told.value)
    monkeypatch.setenv("COMBRAY_KEY", "something here")
    monkeypatch.setenv("COMBRAY_KEY_FILE", str(tmp_path / "key"))
    with pytest.raises(InvalidInputError, match="Unset one"):
        settings.secret("COMBRAY_KEY")
    monkeypatch.delenv("COMBRAY_KEY")
    with pytest.raises(InvalidInputError, match="cannot be read"):
        settings.secret("COMBRAY_KEY")
    (tmp_path / "key").write_text("\n")
    with pytest.raises(InvalidInputError, match="is empty"):
        settings.secret("COMBRAY_KEY")
    assert "something" not in repr(Key(passphrase="something here")) + repr(Key(raw=RAW))
    assert repr(RAW) not in repr(Key(raw=RAW))


def test_without_the_driver_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlcipher3.dbapi2", None)
    with pytest.raises(MissingExtraError, match=r"needs the extra encryption, .* pip install"):
        combray.open(tmp_path / "a.db", embedder="none", key=PASSPHRASE)
    assert list(tmp_path.glob("a.db")) == []


def test_a_store_in_memory_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_KEY", "a passphrase for files")
    with combray.open(":memory:", embedder="none") as engine:
        assert engine.remember("Anything.").action == "added"


@needs_driver
def test_the_copy_before_a_migration_is_encrypted_too(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    remember(path, RAW)
    known = upkeep.migrations()
    more = [*known, (known[-1][0] + 1, "more", "CREATE TABLE more (a);")]
    with closing(SqliteStore(str(path), key=Key(raw=RAW))) as store:
        upkeep.migrate(store._writer, str(path), more, key=Key(raw=RAW))
    kept = tmp_path / f"a.db.backup-v{known[-1][0]}"
    assert SECRET.encode() not in kept.read_bytes()
    assert recalled(kept, RAW) == [f"The word is {SECRET}."]


@needs_driver
@pytest.mark.parametrize("count", [3, *nightly([8], "the same with more processes")])
def test_processes_may_begin_one_encrypted_file(tmp_path: Path, count: int) -> None:
    path = tmp_path / "a.db"
    code = (
        "import sys, combray\n"
        "with combray.open(sys.argv[1], embedder='none', key=bytes(range(32))) as engine:\n"
        "    engine.remember('Process ' + sys.argv[2] + ' was here.', diff=False)\n"
    )
    begun = [subprocess.Popen([sys.executable, "-c", code, str(path), str(number)]) for number in range(count)]
    assert [each.wait(timeout=120) for each in begun] == [0] * count
    with combray.open(path, embedder="none", key=RAW) as engine:
        assert engine.store.status()["total_insights"] == count
    assert not list(tmp_path.glob("*.new-*"))


def test_the_file_opened_twice_here_keeps_its_lock_and_its_log(tmp_path: Path) -> None:
    # The log is empty after an erasure; whoever opens and closes the file by other means then loses every lock
    # of the process on it, and the next process to close takes the log away from under its writer.
    path = str(tmp_path / "a.db")
    with closing(SqliteStore(path)) as first:
        first._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with closing(SqliteStore(path)):
            pass
        with first.transaction("default") as tx:
            tx.note("noted", "", "", 0.0)
        code = f"import sqlite3; c = sqlite3.connect({path!r}); c.execute('SELECT * FROM memory'); c.close()"
        subprocess.run([sys.executable, "-c", code], check=True)
        with first.transaction("default") as tx:
            tx.note("noted again", "", "", 0.0)
        with closing(sqlite3.connect(path)) as other:
            assert other.execute("SELECT count(*) FROM operation").fetchone() == (2,)


@needs_driver
def test_one_process_opens_a_file_with_one_driver_only(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with closing(SqliteStore(path, key=Key(raw=RAW))), pytest.raises(EncryptionError, match="open with a key"):
        SqliteStore(path)
    SqliteStore(path, key=Key(raw=RAW)).close()
    with pytest.raises(EncryptionError, match="is encrypted"):
        SqliteStore(path)
