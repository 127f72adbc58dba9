"""What always holds, whatever the preset: the eight invariants of ARCHITECTURE.md that one can run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

import combray
from combray import presets
from combray.errors import PipelineError
from combray.pipeline import Transaction
from combray.testing.fakes import FakeClock

TEXTS = (
    "Because the file was locked, two bookings were lost.",
    "We chose PostgreSQL because two bookings were lost to the locked file.",
    "Tomás tunes his guitar every Sunday evening.",
    "The team review is on Friday at 16:30.",
)
QUESTION = "Why did we choose PostgreSQL for the bookings?"


@pytest.fixture(params=presets.names())
def engine(request: pytest.FixtureRequest) -> Iterator[combray.Engine]:
    with combray.open(":memory:", preset=request.param, embedder="none", clock=FakeClock()) as opened:
        opened.remember_many(TEXTS)
        yield opened


@dataclass(frozen=True)
class CallsAServer:
    """A stage that leaves the process."""

    needs: ClassVar[tuple[str, ...]] = ()
    gives: ClassVar[tuple[str, ...]] = ()
    leaves_process: ClassVar[bool] = True

    def __call__(self, state: Any, runtime: Any) -> Any:
        raise AssertionError("never run")


def test_no_stage_that_leaves_the_process_gets_into_a_transaction() -> None:
    with pytest.raises(PipelineError, match="CallsAServer"):
        Transaction((CallsAServer(),))


def test_every_preset_answers_without_a_model(engine: combray.Engine) -> None:
    assert TEXTS[1] in [hit.memory.content for hit in engine.recall(QUESTION)]


def test_recall_never_writes(engine: combray.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(namespace: str) -> None:
        raise AssertionError(f"recall opened a transaction on {namespace}")

    before = engine.reader.revision()
    with monkeypatch.context() as patch:
        patch.setattr(engine.runtime.store, "transaction", refused)
        assert engine.recall(QUESTION)
        assert engine.search("bookings")
        assert engine.recall("bookings", basic=True)
    assert engine.reader.revision() == before


def test_scores_are_higher_for_the_better(engine: combray.Engine) -> None:
    scores = [hit.score for hit in engine.recall(QUESTION, intent="GENERAL", keep=0)]
    assert len(scores) > 1
    assert scores == sorted(scores, reverse=True)
    assert engine.recall(QUESTION, intent="GENERAL", min_score=scores[0])[0].score == scores[0]


def test_nothing_crosses_a_namespace(engine: combray.Engine) -> None:
    other = engine.within("other")
    other.remember("PostgreSQL was chosen for the bookings of the other house.")
    found = [hit.memory.content for hit in other.recall(QUESTION)]
    assert found == ["PostgreSQL was chosen for the bookings of the other house."]
    assert all(hit.memory.namespace == engine.namespace for hit in engine.recall(QUESTION))


def test_the_same_store_query_and_clock_give_the_same_answer_32_times(engine: combray.Engine) -> None:
    answers = {tuple((hit.memory.id, hit.score, hit.via) for hit in engine.recall(QUESTION)) for _ in range(32)}
    assert len(answers) == 1


def test_what_was_remembered_never_changes_its_words(engine: combray.Engine) -> None:
    old = engine.recall("team review").hits[0].memory
    new = engine.remember("The team review moved from Friday to Tuesday at 16:30.")
    assert new.replaced_id == old.id
    engine.forget(new.id)
    engine.restore(new.id)
    assert engine.get(old.id).content == TEXTS[3]
    assert engine.get(new.id).content == "The team review moved from Friday to Tuesday at 16:30."
    assert len(engine.history(new.id)) == 2
    assert all("content" not in version.before for each in (old, new) for version in engine.history(each.id))
