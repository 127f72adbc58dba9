"""`.gitignore` and `.ignore` files are respected, and what they leave out is counted."""

from __future__ import annotations

from pathlib import Path

import pytest

import combray
from combray.documents.workspace import find, open_workspace


def made(root: Path, *paths: str, **files: str) -> None:
    """Write notes, and ignore files by folder: `here` is the root, `inner` a folder below it."""
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"# {path}\n\nNotes of {path}.\n", encoding="utf-8")
    for place, text in files.items():
        folder, _, name = place.partition("__")
        target = (root if folder == "here" else root / folder) / f".{name or 'gitignore'}"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def found(root: Path) -> tuple[list[str], int]:
    files, _, ignored = find(open_workspace(root))
    return [each.place.path for each in files], ignored


@pytest.mark.parametrize(
    ("patterns", "kept", "ignored"),
    [
        ("draft.md", ["inner/deep/x.md", "inner/keep.md", "read.md"], 2),
        ("/draft.md", ["inner/deep/x.md", "inner/draft.md", "inner/keep.md", "read.md"], 1),
        ("inner/", ["draft.md", "read.md"], 1),
        ("*.md\n!read.md", ["read.md"], 4),
        ("inner/*\n!inner/keep.md", ["draft.md", "inner/keep.md", "read.md"], 2),
        ("**/deep", ["draft.md", "inner/draft.md", "inner/keep.md", "read.md"], 1),
        ("# read.md\n\n  ", ["draft.md", "inner/deep/x.md", "inner/draft.md", "inner/keep.md", "read.md"], 0),
    ],
)
@pytest.mark.parametrize("name", ["gitignore", "ignore"])
def test_patterns_are_those_of_git(
    tmp_path: Path, patterns: str, kept: list[str], ignored: int, name: str
) -> None:
    made(tmp_path, "read.md", "draft.md", "inner/keep.md", "inner/draft.md", "inner/deep/x.md")
    made(tmp_path, **{f"here__{name}": patterns})
    assert found(tmp_path) == (kept, ignored)


def test_a_nested_file_goes_first(tmp_path: Path) -> None:
    made(tmp_path, "a.md", "inner/a.md", "inner/b.md", here="a.md\n", inner="!a.md\nb.md\n")
    assert found(tmp_path) == (["inner/a.md"], 2)


def test_the_files_of_the_repository_above_count(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    made(tmp_path, "notes/a.md", "notes/private/b.md", here="notes/private/\n")
    assert found(tmp_path / "notes") == (["a.md"], 1)


def test_what_is_above_a_folder_outside_a_repository_does_not_count(tmp_path: Path) -> None:
    made(tmp_path, "notes/a.md", here="notes/\n*.md\n")
    assert found(tmp_path / "notes") == (["a.md"], 0)


def test_a_file_that_the_caller_names_is_indexed(tmp_path: Path) -> None:
    made(tmp_path, "notes/a.md", "other/b.md", other="b.md\n")
    files, _, _ = find(open_workspace(tmp_path / "notes", extra=[tmp_path / "other" / "b.md"]))
    assert [Path(each.place.path).name for each in files] == ["b.md", "a.md"]


def test_the_report_counts_them_and_a_setting_turns_it_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path / "n", "a.md", "b.md", here="b.md\n")
    with combray.open(tmp_path / "a.db", embedder="none", worker=False) as engine:
        report = engine.documents.index(tmp_path / "n")
        assert (report.files, report.ignored) == (1, 1)
        assert report.as_json()["ignored"] == 1
    monkeypatch.setenv("COMBRAY_IGNORE_FILES", "false")
    with combray.open(tmp_path / "a.db", embedder="none", worker=False) as engine:
        report = engine.documents.index(tmp_path / "n")
        assert (report.files, report.ignored) == (2, 0)


def test_a_file_that_is_ignored_later_leaves_the_index(tmp_path: Path) -> None:
    made(tmp_path / "n", "a.md", "b.md")
    with combray.open(tmp_path / "a.db", embedder="none", worker=False) as engine:
        assert engine.documents.index(tmp_path / "n").files == 2
        made(tmp_path / "n", here="b.md\n")
        report = engine.documents.index(tmp_path / "n")
        assert (report.files, report.removed, report.ignored) == (1, 1, 1)
