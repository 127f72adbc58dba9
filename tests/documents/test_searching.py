"""memory_search and memory_get, as an agent's tools use them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import combray
from combray.documents.passages import snippet
from combray.engine import Engine
from combray.engine import documents as searching
from combray.testing.fakes import FakeClock, FakeEmbedder


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with closing(combray.open(tmp_path / "a.db", embedder=FakeEmbedder(), clock=FakeClock())) as opened:
        yield opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "memory").mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# Us\nWe run PostgreSQL 16.\n")
    (folder / "memory" / "2025-11-27-herons.md").write_text("Morning\n\nAnn saw two herons at the pond.\n")
    (folder / "sessions").mkdir()
    said = [{"role": "user", "content": f"The pond key is PASSWORD=hunter2x, turn {turn}"} for turn in range(3)]
    (folder / "sessions" / "s1.jsonl").write_text("\n".join(map(json.dumps, said)))
    return folder


def test_a_search_answers_in_the_shape_of_the_page(engine: Engine, root: Path) -> None:
    """`{results:[{path, startLine, endLine, score, snippet, source, citation}], provider, model, mode}`."""
    engine.documents.index(root)
    shown = engine.documents.search("Who saw herons at the pond?").as_json()
    assert (shown["mode"], shown["provider"], shown["model"]) == ("hybrid", "fake", "fake:64")
    (result,) = shown["results"]
    assert result.pop("score") > 0.35
    assert result == {
        "path": "memory/2025-11-27-herons.md",
        "startLine": 1,
        "endLine": 3,
        "snippet": "Morning\n\nAnn saw two herons at the pond.",
        "source": "memory",
        "citation": "memory/2025-11-27-herons.md#L1-L3",
    }
    json.dumps(shown)


def test_transcripts_are_a_source_of_their_own_without_secrets(engine: Engine, root: Path) -> None:
    engine.documents.index(root, sessions=[root / "sessions"])
    (session,) = engine.documents.search("pond key", sources=("sessions",))
    assert (session.path, session.source, session.start_line, session.end_line) == (
        "sessions/s1.jsonl",
        "sessions",
        1,
        3,
    )
    assert session.snippet.startswith("User: The pond key is PASSWORD=[redacted password], turn 0\nUser:")
    assert {each.source for each in engine.documents.search("pond", sources=("memory",))} == {"memory"}
    excerpt = engine.documents.read("sessions/s1.jsonl", start=2, lines=1)
    assert excerpt.text == "User: The pond key is PASSWORD=[redacted password], turn 1"
    with pytest.raises(combray.InvalidInputError):
        engine.documents.search("pond", sources=("elsewhere",))


def test_notes_lose_their_secrets_when_asked(engine: Engine, root: Path) -> None:
    (root / "MEMORY.md").write_text("The mail PASSWORD=hunter2x of us.\n")
    engine.documents.index(root)
    assert "hunter2x" in engine.documents.search("mail")[0].snippet
    report = engine.documents.index(root, redact=True)
    assert report.reused == 1
    assert engine.documents.search("mail")[0].snippet == "The mail PASSWORD=[redacted password] of us."
    assert engine.documents.read("MEMORY.md").text == "The mail PASSWORD=[redacted password] of us."


def test_a_search_reads_changed_files_first(engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # However slow the machine is, the search after the next is a moment later.
    monkeypatch.setattr(searching, "LOOK_EVERY", 3600.0)
    engine.documents.index(root)
    assert len(engine.documents.search("ospreys")) == 0
    (root / "memory" / "new.md").write_text("Ospreys too.\n")
    assert len(engine.documents.search("ospreys")) == 0, "looked at the files a moment ago"
    monkeypatch.setattr(searching, "LOOK_EVERY", 0.0)
    assert [each.path for each in engine.documents.search("ospreys")] == ["memory/new.md"]
    (root / "memory" / "new.md").unlink()
    assert len(engine.documents.search("ospreys")) == 0


def test_another_process_goes_on_where_the_first_one_was(root: Path, tmp_path: Path) -> None:
    with closing(combray.open(tmp_path / "a.db", embedder="none")) as first:
        first.documents.index(root)
    (root / "MEMORY.md").write_text("We run MariaDB now.\n")
    with closing(combray.open(tmp_path / "a.db", embedder="none")) as second:
        assert second.documents.search("which database: MariaDB")[0].citation == "MEMORY.md#L1"


def test_a_store_that_cannot_be_written_says_that_files_are_newer(root: Path, tmp_path: Path) -> None:
    with closing(combray.open(tmp_path / "a.db", embedder="none")) as first:
        first.documents.index(root)
    with closing(combray.open(tmp_path / "a.db", embedder="none", read_only=True)) as reader:
        (root / "memory" / "new.md").write_text("Ospreys too.\n")
        found = reader.documents.search("herons")
        assert (len(found), found.stale) == (1, True)
        assert found.warning.endswith("files have changed, but the store is read-only")
        assert found.as_json()["stale"] is True


def test_a_folder_that_is_gone_keeps_its_chunks_and_says_so(engine: Engine, root: Path) -> None:
    engine.documents.index(root)
    root.rename(root.with_name("moved"))
    engine.documents._freshness.looked.clear()
    found = engine.documents.search("herons")
    assert (len(found), found.stale) == (1, True)
    assert "does not exist any more" in found.warning


def test_before_anything_is_indexed_the_reason_says_so(engine: Engine) -> None:
    found = engine.documents.search("herons")
    assert (len(found), found.reason) == (0, "nothing is indexed yet: index a folder first")


def test_reading_back_gives_lines_and_where_to_go_on(engine: Engine, root: Path) -> None:
    (root / "memory" / "long.md").write_text("\r\n".join(f"line {number}" for number in range(1, 101)))
    engine.documents.index(root)
    excerpt = engine.documents.read("memory/long.md", start=99, lines=5)
    assert excerpt.as_json() == {
        "text": "line 99\nline 100",
        "path": "memory/long.md",
        "startLine": 99,
        "endLine": 100,
        "totalLines": 100,
    }
    assert engine.documents.read("memory/long.md", lines=2).as_json()["nextLine"] == 3
    assert engine.documents.read("memory/long.md", start=101).as_json() == {
        "text": "",
        "path": "memory/long.md",
        "startLine": 0,
        "endLine": 0,
        "totalLines": 100,
    }
    assert engine.documents.read("memory/missing.md").text == ""
    assert engine.documents.read(str(root / "MEMORY.md")).path == "MEMORY.md"
    for options in ({"start": 0}, {"lines": 0}, {"start": True}):
        with pytest.raises(combray.InvalidInputError):
            engine.documents.read("MEMORY.md", **options)


def test_an_excerpt_is_bounded(engine: Engine, root: Path) -> None:
    """16,000 characters: 160 lines of 99 letters and an end."""
    (root / "memory" / "big.md").write_text(("x" * 99 + "\n") * 1000 + "y" * 50_000)
    engine.documents.index(root)
    excerpt = engine.documents.read("memory/big.md")
    assert (excerpt.start_line, excerpt.end_line, excerpt.next_line) == (1, 160, 161)
    last = engine.documents.read("memory/big.md", start=1001)
    assert (last.text, last.next_line) == ("y" * 16_000, None)


def test_reading_back_never_leaves_the_folders(engine: Engine, root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    (root / "memory" / "link.md").symlink_to(tmp_path / "secret.md")
    (root / "memory" / "way").symlink_to(tmp_path)
    os.mkfifo(root / "memory" / "pipe.md")
    (root / "memory" / "bytes.md").write_bytes(b"\xff")
    engine.documents.index(root)
    bad = ["../secret.md", "memory/../../secret.md", str(tmp_path / "secret.md"), "memory/link.md", "a\0.md"]
    bad += [
        "memory/way/secret.md",
        "memory/pipe.md",
        "/dev/zero",
        "memory",
        "sessions/s1.jsonl",
        "memory/bytes.md",
    ]
    for path in bad:
        with pytest.raises(combray.InvalidInputError):
            engine.documents.read(path)


def test_a_snippet_is_the_part_that_holds_the_words() -> None:
    text = "\n".join(["a" * 99] * 10 + ["the heron of the pond"] + ["b" * 99] * 4)
    assert snippet("short", frozenset()) == "short"
    assert len(snippet(text, frozenset())) <= 700
    # Lines 5 to 11 are the first window of 700 characters (6 * 100 + 21) that holds line 11.
    assert snippet(text, frozenset({"heron"})) == text[400:1100]
    assert snippet("x" * 2000, frozenset()) == "x" * 700
