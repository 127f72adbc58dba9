"""The stage Rerank: blends, shares kept for keyword hits, what is left out, what fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

import combray
from combray import Engine
from combray.designs.mnemo.preset import PRESET as MNEMO
from combray.designs.mnemo.results import Rerank
from combray.forms.recalling import Recalling
from combray.pipeline import Pipeline, leaves_process
from combray.runtime import Runtime
from combray.testing.fakes import FakeClock, FakeReranker


@dataclass
class GivenReranker:
    """Relevance by text, None for any other; keeps what it was asked."""

    relevance: Mapping[str, float]
    name: str = "given"
    asked: list[tuple[str, list[str]]] = field(default_factory=list)

    def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        self.asked.append((query, list(texts)))
        return [self.relevance.get(text) for text in texts]


@pytest.fixture
def engine() -> Engine:
    return combray.open(":memory:", embedder="none", clock=FakeClock())


def scored(engine: Engine, scores: Mapping[str, float], **signals: Sequence[float]) -> Recalling:
    """A state whose candidates are these texts, stored for it, with these scores and signals."""
    ids = [each.id for each in engine.remember_many([{"content": text} for text in scores], diff=False)]
    keys = engine.reader.keys_of(ids)
    state = Recalling("fox", engine.namespace, engine.reader, engine.runtime.clock())
    state.keys = np.array([keys[each] for each in ids], dtype=np.int64)
    state.scores = np.array(list(scores.values()))
    state.signals = {name: np.array(values) for name, values in signals.items()}
    return state


def run(engine: Engine, state: Recalling, stage: Rerank, reranker: object) -> dict[str, float]:
    """Text -> score, in the order the stage leaves."""
    stage(state, Runtime(engine.runtime.store, reranker=reranker))  # type: ignore[arg-type]
    return dict(zip(state.reader.contents(state.keys), state.scores.tolist(), strict=True))


def test_the_blend_by_hand(engine: Engine) -> None:
    """Shares of the best: 4 and 2 of 4 are 1 and .5. Blend: .6 * .1 + .4 * 1 = .46; .6 * .9 + .4 * .5 = .74."""
    state = scored(engine, {"a": 4.0, "b": 2.0})
    assert run(engine, state, Rerank(), GivenReranker({"a": 0.1, "b": 0.9})) == pytest.approx(
        {"b": 0.74, "a": 0.46}
    )
    assert list(state.reader.contents(state.keys)) == ["b", "a"]
    assert state.signals["rerank"].tolist() == [0.9, 0.1]
    assert state.details["reranked"] == 2


def test_what_the_model_leaves_out_keeps_four_fifths(engine: Engine) -> None:
    """ "rows the reranker omits x0.8" (upstream notes 3.2): 1 * .8 = .8; .6 * .5 + .4 * .5 = .5."""
    state = scored(engine, {"a": 1.0, "b": 0.5})
    assert run(engine, state, Rerank(), GivenReranker({"b": 0.5})) == pytest.approx({"a": 0.8, "b": 0.5})
    assert state.signals["rerank"].tolist() == [0.0, 0.5]
    assert state.details["reranked"] == 1


@pytest.mark.parametrize("signal", ["bm25", "keyword"])
def test_the_floor_for_keyword_hits(engine: Engine, signal: str) -> None:
    """ "bm25 >= 0.75 -> keep >= 0.95 of the original (1.0 if unreturned), >= 0.6 -> 0.9 (0.95), else 0.5 (0.8)".

    All have the old score 1. Scored 0 by the model, .6 * 0 + .4 = .4 would be left without the floor.
    """
    bm25 = [0.75, 0.74, 0.6, 0.59, 0.75, 0.6, 0.59]
    state = scored(engine, dict.fromkeys("abcdefg", 1.0), **{signal: bm25})
    found = run(engine, state, Rerank(), GivenReranker(dict.fromkeys("abcd", 0.0)))
    assert found == pytest.approx({"e": 1.0, "a": 0.95, "f": 0.95, "b": 0.9, "c": 0.9, "g": 0.8, "d": 0.5})


def test_no_floor_without_keyword_evidence_and_none_that_lowers(engine: Engine) -> None:
    state = scored(engine, {"a": 1.0})
    assert run(engine, state, Rerank(), GivenReranker({"a": 0.0})) == pytest.approx({"a": 0.4})
    # .6 * 1 + .4 * 1 = 1 is more than .95.
    state = scored(engine, {"b": 1.0}, bm25=[0.8])
    assert run(engine, state, Rerank(), GivenReranker({"b": 1.0})) == pytest.approx({"b": 1.0})


def test_only_the_best_are_asked_about_and_the_rest_stay_behind(engine: Engine) -> None:
    """Asked: b .6 * .1 + .4 = .46, a .6 * .2 + .4 * .9 = .48. The last asked had .9:
    c has .46 * .8 / .9, d half of that.
    """
    state = scored(engine, {"d": 0.4, "a": 0.9, "c": 0.8, "b": 1.0})
    model = GivenReranker({"a": 0.2, "b": 0.1})
    found = run(engine, state, Rerank(most=2), model)
    assert model.asked == [("fox", ["b", "a"])]
    assert found == pytest.approx({"a": 0.48, "b": 0.46, "c": 0.46 * 8 / 9, "d": 0.23 * 8 / 9})
    assert state.signals["rerank"].tolist() == [0.2, 0.1, 0.0, 0.0]


def test_the_rest_never_gains(engine: Engine) -> None:
    """The lowest asked has .6 * 1 + .4 = 1; what was not asked about keeps at most .8 of .5 = .4."""
    state = scored(engine, {"a": 1.0, "b": 0.5})
    found = run(engine, state, Rerank(most=1), GivenReranker({"a": 1.0}))
    assert found == pytest.approx({"a": 1.0, "b": 0.4})


@pytest.mark.parametrize("scores", [{"a": 0.0, "b": 0.0}, {"a": 1.0, "b": -1.0}, {"a": -1.0, "b": -3.0}])
def test_scores_of_any_range_are_taken(engine: Engine, scores: dict[str, float]) -> None:
    """Equal scores are all 1; a range below 0 is moved up: 1 and -1 become 1 and 0, -1 and -3 too."""
    low = 1.0 if scores["a"] == scores["b"] else 0.0
    state = scored(engine, scores)
    found = run(engine, state, Rerank(), GivenReranker({"a": 0.5, "b": 0.5}))
    assert found == pytest.approx({"a": 0.3 + 0.4, "b": 0.3 + 0.4 * low})


def test_without_a_reranker_nothing_happens_and_nothing_is_said(engine: Engine) -> None:
    state = scored(engine, {"a": 0.2, "b": 0.7})
    assert run(engine, state, Rerank(), None) == {"a": 0.2, "b": 0.7}
    assert (state.degraded, state.signals, state.details) == ([], {}, {})


def test_a_reranker_that_fails_changes_no_score_and_is_named(engine: Engine) -> None:
    state = scored(engine, {"a": 0.7, "b": 0.2})
    assert run(engine, state, Rerank(), FakeReranker(failing=True)) == {"a": 0.7, "b": 0.2}
    assert state.degraded == ["not reranked: fake: does not answer"]
    assert "rerank" not in state.signals


def test_other_errors_are_seen(engine: Engine) -> None:
    class Broken:
        name = "broken"

        def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(engine, scored(engine, {"a": 1.0}), Rerank(), Broken())


def test_no_candidates_ask_nobody(engine: Engine) -> None:
    model = GivenReranker({})
    assert run(engine, scored(engine, {}), Rerank(), model) == {}
    assert model.asked == []


def test_it_is_known_to_leave_the_process() -> None:
    """So that no transaction holds it; and it stands behind any stage that scores."""
    assert leaves_process(Rerank())
    Pipeline("p", (Rerank(),), ("score",))


def test_in_a_whole_recall(engine: Engine) -> None:
    """Preset mnemo with a model that likes what the words do not: the answer tells its relevance."""
    model = GivenReranker({"The fox is red": 0.1, "A fox of silver": 0.9})
    with combray.open(":memory:", embedder="none", preset=MNEMO, clock=FakeClock()) as whole:
        for text in model.relevance:
            whole.remember(text)
        object.__setattr__(whole.runtime, "reranker", model)
        answer = whole.recall("red fox")
    assert model.asked[0][0] == "red fox"
    assert {hit.memory.content: hit.signals["rerank"] for hit in answer} == model.relevance
