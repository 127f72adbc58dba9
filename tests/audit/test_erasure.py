"""Proof that a memory is gone: what is looked for, where, and that the search would find it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import combray
from combray import Engine
from combray.audit.log import digest
from combray.language import support
from combray.runtime import Doubt, Provable, Runtime
from combray.stores.sqlite import erasing
from combray.testing.fakes import FakeClock, FakeEmbedder
from combray.testing.reference import ReferenceStore

SECRET = 'Xylophonist Quetzalcoatl kept "zwieback" in Ouagadougou, and nobody else ever knew of the bathysphere'


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with combray.open(str(tmp_path / "a.db"), embedder=FakeEmbedder(), clock=FakeClock()) as engine:
        engine.remember_many([f"Alice saw film number {n} with Bob and a dog" for n in range(20)], diff=False)
        yield engine


def remember(engine: Engine) -> str:
    return engine.remember(
        SECRET,
        context="perspicacious",
        tags=["sesquipedalian"],
        author="Mxyzptlk",
        metadata={"note": ["floccinaucinihilipilification"]},
    ).id


def test_the_search_finds_everything_before_it_is_erased(engine: Engine, tmp_path: Path) -> None:
    """Every kind of trace is in some file while the memory is there: the search is not blind."""
    memory_id = remember(engine)
    key = engine._at.key_of(memory_id)
    with engine.runtime.store.transaction("default") as tx:
        embedder = engine.runtime.embedder
        assert embedder is not None
        tx.change(key, "edit", "someone", 0.0, context="perspicacious twice")
        # The vector of the text as it was is gone with the change.
        tx.put_vectors(embedder.name, [key], embedder.embed(["perspicacious twice"]))
    store = engine.runtime.store
    assert isinstance(store, Provable)
    traces = store.traces("default", [key])
    data = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    kinds = {trace.kind for trace in traces}
    assert kinds == {"author", "entity", "hash", "id", "tag", "text", "vector", "version", "word"}
    # Each kind is found; quotes within a text stand escaped in versions, and only there.
    assert kinds == {trace.kind for trace in traces if trace.value in data}
    words = {trace.value.decode() for trace in traces if trace.kind == "word"}
    assert {"xylophonist", "Quetzalcoatl", "zwieback", "bathysphere"} <= words
    assert store.rows_left([key]) == ["memory", "version", "label", "edge", "vector"]


def test_nothing_is_left_after_it(engine: Engine) -> None:
    memory_id = remember(engine)
    engine.recall("Which xylophonist kept zwieback?")
    other = engine.remember("Alice likes tea").id
    engine.link(other, memory_id, reason="because of zwieback")
    certificate = engine.erase(memory_id[:36], prove=True)
    assert certificate is not None
    assert (certificate.clean, certificate.left, certificate.rows, certificate.copies) == (True, (), (), ())
    assert {"a.db", "a.db.audit", "a.db.audit-key"} <= {Path(path).name for path in certificate.files}
    assert min(certificate.looked_for[kind] for kind in ("text", "word", "vector", "entity", "tag", "hash")) >= 1


def test_chunks_doubts_and_waiting_vectors_go_too(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "MEMORY.md").write_text("# Secrets\n\nQuetzalcoatl kept zwieback in the bathysphere.\n")
    engine.documents.index(folder)
    chunk = engine.documents.search("zwieback").passages[0].memory.id
    key, other = engine._at.key_of(chunk), engine._at.key_of(engine.remember("Alice likes tea").id)
    with engine.runtime.store.transaction("default") as tx:
        tx.put_doubts([Doubt(min(key, other), max(key, other), "Quetzalcoatl or tea")])
        tx.queue.put("another:model", [key], 0.0)
    store = engine.runtime.store
    assert isinstance(store, Provable)
    assert {"chunk", "doubt", "embed_job"} <= set(store.rows_left([key]))
    (folder / "MEMORY.md").unlink()
    certificate = engine.erase(chunk, prove=True)
    assert certificate is not None
    assert (certificate.clean, certificate.rows) == (True, ())
    # Of the content, of the chunk, and of the file, which is short enough to be guessed by its hash.
    assert certificate.looked_for["hash"] == 3


def test_an_erased_piece_of_a_file_stays_away_until_the_file_changes(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    path = folder / "MEMORY.md"
    path.write_text("# Secrets\n\nQuetzalcoatl kept zwieback.\n")
    # Written a moment ago it would be read once more, whatever it says.
    os.utime(path, (1_700_000_000, 1_700_000_000))
    whole = hashlib.sha256(path.read_bytes()).hexdigest()
    engine.documents.index(folder)
    chunk = engine.documents.search("zwieback").passages[0].memory.id
    assert whole.encode() in (tmp_path / "a.db-wal").read_bytes() + (tmp_path / "a.db").read_bytes()
    assert engine.retention.derived(chunk).file == str(path)
    certificate = engine.erase(chunk, prove=True)
    assert certificate is not None
    # The store is clean; the file that it came from is a copy, and named as one.
    assert certificate.clean
    assert {left.file for left in certificate.copies} == {str(path)}
    assert whole.encode() not in (tmp_path / "a.db").read_bytes()
    assert (engine.documents.index(folder).changed, engine.documents.search("zwieback").passages) == (0, ())
    path.write_text("# Secrets\n\nQuetzalcoatl kept zwieback. Alice too.\n")
    assert engine.documents.index(folder).changed == 1
    assert len(engine.documents.search("zwieback").passages) == 1


def test_twins_keep_the_hash_that_they_share(engine: Engine, tmp_path: Path) -> None:
    """The same text twice has one hash; that of the one that stays is no trace of the other."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("a.md", "b.md"):
        (folder / name).write_text("# Secrets\n\nQuetzalcoatl kept zwieback.\n")
    engine.documents.index(folder)
    turns = [engine.remember("Alice keeps bees", kind="episode").id for _ in range(2)]
    first = engine.documents.search("zwieback").passages[0].memory.id
    for memory_id in (first, turns[0]):
        certificate = engine.erase(memory_id, prove=True)
        assert certificate is not None
        assert (certificate.left, certificate.rows) == ((), ())
        assert len(certificate.quoted_by) == 1


