"""`.gitignore` and `.ignore` are respected, and what they leave out is counted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

import combray
from combray import Engine, InvalidInputError
from combray.documents.workspace import find, open_workspace
from combray.interfaces.cli import combray as shell


def folder(root: Path, files: dict[str, str]) -> Path:
    """Write files; those that end with .md need no content."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text or f"# {name}\n\nThe note {name}.\n", encoding="utf-8")
    return root


def indexed(root: Path) -> tuple[list[str], list[str]]:
    """The paths that are indexed, and those that rules leave out."""
    found = find(open_workspace(root))
    return [each.place.path for each in found.files], found.ignored


@pytest.mark.parametrize(
    ("files", "kept", "left_out"),
    [
        ({".gitignore": "drafts/\n", "a.md": "", "drafts/b.md": ""}, ["a.md"], ["drafts/"]),
        ({".ignore": "*.tmp.md\n", "a.md": "", "b.tmp.md": ""}, ["a.md"], ["b.tmp.md"]),
        ({".gitignore": "*.md\n!keep.md\n", "a.md": "", "keep.md": ""}, ["keep.md"], ["a.md"]),
        ({".gitignore": "/top.md\n", "top.md": "", "x/top.md": ""}, ["x/top.md"], ["top.md"]),
        ({"x/.gitignore": "secret.md\n", "secret.md": "", "x/secret.md": ""}, ["secret.md"], ["x/secret.md"]),
        ({".gitignore": "log.md\n", "x/.gitignore": "!log.md\n", "log.md": "", "x/log.md": ""},
         ["x/log.md"], ["log.md"]),
        ({".gitignore": "a.md\n", ".ignore": "!a.md\nb.md\n", "a.md": "", "b.md": ""}, ["a.md"], ["b.md"]),
        # Nothing can be included again below an ignored folder, as in git.
        ({".gitignore": "old/\n!old/keep.md\n", "a.md": "", "old/keep.md": ""}, ["a.md"], ["old/"]),
        ({".gitignore": "old/*\n!old/keep.md\n", "old/b.md": "", "old/keep.md": ""},
         ["old/keep.md"], ["old/b.md"]),
        ({".gitignore": "notes\n", "a.md": "", "x/notes/b.md": "", "notes.md": ""},
         ["a.md", "notes.md"], ["x/notes/"]),
        ({".gitignore": "a/**/z.md\n", "a/z.md": "", "a/b/c/z.md": "", "z.md": ""},
         ["z.md"], ["a/b/c/z.md", "a/z.md"]),
        ({".gitignore": "# a.md\n\n\\#b.md\nc.md  \n", "a.md": "", "#b.md": "", "c.md": ""},
         ["a.md"], ["#b.md", "c.md"]),
        ({".gitignore": "!\n\\\nEntwürfe/\n草稿/\n", "Entwürfe/a.md": "", "草稿/b.md": "", "c.md": ""},
         ["c.md"], ["Entwürfe/", "草稿/"]),
        ({".gitignore": "\ufeffa.md\r\nb.md\r\n", "a.md": "", "b.md": "", "c.md": ""},
         ["c.md"], ["a.md", "b.md"]),
    ],
)  # fmt: skip
def test_rules_are_gits(tmp_path: Path, files: dict[str, str], kept: list[str], left_out: list[str]) -> None:
    assert indexed(folder(tmp_path, files)) == (kept, left_out)


def test_rules_above_count_up_to_the_root_of_the_repository(tmp_path: Path) -> None:
    files = {".gitignore": "a.md\n", "repo/.git/HEAD": "x", "repo/.gitignore": "b.md\n", "repo/docs/c.md": ""}
    folder(tmp_path, files | {"repo/docs/a.md": "", "repo/docs/b.md": ""})
    assert indexed(tmp_path / "repo/docs") == (["a.md", "c.md"], ["b.md"])


def test_what_is_named_is_indexed_though_a_rule_ignores_it(tmp_path: Path) -> None:
    files = {".git/HEAD": "x", ".gitignore": "build/\nmemory/\nMEMORY.md\nextra.md\n", "extra.md": ""}
    folder(tmp_path, files | {"build/a.md": "", "build/.gitignore": "b.md\n", "build/b.md": ""})
    assert indexed(tmp_path / "build") == (["a.md"], ["b.md"])
    folder(tmp_path, {"MEMORY.md": "", "memory/2026-01-01.md": "", "memory/.ignore": "x.md\n", "memory/x.md": ""})
    assert indexed(tmp_path) == (["MEMORY.md", "memory/2026-01-01.md"], ["memory/x.md"])
    found = find(open_workspace(tmp_path, extra=[tmp_path / "extra.md"]))
    assert "extra.md" in [each.place.path for each in found.files]


def test_transcripts_are_not_ignored(tmp_path: Path) -> None:
    folder(tmp_path, {"s/.gitignore": "*\n", "s/a.jsonl": "{}\n", "notes/a.md": ""})
    found = find(open_workspace(tmp_path / "notes", sessions=[tmp_path / "s"]))
    assert len(found.files) == 2


def test_a_link_is_no_file_of_rules(tmp_path: Path) -> None:
    folder(tmp_path, {"elsewhere": "*.md\n", "n/a.md": ""})
    (tmp_path / "n/.gitignore").symlink_to(tmp_path / "elsewhere")
    assert indexed(tmp_path / "n") == (["a.md"], [])


def test_a_pattern_that_could_take_long_is_named_and_not_applied(tmp_path: Path) -> None:
    name = "a" * 150
    folder(tmp_path, {".gitignore": "a*" * 40 + "b\nb.md\n", f"{name}.md": "", "b.md": ""})
    found = find(open_workspace(tmp_path))
    assert [each.place.path for each in found.files] == [f"{name}.md"]
    ((place, reason),) = found.skipped
    assert place.endswith(".gitignore")
    assert "wildcards" in reason


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return folder(tmp_path / "notes", {"a.md": "", "private/b.md": "", "c.md": ""})


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return combray.open(tmp_path / "a.db", embedder="none", worker=False)


def test_the_index_follows_the_rules(engine: Engine, notes: Path) -> None:
    assert engine.documents.index(notes).files == 3
    (notes / ".gitignore").write_text("private/\n")
    report = engine.documents.index(notes)
    assert (report.files, report.removed, report.ignored) == (2, 1, ["private/"])
    assert report.as_json()["ignored"] == ["private/"]
    assert [each.path for each in engine.documents.search("private note b").passages] != ["private/b.md"]
    with pytest.raises(InvalidInputError, match="not in an indexed folder"):
        engine.documents.read("private/b.md")
    (notes / ".gitignore").unlink()
    assert engine.documents.index(notes).files == 3
    assert "note private/b.md" in engine.documents.read("private/b.md").text


def test_the_setting_turns_it_off(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_IGNORE_FILES", "false")
    (notes / ".gitignore").write_text("*\n")
    with combray.open(tmp_path / "a.db", embedder="none", worker=False) as engine:
        report = engine.documents.index(notes)
        assert (report.files, report.ignored) == (3, [])
        assert "note" in engine.documents.read("a.md").text


def test_the_shell_counts_what_is_left_out(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("combray.interfaces.cli.output.for_people", lambda target: True)
    (notes / ".ignore").write_text("private/\nc.md\n")
    said = CliRunner().invoke(shell, ["--db", f"{notes}.db", "index", str(notes), "--embedder", "none"]).output
    joined = " ".join(said.split())
    assert f"2 left out by .gitignore or .ignore: c.md, private{os.sep}" in joined.replace("/", os.sep)
    assert "COMBRAY_IGNORE_FILES=false" in joined
