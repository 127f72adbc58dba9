"""Folders with a scope: their chunks have its tag, and a search in one scope finds nothing of another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import combray
from combray.engine import Engine
from combray.errors import InvalidInputError
from combray.testing.fakes import FakeClock

ANN, BOB = "The gate code of the depot is 4711.", "The gate code of the villa is 9020."


@pytest.fixture(params=["none", "wordllama"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    with closing(combray.open(tmp_path / "a.db", embedder=request.param, clock=FakeClock())) as opened:
        yield opened


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    made = []
    for name, text in (("ann", ANN), ("bob", BOB)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "notes.md").write_text(f"{text}\n")
        (folder / "shared.md").write_text("The alarm is tested every Monday.\n")
        made.append(folder)
    return made[0], made[1]


def texts(engine: Engine, query: str, scope: str) -> set[str]:
    return {hit.memory.content.strip() for hit in engine.recall(query, tags=[scope], keep=0)}


def test_nothing_of_another_scope_is_found(engine: Engine, folders: tuple[Path, Path]) -> None:
    for folder, scope in zip(folders, ("user:ann", "scope:user:bob"), strict=True):
        engine.documents.index(folder, scope=scope)
    assert texts(engine, "gate code of the depot", "scope:user:ann") == {ANN}
    assert ANN not in texts(engine, "gate code of the depot", "scope:user:bob")
    assert {each.snippet.strip() for each in engine.documents.search("gate code", scope="user:bob")} == {BOB}
    # The same text in two folders is a chunk of each.
    for scope in ("scope:user:ann", "scope:user:bob"):
        assert "The alarm is tested every Monday." in texts(engine, "alarm tested Monday", scope)


def test_the_preset_with_scopes_finds_none_of_them_without_a_scope(
    tmp_path: Path, folders: tuple[Path, Path]
) -> None:
    with closing(combray.open(tmp_path / "m.db", preset="mnemo", embedder="none")) as engine:
        engine.documents.index(folders[0], scope="user:ann")
        assert not engine.recall("gate code of the depot")
        assert engine.recall("gate code of the depot", tags=["scope:user:ann"])


def test_a_folder_keeps_its_scope_until_another_is_given(engine: Engine, folders: tuple[Path, Path]) -> None:
    ann = folders[0]
    engine.documents.index(ann, scope="user:ann")
    (ann / "new.md").write_text("The boiler man is called Rask.\n")
    engine.documents.index(ann)
    assert "The boiler man is called Rask." in texts(engine, "boiler man Rask", "scope:user:ann")
    (memory,) = [each for each in engine.recall("boiler man Rask") if "Rask" in each.memory.content]
    engine.update(memory.memory.id, tags=["house", "scope:user:ann"])
    engine.documents.index(ann, scope="project:depot")
    assert not texts(engine, "boiler man Rask", "scope:user:ann")
    assert engine.get(memory.memory.id).tags == ("house", "scope:project:depot")
    engine.documents.index(ann, scope="")
    assert engine.get(memory.memory.id).tags == ("house",)


def test_a_text_that_moves_to_another_folder_takes_its_scope(engine: Engine, folders: tuple[Path, Path]) -> None:
    ann, bob = folders
    engine.documents.index(ann, scope="user:ann")
    engine.documents.index(bob, scope="user:bob")
    (ann / "notes.md").rename(bob / "moved.md")
    engine.documents.index(ann)
    engine.documents.index(bob)
    assert not texts(engine, "gate code of the depot", "scope:user:ann") & {ANN}
    assert ANN in texts(engine, "gate code of the depot", "scope:user:bob")


def test_a_wrong_scope_is_refused(engine: Engine, folders: tuple[Path, Path]) -> None:
    with pytest.raises(InvalidInputError, match="scope"):
        engine.documents.index(folders[0], scope="Ann Smith")
    assert not engine.documents.folders()