def test_auto_memory_goes_with_the_turn_it_was_made_of(engine: Engine, tmp_path: Path) -> None:
    turn = engine.conversation("s").add(
        "Remember that I keep zwieback in Ouagadougou", author="Alice", extract="rules"
    )
    found = engine.retention.derived(turn.id)
    (saved,) = found.made
    assert (saved.source, saved.evidence) == ("auto", (turn.id,))
    certificate = engine.erase(turn.id, prove=True)
    assert certificate is not None
    assert (certificate.clean, certificate.derived, certificate.quoted_by) == (True, (saved.id,), ())
    assert engine.recall("zwieback").hits == ()
    data = b"".join(path.read_bytes().lower() for path in tmp_path.iterdir())
    assert b"zwieback" not in data
    (entry,) = engine.audit.certificates(turn.id)
    assert entry.detail["derived"] == [saved.id]


def test_what_rests_on_it_or_quotes_it_is_told_and_taken_when_asked_for(engine: Engine) -> None:
    turn = engine.remember("Quetzalcoatl kept zwieback in Ouagadougou", kind="episode").id
    fact = engine.remember("Quetzalcoatl likes zwieback", evidence=[turn], diff=False).id
    summary = engine.remember("A fact about Quetzalcoatl", evidence=[fact], kind="summary", diff=False).id
    said = "They say that Quetzalcoatl  kept ZWIEBACK in Ouagadougou, all year"
    quote = engine.remember(said, kind="episode").id
    engine.remember("zwieback", kind="episode")
    found = engine.retention.derived(turn)
    assert [each.id for each in found.made] == []
    assert [each.id for each in found.resting] == [fact, summary]
    assert [each.id for each in found.quoting] == [quote]
    certificate = engine.erase(turn, derived=True, prove=True)
    assert certificate is not None
    assert (certificate.clean, certificate.derived, certificate.quoted_by) == (True, (fact, summary), (quote,))
    for memory_id in (turn, fact, summary):
        with pytest.raises(combray.NotFoundError):
            engine.get(memory_id)
    assert engine.get(quote).content == said


