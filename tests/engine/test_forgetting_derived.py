"""A turn that is forgotten takes the facts made of it along; `restore` brings them back; `erase` proves it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import combray
from combray import Engine
from combray.testing.fakes import FakeClock, FakeDistiller

WORK = "Ana works at Fischer Optics"
TOLD = {
    "I moved to Porto. I work at Fischer Optics.": WORK,
    "I work at Fischer Optics.": WORK,
}


@pytest.fixture(params=["none", "wordllama"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    with combray.open(
        tmp_path / "a.db",
        embedder=request.param,
        clock=FakeClock(),
        language_model=FakeDistiller(TOLD),
        worker=False,
    ) as opened:
        yield opened


def turn(engine: Engine, text: str, session: str) -> str:
    item = {"content": text, "kind": "episode", "author": "Ana", "session": session}
    return engine.remember_many([item], diff=False)[0].id  # type: ignore[list-item]


def distilled(engine: Engine) -> list[combray.Memory]:
    return list(engine.list({"source": "extraction"}))


def shown(engine: Engine, query: str) -> set[str]:
    return {hit.memory.id for hit in engine.recall(query)}


def test_a_forgotten_turn_takes_its_distilled_fact_along_and_restore_brings_it_back(engine: Engine) -> None:
    said = turn(engine, "I moved to Porto. I work at Fischer Optics.", "one")
    engine.consolidation.run()
    facts = {each.id for each in distilled(engine)}
    assert facts
    done = engine.forget([said])
    assert (done.ids, done.count, set(done.derived)) == ((said,), 1, facts)
    assert not shown(engine, "Where does Ana work?")
    assert {engine.get(each).status for each in facts} == {"forgotten"}
    assert set(engine.restore([said]).derived) == facts
    assert facts <= {each.id for each in distilled(engine)}
    assert said in shown(engine, "Where does Ana work?") | {each.id for each in engine.list()}


def test_a_fact_that_another_turn_supports_stays_until_that_turn_goes_too(engine: Engine) -> None:
    first = turn(engine, "I work at Fischer Optics.", "one")
    second = turn(engine, "I work at Fischer Optics.", "two")
    engine.consolidation.run()
    (fact,) = [each for each in distilled(engine) if "Fischer" in each.content]
    assert set(fact.evidence) == {first, second}
    engine.forget(first)
    assert engine.get(fact.id).status == "active"
    assert engine.forget([second], dry_run=True).derived == (fact.id,)
    engine.forget(second)
    assert engine.get(fact.id).status == "forgotten"
    engine.restore(first)
    assert engine.get(fact.id).status == "active"


def test_a_fact_that_was_forgotten_by_name_stays_forgotten(engine: Engine) -> None:
    said = turn(engine, "I work at Fischer Optics.", "one")
    engine.consolidation.run()
    fact = distilled(engine)[0].id
    engine.forget(said)
    engine.forget(fact)
    engine.restore(said)
    assert engine.get(fact).status == "forgotten"


def test_a_forgotten_turn_takes_its_auto_memory_along(engine: Engine) -> None:
    chat = engine.conversation("s")
    said = chat.add("Remember that my sister Lena is allergic to hazelnuts.", author="user", extract="rules")
    chat.wait()
    (fact,) = engine.list({"source": "auto"})
    engine.forget(said.id)
    assert engine.get(fact.id).status == "forgotten"
    assert not shown(engine, "What is Lena allergic to?")
    engine.restore(said.id)
    assert engine.get(fact.id).status == "active"


def test_restore_gives_a_superseded_memory_its_status_back(engine: Engine) -> None:
    old = engine.remember("The port is 8080.").id
    new = engine.remember("The port is 9090.", supersedes=[old]).id
    engine.forget(old)
    assert engine.restore(old).status == "superseded"
    assert engine.get(old).superseded_by == new
    assert engine.restore(old).status == "active"


def test_the_proof_of_a_distilled_turn_is_clean(engine: Engine) -> None:
    said = turn(engine, "I moved to Porto. I work at Fischer Optics.", "one")
    engine.consolidation.run()
    engine.forget(said)
    engine.restore(said)
    engine.recall("Where does Ana work?")
    certificate = engine.erase(said, prove=True)
    assert certificate is not None
    assert certificate.derived
    assert (certificate.clean, certificate.left) == (True, ())


@pytest.mark.parametrize("origin", [5, None, {"a": 1}, [{"a": 1}], [["a"]]])
def test_metadata_of_a_caller_hinders_no_erasure(origin: object, tmp_path: Path) -> None:
    with combray.open(tmp_path / "a.db") as engine:
        said = turn(engine, "I work at Fischer Optics.", "s")
        engine.remember(
            WORK, source="extraction", evidence=[said], metadata={"distilled_from": origin, "subject": "Ana"}
        )
        assert engine.forget(about="I work at Fischer Optics").count
        engine.forget(said)
        engine.restore(said)
        engine.erase(said)
        assert not engine.list({"kind": "episode", "status": {"exists": True}}).memories
