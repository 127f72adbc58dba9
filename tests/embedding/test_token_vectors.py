"""Token vectors: made in the write or by a worker, made again when missing, erased with proof."""

from __future__ import annotations

from pathlib import Path

import pytest

import combray
from combray import Engine
from combray.testing.fakes import FakeClock, FakeEmbedder, FakeTokens

NAME = "fake:tokens"


def opened(path: Path | str, tokens: FakeTokens | None, **options: object) -> Engine:
    given: dict[str, object] = {"embedder": FakeEmbedder(), "clock": FakeClock(), "worker": False, **options}
    return combray.open(str(path), late_interaction=tokens, **given)  # type: ignore[arg-type]


def count(engine: Engine) -> int:
    return int(engine.store.status()["token_vectors"].get(NAME, {"memories": 0})["memories"])


def test_they_are_made_in_the_write_and_for_a_changed_text() -> None:
    with opened(":memory:", FakeTokens()) as engine:
        made = engine.remember("Ana paints in Porto")
        assert count(engine) == 1
        (before,) = engine.reader.tokens(NAME, engine.reader.scan(combray.runtime.Filter()))
        engine.update(made.id, content="Ana paints large canvases in Lisbon")
        (after,) = engine.reader.tokens(NAME, engine.reader.scan(combray.runtime.Filter()))
        assert before is not None
        assert after is not None
        assert len(after) > len(before)


def test_a_preset_that_queues_leaves_them_to_the_worker() -> None:
    with opened(":memory:", FakeTokens(), preset="semantic-facts") as engine:
        engine.remember("Ana paints in Porto")
        assert count(engine) == 0
        assert engine.vectors.make().embedded == 2
        assert count(engine) == 1
        assert engine.reader.queue.backlogs() == []


def test_a_memory_that_waits_for_its_vector_goes_on_waiting() -> None:
    embedder, tokens = FakeEmbedder(failing=True), FakeTokens()
    with opened(":memory:", tokens, embedder=embedder, preset="semantic-facts") as engine:
        made = engine.remember("Ana paints in Porto")
        engine.vectors.make()
        assert count(engine) == 1
        assert engine.get(made.id).status == "pending_embed"


def test_what_was_written_without_the_model_is_made_when_the_store_is_opened_with_it(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db", None) as engine:
        engine.remember_many(["Ana paints in Porto", "Ben sails"], diff=False)
    with opened(tmp_path / "a.db", FakeTokens()) as engine:
        assert engine.vectors.outdated()
        engine.vectors.reembed()
        assert engine.vectors.make().embedded == 2
        assert count(engine) == 2
        assert not engine.vectors.outdated()
        assert engine.vectors.reembed(drop=NAME).dropped == 2
        assert count(engine) == 0


def test_files_are_left_to_the_worker(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Garden\n\nThe plum tree was cut.\n", encoding="utf-8")
    with opened(":memory:", FakeTokens()) as engine:
        engine.documents.index(notes)
        engine.documents.index(notes)
        assert count(engine) == 0
        assert engine.vectors.make().embedded == 1
        assert count(engine) == 1


@pytest.mark.parametrize("twin", [False, True])
def test_an_erasure_proves_that_they_are_gone(tmp_path: Path, twin: bool) -> None:
    """Pieces of the value are looked for in every file; those that an equal text has too are no trace of it."""
    text = "Xylophonist Quetzalcoatl kept zwieback in Ouagadougou and nobody ever knew of the bathysphere"
    with opened(tmp_path / "a.db", FakeTokens()) as engine:
        made = engine.remember(text)
        if twin:
            engine.remember(text, diff=False, kind="episode")
        store = engine.runtime.store
        pieces = {each.value for each in store.traces("default", [1]) if each.kind == "vector"}  # type: ignore[attr-defined]
        (rows,) = engine.reader.tokens(NAME, engine.reader.scan(combray.runtime.Filter())[:1])
        assert rows is not None
        assert rows.tobytes()[:384] in pieces
        certificate = engine.erase(made.id, prove=True)
        assert certificate is not None
        assert (certificate.clean, certificate.left, certificate.rows) == (True, (), ())
        assert count(engine) == int(twin)
    data = (tmp_path / "a.db").read_bytes()
    assert (rows.tobytes()[:384] in data) == twin