def test_without_being_asked_for_what_rests_on_it_stays(engine: Engine) -> None:
    turn = engine.remember("Quetzalcoatl kept zwieback in Ouagadougou", kind="episode").id
    fact = engine.remember("Quetzalcoatl likes zwieback", evidence=[turn], diff=False).id
    certificate = engine.erase(turn, prove=True)
    assert certificate is not None
    assert (certificate.clean, certificate.derived, certificate.quoted_by) == (True, (), (fact,))
    assert engine.get(fact).evidence == ()


@pytest.fixture
def sealed(tmp_path: Path) -> Iterator[Engine]:
    pytest.importorskip("sqlcipher3")
    path = str(tmp_path / "a.db")
    with combray.open(path, embedder=FakeEmbedder(), clock=FakeClock(), key=bytes(range(32))) as engine:
        engine.remember_many([f"Alice saw film number {n} with Bob and a dog" for n in range(20)], diff=False)
        yield engine


def test_of_an_encrypted_store_the_rows_are_read_and_the_certificate_says_so(
    sealed: Engine, tmp_path: Path
) -> None:
    memory_id = remember(sealed)
    store = sealed.runtime.store
    assert isinstance(store, Provable)
    traces = store.traces("default", [sealed._at.key_of(memory_id)])
    # The search of rows is not blind: while the memory is there, each kind of trace is in some table.
    held = store.rows_holding("default", traces, everywhere=True)
    assert {trace.kind for _, trace in held} == {trace.kind for trace in traces}
    assert {"memory", "label", "vector", "term_index"} <= {table for table, _ in held}
    sealed.store.backup(str(tmp_path / "copy.db"))
    certificate = sealed.erase(memory_id, prove=True)
    assert certificate is not None
    assert (certificate.clean, certificate.left, certificate.rows) == (True, (), ())
    assert {Path(path).name for path in certificate.sealed} == {"a.db", "copy.db"}
    (entry,) = sealed.audit.certificates(memory_id)
    assert entry.detail["sealed"] == list(certificate.sealed)


def test_what_is_left_in_a_row_of_an_encrypted_store_is_told(sealed: Engine, tmp_path: Path) -> None:
    memory_id = remember(sealed)
    with sealed.runtime.store.transaction("default") as tx:
        tx.note("remember", "", "kept zwieback", 0.0)
    (tmp_path / "a.db-old").write_text("... Quetzalcoatl ...")
    certificate = sealed.erase(memory_id, prove=True)
    assert certificate is not None
    assert not certificate.clean
    assert {left.file for left in certificate.left} == {"table operation", str(tmp_path / "a.db-old")}


def test_a_term_that_the_index_kept_is_told_though_its_bytes_stand_nowhere_whole(engine: Engine) -> None:
    """FTS5 stores a term as what differs from the one before: a search for its bytes may miss it."""
    memory_id = remember(engine)
    store = engine.runtime.store
    assert isinstance(store, Provable)
    words = [each for each in store.traces("default", [engine._at.key_of(memory_id)]) if each.kind == "word"]
    held = store.rows_holding("default", words, everywhere=False)
    assert {table for table, _ in held} == {"term_index"}
    assert b"xylophonist" in {trace.value for _, trace in held}
    engine.erase(memory_id)
    assert store.rows_holding("default", words, everywhere=False) == []


