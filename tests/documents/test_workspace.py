"""Which files are found, and that nothing outside of them can be reached."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import combray
from combray.documents.workspace import MAX_BYTES, find, locate, open_file, open_workspace
from combray.errors import InvalidInputError


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path, encoding="utf-8")


def found(root: Path, **beside: list[Path]) -> list[tuple[str, str]]:
    return [(each.place.path, each.place.source) for each in find(open_workspace(root, **beside))[0]]


def test_a_memory_workspace_gives_its_memory_and_nothing_else(tmp_path: Path) -> None:
    write(tmp_path, "MEMORY.md", "memory/a.md", "memory/deep/b.MD", "memory/c.txt", "other.md", "docs/d.md")
    assert [path for path, _ in found(tmp_path)] == ["MEMORY.md", "memory/a.md", "memory/deep/b.MD"]


def test_another_folder_gives_every_markdown_file(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "docs/b.md", "node_modules/c.md", ".git/d.md", "x/.venv/e.md", "x/__pycache__/f.md")
    assert [path for path, _ in found(tmp_path)] == ["a.md", "docs/b.md"]


def test_extra_paths_and_transcripts_come_once_each_under_their_own_names(tmp_path: Path) -> None:
    root, beside = tmp_path / "root", tmp_path / "beside"
    write(root, "memory/a.md", "notes.md")
    write(beside, "x.md", "s/1.jsonl", "s/1.txt")
    names = found(root, extra=[root / "notes.md", root / "memory", beside, beside], sessions=[beside / "s"])
    assert names == [
        (f"{beside}/s/1.jsonl", "sessions"),
        (f"{beside}/x.md", "memory"),
        ("memory/a.md", "memory"),
        ("notes.md", "memory"),
    ]


def test_links_are_never_followed(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    write(root, "memory/a.md")
    write(outside, "x.md")
    (root / "memory" / "link.md").symlink_to(outside / "x.md")
    (root / "memory" / "folder").symlink_to(outside)
    (root / "memory" / "loop").symlink_to(root / "memory")
    files, skipped, _ = find(open_workspace(root))
    assert [each.place.path for each in files] == ["memory/a.md"]
    assert [Path(path).name for path, _ in skipped] == ["link.md"]
    # The folder itself may be reached by a link: its real path is kept.
    (tmp_path / "way").symlink_to(root)
    assert open_workspace(tmp_path / "way").root == str(root)


def test_what_cannot_be_indexed_is_left_out_with_the_reason(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "n/" * 3 + "x" * 200 + ".md")
    with (tmp_path / "huge.md").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    os.mkfifo(tmp_path / "pipe.md")
    files, skipped, _ = find(open_workspace(tmp_path))
    assert [each.place.path for each in files] == ["a.md"]
    assert sorted(reason for _, reason in skipped) == [
        "larger than 32 MB",
        "the path is longer than 200 characters",
    ]


@pytest.mark.parametrize("folder", ["missing", "a.md", "", "a\0b"])
def test_what_is_no_folder_is_refused(tmp_path: Path, folder: str) -> None:
    write(tmp_path, "a.md")
    with pytest.raises(InvalidInputError):
        open_workspace(str(tmp_path / folder) if folder else "")


def test_only_indexed_files_can_be_named(tmp_path: Path) -> None:
    root, beside = tmp_path / "root", tmp_path / "beside"
    write(root, "memory/a.md", "secret.md", ".git/b.md")
    write(beside, "x.md", "y.txt", "t.jsonl")
    workspaces = [open_workspace(root, [beside / "x.md"], [beside / "t.jsonl"])]
    for good in ("memory/a.md", "memory/missing.md", str(root / "memory/a.md"), str(beside / "x.md")):
        assert locate(workspaces, good)
    assert locate(workspaces, str(beside / "t.jsonl"))[0][1].source == "sessions"
    bad = [
        "secret.md",
        "../beside/x.md",
        "memory/../secret.md",
        "memory/.git/b.md",
        str(beside / "y.txt"),
        "x.md",
    ]
    bad += ["/etc/passwd", "/dev/zero", "memory", "", " ", "a\0.md", "memory/a.txt", str(beside / "other.md")]
    bad += [f"{root}/../root/memory/a.md", "x" * 5000 + ".md", "MEMORY.md/../../x.md"]
    for path in bad:
        with pytest.raises(InvalidInputError):
            locate(workspaces, path)
    with pytest.raises(InvalidInputError, match="nothing is indexed"):
        locate([], "memory/a.md")


def test_links_pipes_and_folders_are_not_opened(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    write(root, "memory/a.md")
    write(outside, "x.md", "in/y.md")
    (root / "memory" / "link.md").symlink_to(outside / "x.md")
    (root / "memory" / "way").symlink_to(outside / "in")
    (root / "memory" / "folder.md").mkdir()
    os.mkfifo(root / "memory" / "pipe.md")
    workspaces = [open_workspace(root)]
    for path in ("memory/link.md", "memory/way/y.md", "memory/folder.md", "memory/pipe.md"):
        with pytest.raises(InvalidInputError):
            open_file(locate(workspaces, path)[0][1])
    os.close(open_file(locate(workspaces, "memory/a.md")[0][1]))
    with pytest.raises(FileNotFoundError):
        open_file(locate(workspaces, "memory/gone.md")[0][1])


@pytest.mark.parametrize("given", ["", "a\0b", "\ud800", "x" * 300])
def test_what_cannot_be_a_path_is_refused(given: str) -> None:
    with pytest.raises(InvalidInputError, match=r"is not a path|does not exist"):
        open_workspace(given)


@pytest.mark.parametrize("given", ["a\0b", "\ud800", "x" * 300])
def test_a_folder_that_cannot_be_is_not_dropped(given: str) -> None:
    with combray.open(":memory:", embedder="none") as engine, pytest.raises(InvalidInputError, match="folder"):
        engine.documents.drop(given)
