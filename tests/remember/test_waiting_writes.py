"""A write that waits for another thread's compares itself once, when it is its turn."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

import combray
from combray.remember import embed


def test_a_text_that_waits_is_compared_once_with_what_was_written_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = []

    def counted(*given: Any, **options: Any) -> None:
        searches.append(given)
        whole(*given, **options)

    whole = embed.search_nearest
    monkeypatch.setattr(embed, "search_nearest", counted)
    with combray.open(tmp_path / "a.db", embedder="wordllama", worker=False) as engine:
        first = engine.remember("The gate code is 1187.")
        searches.clear()
        store, found = engine.runtime.store, []
        waiting = threading.Thread(target=lambda: found.append(engine.remember("The gate code is 1187.")))
        with store.transaction("default") as tx:
            waiting.start()
            deadline = time.monotonic() + 90
            while not store.busy and time.monotonic() < deadline:
                time.sleep(0.01)
            tx.note("test", "", "", 0.0)
        waiting.join()
        assert [(each.action, each.id) for each in found] == [("skipped", first.id)]
        assert len(searches) == 1
        assert not store.busy


def test_a_pipeline_that_looks_at_the_comparison_gets_it_in_time(tmp_path: Path) -> None:
    """A stage after `Diff` sees its decision: nothing is put off."""

    class Look:
        needs, gives = ("decisions",), ()

        def __call__(self, state: Any, runtime: Any) -> Any:
            return state

    from dataclasses import replace

    from combray.presets import load

    preset = load("default")
    looking = replace(preset, remember=preset.remember.after("Diff", Look()))
    with combray.open(tmp_path / "a.db", preset=preset, embedder="none", worker=False) as engine:
        assert engine._at.compares_last
    with combray.open(tmp_path / "b.db", preset=looking, embedder="none", worker=False) as engine:
        assert not engine._at.compares_last
