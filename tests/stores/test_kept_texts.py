"""Texts that a process keeps are those of the memories as they are now."""

from pathlib import Path

import combray


def test_a_changed_text_is_read_again_also_by_another_process(tmp_path: Path) -> None:
    with (
        combray.open(tmp_path / "a.db", embedder="none", worker=False) as one,
        combray.open(tmp_path / "a.db", embedder="none", worker=False) as other,
    ):
        known = one.remember("the kettle is red").id

        def texts(engine: combray.Engine) -> list[str]:
            with engine.runtime.store.view("default") as view:
                return view.contents(list(view.keys_of([known]).values()))

        assert texts(one) == texts(other) == ["the kettle is red"]
        one.update(known, content="the kettle is green")
        assert texts(one) == texts(other) == ["the kettle is green"]
