"""Late interaction: the question's tokens against those of the best candidates."""

from __future__ import annotations

import numpy as np
import pytest

import combray
from combray import Engine
from combray.errors import ModelError
from combray.recall.score import MatchTokens
from combray.runtime import Link
from combray.testing.fakes import FakeClock, FakeEmbedder, FakeTokens

GARDEN = (
    "The plum tree in the garden was cut down by the neighbour.",
    "In the garden we have a tree.",
    "The neighbour has a dog.",
    "Nobody was in the house.",
)


def filled(tokens: FakeTokens | None) -> Engine:
    engine = combray.open(":memory:", embedder=FakeEmbedder(), late_interaction=tokens, clock=FakeClock())
    for text in GARDEN:
        engine.remember(text, diff=False)
    return engine


def late(engine: Engine, query: str) -> dict[str, float]:
    return {hit.memory.content: hit.signals.get("late", -1.0) for hit in engine.recall(query, keep=0)}


def test_the_best_candidate_has_1_and_the_worst_0() -> None:
    with filled(FakeTokens()) as engine:
        found = late(engine, "Was the tree in the garden cut by the neighbour?")
        assert found[GARDEN[0]] == 1.0
        assert min(found.values()) == 0.0
        assert found[GARDEN[1]] < 1.0


def test_without_a_model_nothing_is_asked_and_no_signal_is_there() -> None:
    with filled(None) as engine:
        assert set(late(engine, "Was the tree in the garden cut?").values()) == {-1.0}
        assert engine.store.status()["token_vectors"] == {}


def test_a_question_in_a_language_that_the_model_does_not_know_changes_nothing() -> None:
    with filled(FakeTokens()) as engine, filled(None) as plain:
        query = "花园里的树 tree"
        assert [hit.score for hit in engine.recall(query)] == [hit.score for hit in plain.recall(query)]


def test_a_model_that_fails_is_reported_and_the_order_stays() -> None:
    tokens = FakeTokens()
    with filled(tokens) as engine, filled(None) as plain:
        tokens.failing = True
        answer = engine.recall("Was the tree in the garden cut?")
        assert [hit.memory.content for hit in answer] == [
            hit.memory.content for hit in plain.recall("Was the tree in the garden cut?")
        ]
        assert any("without late interaction" in each for each in answer.details["degraded"])


def test_nothing_moves_while_candidates_lack_token_vectors() -> None:
    """One without would sink for that alone: below nine in ten nothing moves."""
    tokens = FakeTokens(failing=True)
    with filled(tokens) as engine:
        tokens.failing = False
        assert set(late(engine, "Was the tree in the garden cut?").values()) == {-1.0}
        engine.vectors.make()
        assert max(late(engine, "Was the tree in the garden cut?").values()) == 1.0


def test_a_later_statement_that_stood_before_the_earlier_stays_before_it() -> None:
    """The tokens match the earlier statement better; without the edge it would stand first."""
    with filled(FakeTokens()) as engine:
        reader = engine.reader
        keys = np.sort(reader.scan(combray.runtime.Filter()))
        from combray.forms.recalling import Recalling
        from combray.language.questions import read

        def order(*, linked: bool) -> list[int]:
            state = Recalling("Was the plum tree cut?", "default", engine.reader, 0.0)
            state.question = read(state.query, ())
            state.keys = keys[[1, 0, 2]]
            state.scores = np.array([0.52, 0.5, 0.1])
            if linked:
                with engine.runtime.store.transaction("default") as tx:
                    tx.link([Link(int(keys[1]), int(keys[0]), "may_revise", 0.9)], 0.0)
            found: list[int] = MatchTokens()(state, engine.runtime).keys[:2].tolist()
            return found

        assert order(linked=False) == [keys[0], keys[1]]
        assert order(linked=True) == [keys[1], keys[0]]


def test_the_failure_of_a_write_leaves_jobs_and_the_error_names_the_model() -> None:
    with pytest.raises(ModelError):
        FakeTokens(failing=True).embed_tokens(["a"])
    with filled(FakeTokens(failing=True)) as engine:
        (queued,) = engine.reader.queue.backlogs()
        assert (queued.model, queued.waiting) == ("fake:tokens", len(GARDEN))