def test_what_could_not_be_written_anew_at_once_is_so_at_the_next_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the process had been killed between the commit and the rest."""
    path = str(tmp_path / "a.db")
    with combray.open(path, embedder="none") as engine:
        memory_id = remember(engine)
        with monkeypatch.context() as killed:
            killed.setattr(erasing, "finish", lambda connection: False)
            engine.erase(memory_id)
        with engine.runtime.store._reading() as connection:  # type: ignore[attr-defined]
            assert erasing.is_due(connection)
    with combray.open(path, embedder="none") as engine, engine.runtime.store._reading() as connection:  # type: ignore[attr-defined]
        assert not erasing.is_due(connection)


def test_what_others_hold_too_is_no_trace(engine: Engine) -> None:
    memory_id = engine.remember("Alice saw film number 3 with Bob and a zwieback").id
    certificate = engine.erase(memory_id, prove=True)
    assert certificate is not None
    assert certificate.clean
    assert certificate.looked_for["word"] <= 2


def test_an_older_copy_is_named_and_does_not_spoil_the_proof(engine: Engine, tmp_path: Path) -> None:
    memory_id = remember(engine)
    engine.store.backup(str(tmp_path / "elsewhere.db"))
    (tmp_path / "a.db.backup-v1").write_bytes((tmp_path / "elsewhere.db").read_bytes())
    (tmp_path / "notes.txt").write_text("of Quetzalcoatl")
    certificate = engine.erase(memory_id, prove=True, also=[tmp_path / "notes.txt"])
    assert certificate is not None
    assert certificate.clean
    assert {Path(left.file).name for left in certificate.copies} == {
        "elsewhere.db",
        "a.db.backup-v1",
        "notes.txt",
    }
    engine.store.backup(str(tmp_path / "later.db"))
    again = engine.erase(remember_another(engine), prove=True)
    assert again is not None
    assert str(tmp_path / "later.db") in again.searched_copies
    assert "later.db" not in {Path(left.file).name for left in again.copies}


def remember_another(engine: Engine) -> str:
    return engine.remember("Rumpelstiltskin spun straw in Kuala Lumpur").id


def test_what_is_left_in_the_store_is_told(engine: Engine, tmp_path: Path) -> None:
    memory_id = remember(engine)
    (tmp_path / "a.db-old").write_text("... Quetzalcoatl ...")
    with engine.runtime.store.transaction("default") as tx:
        tx.note("remember", "", "kept zwieback", 0.0)
    certificate = engine.erase(memory_id, prove=True)
    assert certificate is not None
    assert not certificate.clean
    assert {Path(left.file).name for left in certificate.left} == {"a.db", "a.db-old"}
    (entry,) = engine.audit.certificates(memory_id)
    assert entry.result == "failed"


def test_the_certificate_is_in_the_audit_without_what_would_tell_the_text(engine: Engine, tmp_path: Path) -> None:
    memory_id = remember(engine)
    store = engine.runtime.store
    assert isinstance(store, Provable)
    traces = store.traces("default", [engine._at.key_of(memory_id)])
    certificate = engine.erase(memory_id, prove=True)
    assert certificate is not None
    (entry,) = engine.audit.certificates(memory_id)
    assert (entry.seq, entry.detail["commitment"]) == (certificate.seq, certificate.commitment)
    assert hashlib.sha256("".join(certificate.digests).encode()).hexdigest() == certificate.commitment
    log = (tmp_path / "a.db.audit").read_text()
    assert certificate.salt not in log
    assert not any(each in log for each in certificate.digests)
    # Whoever holds the certificate and knows the text can show that it was looked for.
    salt = bytes.fromhex(certificate.salt)
    text = next(trace for trace in traces if trace.value == b"Quetzalcoatl")
    assert digest(salt, text.value.hex()) in certificate.digests
    assert engine.audit.verify().ok


def test_memory_of_the_process_lets_go_too(engine: Engine) -> None:
    memory_id = remember(engine)
    support._terms(SECRET)
    engine.recall("zwieback")
    engine.erase(memory_id)
    assert support._terms.cache_info().currsize == 0
    assert support._statement.cache_info().currsize == 0


def test_a_log_in_use_elsewhere_is_told_and_not_passed_over(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with combray.open(path, embedder="none") as engine:
        memory_id = remember(engine)
        engine.runtime.store.busy_timeout = 0.05  # type: ignore[attr-defined]
        engine.runtime.store._writer.execute("PRAGMA busy_timeout = 50")  # type: ignore[attr-defined]
        with combray.open(path, embedder="none") as other, other.runtime.store._reading() as reading:  # type: ignore[attr-defined]
            reading.execute("SELECT count(*) FROM memory").fetchone()
            certificate = engine.erase(memory_id, prove=True)
    assert certificate is not None
    assert not certificate.clean
    assert "a.db-wal" in {Path(left.file).name for left in certificate.left}


def test_a_store_that_cannot_prove_says_so_and_erases_nothing() -> None:
    engine = combray.open(":memory:", embedder="none")
    engine = Engine(Runtime(ReferenceStore()), "default", engine._at.preset)
    memory_id = engine.remember(SECRET).id
    with pytest.raises(combray.StoreError, match="cannot prove"):
        engine.erase(memory_id, prove=True)
    assert engine.get(memory_id).content == SECRET
