"""A memory that another process erases while a verb looks for it is not found: no verb fails otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import combray
from combray import Engine, NotFoundError
from combray.engine.namespace import Namespace
from combray.forms.remembering import Remembering
from combray.remember.diff import Diff
from combray.runtime import Runtime

WRITES: dict[str, Callable[[Engine, str, str], Any]] = {
    "forget": lambda engine, one, _: engine.forget(one),
    "restore": lambda engine, one, _: engine.restore(one),
    "update": lambda engine, one, _: engine.update(one, importance=5),
    "link": lambda engine, one, other: engine.link(other, one),
    "settle": lambda engine, one, other: engine.settle(one, other, "both"),
    "release": lambda engine, one, _: engine.quarantine.release(one),
    "undo_merge": lambda engine, one, _: engine.consolidation.undo_merge(one),
    "keep": lambda engine, one, _: engine.retention.keep(one),
}
READS: dict[str, Callable[[Engine, str, str], Any]] = {
    "get": lambda engine, one, _: engine.get(one),
    "related": lambda engine, one, _: engine.related(one),
    "update": lambda engine, one, _: engine.update(one, importance=5),
    "restore": lambda engine, one, _: engine.restore(one, version=1),
    "erase": lambda engine, one, _: engine.erase(one, prove=True),
}


@pytest.mark.parametrize("name", WRITES)
def test_what_is_erased_before_a_write_begins_is_not_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with combray.open(tmp_path / "a.db") as engine, combray.open(tmp_path / "a.db") as elsewhere:
        one, other = engine.remember("The attic is dry.").id, engine.remember("The cellar has a pump.").id
        store, begun = engine.runtime.store, False

        def transaction(namespace: str) -> Any:
            nonlocal begun
            if not begun:
                begun = True
                elsewhere.erase(one)
            return type(store).transaction(store, namespace)

        monkeypatch.setattr(store, "transaction", transaction, raising=False)
        with pytest.raises(NotFoundError):
            WRITES[name](engine, one, other)
        assert engine.get(other).content == "The cellar has a pump."


@pytest.mark.parametrize("name", READS)
def test_what_is_erased_after_its_id_was_looked_up_is_not_found(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = combray.open(":memory:")
    made = engine.remember("The attic is dry.").id
    looked_up = Namespace.key_of

    def key_of(at: Namespace, memory_id: str) -> int:
        key = looked_up(at, memory_id)
        monkeypatch.setattr(Namespace, "key_of", looked_up)
        engine.erase(made)
        return key

    monkeypatch.setattr(Namespace, "key_of", key_of)
    with pytest.raises(NotFoundError, match="was erased a moment ago"):
        READS[name](engine, made, "")


def test_a_near_memory_that_is_erased_while_a_text_is_compared_leaves_the_comparison_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with combray.open(tmp_path / "a.db") as engine, combray.open(tmp_path / "a.db") as elsewhere:
        gone = engine.remember("The pump in the cellar is very loud.").id
        kept = engine.remember("The pump in the cellar is loud.").id
        own = Diff.__call__

        def compared(diff: Diff, state: Remembering, runtime: Runtime) -> Remembering:
            elsewhere.erase(gone)
            monkeypatch.setattr(Diff, "__call__", own)
            return own(diff, state, runtime)

        monkeypatch.setattr(Diff, "__call__", compared)
        again = engine.remember("the pump in the cellar is loud")
        assert (again.action, again.id) == ("skipped", kept)
        assert engine.store.status()["failed_advice"] == 0
