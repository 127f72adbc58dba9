"""The index follows the files: only what changed is written, and it says what a new index would say."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from notes import make_notes, note

import combray
from combray.engine import Engine
from combray.testing.fakes import FakeClock, FakeEmbedder


def texts(embedder: FakeEmbedder) -> list[str]:
    """All texts it was given, in order."""
    return [text for call in embedder.calls for text in call]


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
def engine(tmp_path: Path, embedder: FakeEmbedder) -> Iterator[Engine]:
    with closing(combray.open(tmp_path / "a.db", embedder=embedder, clock=FakeClock())) as opened:
        yield opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


def settle(*paths: Path) -> None:
    """Give files an mtime long past: one changed a moment ago is read twice."""
    for number, path in enumerate(paths):
        os.utime(path, ns=(10**18 + number, path.stat().st_size * 10**9 + 10**18))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    settle(path)


def said(engine: Engine, query: str, **options: object) -> list[tuple[str, int, int, float]]:
    found = engine.documents.search(query, min_score=0.0, max_results=20, **options)  # type: ignore[arg-type]
    return [(each.path, each.start_line, each.end_line, each.score) for each in found]


QUERIES = (
    "billing deploy on Friday",
    "who measured latency",
    "数据库",
    "rotate backup disks",
    "flights to Lisbon",
)


def test_a_tree_of_120_files_changed_in_every_way_answers_as_a_new_index(
    engine: Engine, root: Path, tmp_path: Path, embedder: FakeEmbedder
) -> None:
    make_notes(root, 120)
    first = engine.documents.index(root)
    assert (first.files, first.added, first.skipped) == (120, 120, [])
    assert first.embedded <= first.chunks == engine.store.status()["by_kind"]["chunk"]
    memory = root / "memory"
    changed = memory / "projects" / "p2.md"
    write(changed, changed.read_text(encoding="utf-8") + "The alarm rang at night.\n")
    write(memory / "2025-02-02-n1.md", "A new first line.\n" + (memory / "2025-02-02-n1.md").read_text())
    (memory / "projects" / "p4.md").rename(memory / "2024-05-05.md")
    (memory / "projects" / "p6.md").unlink()
    write(memory / "copy.md", (memory / "projects" / "p8.md").read_text(encoding="utf-8"))
    write(memory / "new.md", "Entirely new: the certificate of Hue.\n")
    second = engine.documents.index(root)
    counts = (second.files, second.added, second.changed, second.renamed, second.removed)
    assert counts == (121, 2, 2, 1, 1)
    with closing(combray.open(tmp_path / "b.db", embedder=embedder, clock=FakeClock())) as other:
        other.documents.index(root)
        wanted = [said(other, query) for query in QUERIES]
        assert all(wanted)
        # Hidden rows still count in how common a word is: scores may differ a little until a rebuild.
        for query, answers in zip(QUERIES, wanted, strict=True):
            scores = {each[:3]: each[3] for each in said(engine, query)}
            for place in answers[:10]:
                assert scores[place[:3]] == pytest.approx(place[3], abs=0.002)
        engine.documents.index(root, rebuild=True)
        assert [said(engine, query) for query in QUERIES] == wanted
    assert engine.runtime.store.check() == []


def test_nothing_is_written_when_nothing_changed(engine: Engine, root: Path) -> None:
    write(root / "a.md", "one\n")
    engine.documents.index(root)
    before = engine.reader.revision()
    report = engine.documents.index(root)
    assert (report.changed, report.reused, engine.reader.revision()) == (0, 0, before)


def test_a_touched_file_changes_nothing_but_its_time(engine: Engine, root: Path, embedder: FakeEmbedder) -> None:
    write(root / "memory" / "a.md", note_of(30))
    engine.documents.index(root)
    before = len(texts(embedder))
    os.utime(root / "memory" / "a.md", ns=(1, 5 * 10**18))
    report = engine.documents.index(root)
    assert (report.changed, report.embedded, len(texts(embedder))) == (0, 0, before)
    memory_id = engine.documents.search("billing")[0].memory.id
    assert engine.history(memory_id) == []


def note_of(lines: int, seed: int = 1) -> str:
    return note(random.Random(seed), lines)


def test_only_changed_chunks_are_embedded_and_lines_of_the_others_follow(
    engine: Engine, root: Path, embedder: FakeEmbedder
) -> None:
    lines = [f"Line {number} " + "x" * 90 for number in range(1, 101)]
    write(root / "a.md", "\n".join(lines))
    report = engine.documents.index(root)
    assert (report.chunks, len(texts(embedder))) == (8, 8)
    lines[98] = "The last but one is about herons."
    write(root / "a.md", "\n".join(lines))
    report = engine.documents.index(root)
    assert (report.chunks, report.embedded, report.reused) == (8, 1, 7)
    assert said(engine, "herons")[0][:3] == ("a.md", 85, 100)
    assert "herons" not in " ".join(texts(embedder)[:8])
    # Blank lines at the top move the ranges of a file of one chunk, not its row.
    write(root / "b.md", "Only ospreys here.\n")
    engine.documents.index(root)
    (passage,) = [each for each in engine.documents.search("ospreys") if each.path == "b.md"]
    write(root / "b.md", "Only ospreys here.")
    engine.documents.index(root)
    (again,) = [each for each in engine.documents.search("ospreys") if each.path == "b.md"]
    assert again.memory.id == passage.memory.id


def test_a_renamed_file_keeps_its_rows_and_costs_no_embedding(
    engine: Engine, root: Path, embedder: FakeEmbedder
) -> None:
    write(root / "memory" / "a.md", note_of(40))
    engine.documents.index(root)
    ids = {each.memory.id for each in engine.documents.search("billing", max_results=20)}
    before = len(texts(embedder))
    (root / "memory" / "a.md").rename(root / "memory" / "2025-11-27.md")
    report = engine.documents.index(root)
    assert (report.renamed, report.added, report.removed, report.embedded) == (1, 0, 0, 0)
    found = engine.documents.search("billing", max_results=20)
    assert {each.path for each in found} == {"memory/2025-11-27.md"}
    assert {each.memory.id for each in found} == ids
    assert {f"{each.memory.occurred_from:%F}" for each in found} == {"2025-11-27"}
    assert texts(embedder)[before:] == ["billing"]


def test_what_leaves_a_file_leaves_the_answers_and_comes_back_without_embedding(
    engine: Engine, root: Path, embedder: FakeEmbedder
) -> None:
    write(root / "a.md", "Herons nest here.\n")
    write(root / "b.md", "Nothing else.\n")
    engine.documents.index(root)
    (heron,) = engine.documents.search("herons")[:1]
    write(root / "a.md", "Swans swim here.\n")
    engine.documents.index(root)
    assert all(each.path != "a.md" or "Swans" in each.snippet for each in engine.documents.search("herons"))
    assert engine.get(heron.memory.id).status == "forgotten"
    before = len(texts(embedder))
    write(root / "a.md", "Herons nest here.\n")
    report = engine.documents.index(root)
    assert (report.embedded, len(texts(embedder))) == (0, before)
    assert engine.get(heron.memory.id).status == "active"
    (root / "a.md").unlink()
    assert engine.documents.index(root).removed == 1
    assert engine.get(heron.memory.id).status == "forgotten"


def test_a_rebuild_destroys_what_no_file_holds(engine: Engine, root: Path, tmp_path: Path) -> None:
    write(root / "a.md", "Herons nest here.\n")
    engine.documents.index(root)
    heron = engine.documents.search("herons")[0].memory.id
    write(root / "a.md", "Swans swim here.\n")
    engine.documents.index(root)
    report = engine.documents.index(root, rebuild=True)
    assert (report.erased, report.embedded, report.chunks) == (2 - 1, 1, 1)
    with pytest.raises(combray.NotFoundError):
        engine.get(heron)
    engine.close()
    held = b"".join(path.read_bytes() for path in tmp_path.glob("a.db*"))
    assert b"Herons" not in held
    assert b"Swans" in held


def test_what_a_person_forgot_stays_forgotten_while_its_text_is_there(engine: Engine, root: Path) -> None:
    write(root / "a.md", "Herons nest here.\n")
    engine.documents.index(root)
    engine.forget(engine.documents.search("herons")[0].memory.id)
    (root / "a.md").rename(root / "b.md")
    assert engine.documents.index(root).renamed == 1
    assert len(engine.documents.search("herons")) == 0


def test_files_that_are_no_text_are_left_out_with_the_reason(engine: Engine, root: Path) -> None:
    (root / "latin.md").write_bytes("Café".encode("latin-1"))
    (root / "nul.md").write_bytes(b"a\0b")
    (root / "utf16.md").write_bytes("wide".encode("utf-16"))
    (root / "empty.md").write_bytes(b"")
    (root / "huge-line.md").write_bytes(b"word " * 100_000)
    write(root / "good.md", "Good.\n")
    if os.geteuid():
        (root / "locked.md").write_text("x")
        (root / "locked.md").chmod(0)
    report = engine.documents.index(root)
    reasons = dict(report.skipped)
    assert reasons["latin.md"] == "not UTF-8 text (byte 3); convert it with iconv"
    assert set(reasons) - {"locked.md"} == {"latin.md", "nul.md", "utf16.md"}
    assert report.files == 3
    # 500,000 letters, cut at blanks into chunks of 1,595.
    assert report.chunks == 1 + 314
    (root / "good.md").write_bytes(b"\xff\xfe")
    assert engine.documents.index(root).removed == 1
    assert all(each.path != "good.md" for each in engine.documents.search("Good"))


def test_without_an_embedder_words_are_indexed_and_vectors_follow_when_there_is_one(
    root: Path, tmp_path: Path, embedder: FakeEmbedder
) -> None:
    write(root / "a.md", "Herons nest here.\n")
    with closing(combray.open(tmp_path / "a.db", embedder="none")) as bare:
        assert bare.documents.index(root).embedded == 0
        found = bare.documents.search("herons")
        assert (found.mode, found.provider, found[0].path) == ("fts-only", "none", "a.md")
    with closing(combray.open(tmp_path / "a.db", embedder=embedder)) as engine:
        assert "index it again" in engine.documents.search("herons").warning
        embedder.failing = True
        report = engine.documents.index(root)
        assert (report.embedded, report.degraded) == (0, ("stored without vectors: fake:64: does not answer",))
        embedder.failing = False
        assert engine.documents.index(root).embedded == 1
        assert engine.documents.search("herons").warning == ""
        assert engine.documents.index(root).embedded == 0


def test_two_workspaces_of_one_namespace_do_not_mix(engine: Engine, tmp_path: Path) -> None:
    for name, bird in (("one", "Herons"), ("two", "Swans")):
        write(tmp_path / name / "MEMORY.md", f"{bird} nest here.\n")
        engine.documents.index(tmp_path / name)
    sessions = {each.memory.session for each in engine.documents.search("nest")}
    assert sessions == {"MEMORY.md", f"{tmp_path / 'two'}/MEMORY.md"}
    assert engine.documents.drop(tmp_path / "one") == 1
    assert [each.snippet for each in engine.documents.search("nest")] == ["Swans nest here."]
    with pytest.raises(combray.InvalidInputError):
        engine.documents.drop(tmp_path / "one")


def test_identical_texts_are_chunks_of_their_own_with_ids_that_a_new_index_has_too(
    engine: Engine, root: Path, tmp_path: Path, embedder: FakeEmbedder
) -> None:
    for name in ("b.md", "a.md", "c.md"):
        write(root / name, "The same herons.\n")
    engine.documents.index(root)
    assert texts(embedder) == ["The same herons."]
    found = engine.documents.search("herons")
    assert [each.citation for each in found] == ["a.md#L1", "b.md#L1", "c.md#L1"]
    with closing(combray.open(tmp_path / "b.db", embedder=embedder)) as other:
        other.documents.index(root)
        assert [each.memory.id for each in other.documents.search("herons")] == [each.memory.id for each in found]


def test_files_rewritten_while_they_are_indexed_end_as_they_are(engine: Engine, root: Path) -> None:
    make_notes(root, 60)
    stop = threading.Event()
    errors: list[BaseException] = []

    def rewrite(save: Callable[[Path, str], object]) -> None:
        number = 0
        try:
            while not stop.is_set():
                number += 1
                path = root / "memory" / f"busy{number % 5}.md"
                save(path, f"Version {number} of the heron.\n" + note_of(40, seed=number % 7))
        except BaseException as error:  # noqa: BLE001 - told by the test below
            errors.append(error)

    def replaced(path: Path, text: str) -> None:
        part = path.with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        part.replace(path)

    savers: list[Callable[[Path, str], object]] = [replaced, lambda path, text: path.write_text(text)]
    threads = [threading.Thread(target=rewrite, args=(save,)) for save in savers]
    for thread in threads:
        thread.start()
    try:
        for _ in range(6):
            engine.documents.index(root)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert errors == []
    engine.documents.index(root)
    for number in range(5):
        path = f"memory/busy{number}.md"
        lines = (root / path).read_text().split("\n")
        rows = said_memories(engine, path)
        assert rows
        for start, end, content in rows:
            assert content == "\n".join(lines[start - 1 : end])
    assert engine.runtime.store.check() == []


def said_memories(engine: Engine, path: str) -> list[tuple[int, int, str]]:
    root = engine.reader.documents.workspaces()[0].root
    keys = [key for key, _ in engine.reader.documents.chunks(root, path)]
    memories = engine.reader.memories(keys)
    return [(each.metadata["start_line"], each.metadata["end_line"], each.content) for each in memories]
