"""Changes are told by the operating system."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

import combray
from combray.documents.watcher import Watcher
from combray.documents.workspace import open_workspace


def wait_until(true: threading.Event, seconds: float = 90.0) -> None:
    assert true.wait(seconds), "nothing was told"


def test_a_workspace_below_a_folder_of_a_tool_is_watched(tmp_path: Path) -> None:
    root = tmp_path / ".cache" / "notes"
    root.mkdir(parents=True)
    told = threading.Event()
    with Watcher(open_workspace(root), lambda _: told.set()):
        for number in range(200):
            (root / "a.md").write_text(str(number))
            if told.wait(0.05):
                break
    assert told.is_set()


def test_a_watcher_tells_of_markdown_only(tmp_path: Path) -> None:
    (tmp_path / "memory" / ".git").mkdir(parents=True)
    told = threading.Event()
    seen: set[str] = set()

    def changed(paths: set[str]) -> None:
        seen.update(Path(path).name for path in paths)
        told.set()

    with Watcher(open_workspace(tmp_path), changed) as watcher:
        for number in range(200):
            (tmp_path / "memory" / "x.txt").write_text("x")
            (tmp_path / "memory" / ".git" / "y.md").write_text("y")
            (tmp_path / "memory" / "a.md").write_text(str(number))
            if told.wait(0.05):
                break
        wait_until(told)
    assert not watcher.alive
    assert seen == {"a.md"}


def test_a_watched_folder_is_looked_at_when_it_changed_and_only_then(tmp_path: Path) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "a.md").write_text("Herons.\n")
    with closing(combray.open(tmp_path / "a.db", embedder="none")) as engine:
        with pytest.raises(combray.InvalidInputError):
            engine.documents.watch(root)
        engine.documents.index(root)
        with engine.documents.watch(root):
            assert len(engine.documents.search("herons")) == 1
            freshness = engine.documents._freshness
            assert not freshness.due(str(root))
            deadline = time.monotonic() + 90
            while not freshness.due(str(root)) and time.monotonic() < deadline:
                (root / "b.md").write_text(f"Ospreys {time.monotonic()}\n")
                time.sleep(0.05)
            assert [each.path for each in engine.documents.search("ospreys")] == ["b.md"]


def test_following_a_folder_gives_a_report_a_change(tmp_path: Path) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "a.md").write_text("Herons.\n")
    stop = threading.Event()
    with closing(combray.open(tmp_path / "a.db", embedder="none")) as engine:
        reports = engine.documents.follow(root, stop=stop)
        assert next(reports).added == 1
        # In one step: a file that is made and then filled may be two changes.
        (root / "b.part").write_text("Ospreys.\n")
        (root / "b.part").rename(root / "b.md")
        assert next(reports).added == 1
        (root / "a.md").unlink()
        assert next(reports).removed == 1
        stop.set()
        assert list(reports) == []
        assert [each.path for each in engine.documents.search("herons or ospreys")] == ["b.md"]
