"""Two writers of the same text at the same time leave one memory (SEEDS 7)."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest

import combray
from combray import Engine, presets
from combray.forms.remembering import Remembering
from combray.remember.diff import Diff
from combray.runtime import Runtime

ROUNDS = 12


def test_two_engines_in_threads(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    engines = [combray.open(path, embedder="none", preset=preset) for preset in ("default", "mnemon")]
    barrier = threading.Barrier(len(engines))
    actions: dict[int, list[str]] = {number: [] for number in range(ROUNDS)}

    def write(engine: Engine) -> None:
        for number in range(ROUNDS):
            barrier.wait(90)
            actions[number].append(engine.remember(f"Fact about topic{number}").action)

    threads = [threading.Thread(target=write, args=(engine,)) for engine in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [sorted(each) for each in actions.values()] == [["added", "skipped"]] * ROUNDS
    assert engines[0].store.status()["total_insights"] == ROUNDS
    for engine in engines:
        engine.close()


@pytest.mark.slow("starts processes")
def test_two_processes(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    combray.open(path, embedder="none").close()
    start, go = os.pipe()
    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.close(go)
                engine = combray.open(path, embedder="none")
                os.read(start, 1)
                for number in range(ROUNDS):
                    engine.remember(f"Fact about topic{number}")
                engine.close()
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    os.close(start)
    os.close(go)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0]
    with combray.open(path, embedder="none") as engine:
        assert engine.store.status()["total_insights"] == ROUNDS


@dataclass(frozen=True)
class Meanwhile:
    """Somebody else writes between the diff and the transaction."""

    other: Engine
    text: str
    needs: ClassVar[tuple[str, ...]] = ("decisions",)
    gives: ClassVar[tuple[str, ...]] = ()

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        self.other.remember(self.text)
        return state


def interrupted(path: str, other: Engine, text: str, diff: Diff | None = None) -> Engine:
    preset = presets.load("mnemon")
    remember = preset.remember.before("Transaction", Meanwhile(other, text))
    if diff is not None:
        remember = remember.replace("Diff", diff)
    return combray.open(path, embedder="none", preset=replace(preset, remember=remember))


def test_what_is_replaced_meanwhile_is_not_replaced_twice(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with combray.open(path, embedder="none", preset="mnemon") as other:
        old = other.remember("Chose SQLite as storage")
        engine = interrupted(path, other, "Chose PostgreSQL to replace SQLite as storage")
        late = engine.remember("Replaced SQLite as storage with a folder of files")
        assert late.replaced_id != old.id
        taken = other.get(old.id)
        assert taken.status == "superseded"
        assert taken.superseded_by != late.id


def test_a_change_of_what_was_written_meanwhile_is_seen(tmp_path: Path) -> None:
    """The diff saw an empty store; the memory it must replace came after."""
    path = str(tmp_path / "a.db")
    with combray.open(path, embedder="none", preset="mnemon") as other:
        engine = interrupted(path, other, "Chose SQLite as storage")
        late = engine.remember("Chose PostgreSQL to replace SQLite as storage")
        assert late.action == "replaced"
        assert late.replaced_id is not None
        assert other.get(late.replaced_id).content == "Chose SQLite as storage"


def test_thresholds_of_a_replaced_diff_hold_when_another_writer_came_between(tmp_path: Path) -> None:
    """`Settle` decides again as the pipeline's own `Diff` does, whatever `Diff` that is."""
    path = str(tmp_path / "a.db")
    known = "The office coffee machine stands beside the window"
    text = "The office coffee machine stands beside the window today"
    actions = []
    with combray.open(path, embedder="none", preset="mnemon") as other:
        for number, diff in enumerate((Diff(), Diff(duplicate_above=1.0, update_from=1.0, cosine_from=1.0))):
            engine = interrupted(path, other.within(f"n{number}"), known, diff)
            actions.append(engine.within(f"n{number}").remember(text).action)
    assert actions == ["replaced", "added"]
