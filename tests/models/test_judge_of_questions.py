"""Open pairs that a language model settles at consolidation, over HTTP on loopback: reasons and undo."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from service import Reply, Service, serving

import combray
from combray import Engine
from combray.runtime import Link
from combray.testing.fakes import FakeClock

LEIPZIG, PORTO, TEA, TEA_AGAIN = (
    "I live in Leipzig",
    "Big news: Porto it is",
    "Bo drinks tea",
    "Tea is what Bo drinks",
)


def answer(*decisions: tuple[int, str, str]) -> Reply:
    listed = [{"pair": n, "decision": decision, "reason": reason} for n, decision, reason in decisions]
    choice = {
        "message": {"role": "assistant", "content": json.dumps({"decisions": listed})},
        "finish_reason": "stop",
    }
    return Reply({"choices": [choice], "usage": {"total_tokens": 12}})


@contextmanager
def opened(service: Service) -> Iterator[Engine]:
    with combray.open(
        ":memory:",
        embedder="none",
        clock=FakeClock(),
        language_model=f"openai:m@{service.url}",
        worker=False,
    ) as engine:
        engine._at.settings = {**engine.settings, "extract": "off"}
        yield engine


def know(engine: Engine, text: str, **fields: Any) -> str:
    clock = engine.runtime.clock
    assert isinstance(clock, FakeClock)
    clock.pass_(days=1)
    return engine.remember(text, diff=False, **fields).id


def ask(engine: Engine, new: str, old: str, score: float = 0.8) -> None:
    with engine.runtime.store.transaction(engine.namespace) as tx:
        keys = tx.keys_of([new, old])
        tx.link([Link(keys[new], keys[old], "may_revise", score, reason="another place")], 0.0)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")


def pair(engine: Engine, **fields: Any) -> tuple[str, str]:
    old = know(engine, LEIPZIG)
    new = know(engine, PORTO, **fields)
    ask(engine, new, old)
    return new, old


def edges(engine: Engine) -> list[tuple[str, str, str, str]]:
    found = engine.reader.edges(("supersedes", "may_revise"))
    return [(each.type, each.subtype, each.reason, each.created_by) for each in found]


@pytest.mark.parametrize(
    ("decision", "reason", "status", "edge"),
    [
        ("supersedes", "another value", "superseded", ("supersedes", "", "another value")),
        ("corrects", "it was wrong", "superseded", ("supersedes", "corrects", "it was wrong")),
        ("same", "same statement", "merged", None),
        (
            "both",
            "different things",
            "active",
            ("may_revise", "both", "another place | both hold: different things"),
        ),
    ],
)
def test_a_decision_is_applied_with_its_reason_and_undone_with_its_run(
    decision: str, reason: str, status: str, edge: tuple[str, str, str] | None
) -> None:
    with serving(answer((1, decision, reason))) as service, opened(service) as engine:
        new, old = pair(engine)
        before = [engine.get(new), engine.get(old)], edges(engine)
        run = engine.consolidation.run()
        assert run.degraded == ()
        assert engine.get(old).status == status
        by = f"consolidate:{run.run_id}"
        assert edge is None or (*edge, by) in edges(engine)
        assert engine.unsettled() == []
        assert any(f"{reason}, says the judge" in each.detail for each in run.plan)
        assert all(each.actor == by for each in engine.history(old))
        engine.consolidation.undo(run.run_id)
        assert ([engine.get(new), engine.get(old)], edges(engine)) == before
        assert [(each.new.id, each.old.id) for each in engine.unsettled()] == [(new, old)]
        calls = len(service.asked)
        assert engine.consolidation.run().counts == {}
        assert len(service.asked) == calls, "what was taken back is not asked again"


def test_a_dry_run_shows_the_plan_and_writes_nothing() -> None:
    with serving(answer((1, "supersedes", "another value"))) as service, opened(service) as engine:
        _, old = pair(engine)
        plan = engine.consolidation.run(dry_run=True).plan
        assert [each.operation for each in plan] == ["supersede", "replace"]
        assert engine.get(old).status == "active"


@pytest.mark.parametrize(
    "reply",
    [
        answer((1, "unsure", "another value")),
        answer((2, "supersedes", "another value")),
        answer((1, "supersedes", "another value"), (1, "both", "different things")),
        answer((1, "supersedes", "Ana told me")),
        answer((1, "forget", "another value")),
        Reply({"choices": []}),
    ],
)
def test_an_unsure_or_invalid_answer_leaves_the_pair_open(reply: Reply) -> None:
    with serving(reply) as service, opened(service) as engine:
        new, old = pair(engine)
        engine.consolidation.run()
        assert [(each.new.id, each.old.id) for each in engine.unsettled()] == [(new, old)]


def test_a_pair_that_the_model_leaves_open_is_not_asked_again_until_the_run_is_undone() -> None:
    with serving(answer((1, "unsure", "another value"))) as service, opened(service) as engine:
        new, old = pair(engine)
        run = engine.consolidation.run()
        engine.consolidation.run()
        assert len(service.asked) == 1
        assert [(each.new.id, each.old.id) for each in engine.unsettled()] == [(new, old)]
        assert engine.consolidation.waiting() == []
        engine.consolidation.undo(run.run_id)
        engine.consolidation.run()
        assert len(service.asked) == 2


def test_what_is_trusted_less_replaces_nothing_whatever_the_model_says() -> None:
    with serving(answer((1, "supersedes", "another value"))) as service, opened(service) as engine:
        _, old = pair(engine, trust="untrusted")
        engine.consolidation.run()
        assert engine.get(old).status == "active"


def test_pairs_are_quoted_with_their_dates_best_first_and_settled_ones_are_not_asked() -> None:
    with serving(answer((1, "both", "different things"))) as service, opened(service) as engine:
        new, old = pair(engine)
        tea, again = know(engine, TEA), know(engine, TEA_AGAIN)
        ask(engine, again, tea, 0.9)
        third = know(engine, "Bo has a dog")
        engine.settle(third, tea, "both")
        engine.consolidation.run()
        (body,) = [each.body for each in service.asked]
        prompt = body["messages"][-1]["content"]
        assert prompt.index(TEA) < prompt.index(TEA_AGAIN) < prompt.index(LEIPZIG) < prompt.index(PORTO)
        assert "EARLIER, 2024-05-02:" in prompt
        assert "dog" not in prompt
        assert [(each.new.id, each.old.id) for each in engine.unsettled()] == [(new, old)]


# -- at write ----------------------------------------------------------------------------------------

CITY, NEW_CITY = "I live in Leipzig.", "I live in Porto now."


def known_city(engine: Engine) -> str:
    old = know(engine, CITY, author="Ana", occurred_at="2023-09-03")
    for day, text in enumerate(("My sister plays the cello", "I like green tea"), 1):
        know(engine, text, author="Ana", occurred_at=f"2023-10-0{day}")
    return old


@contextmanager
def judging(service: Service, **settings: Any) -> Iterator[Engine]:
    with combray.open(
        ":memory:", clock=FakeClock(), language_model=f"openai:m@{service.url}", worker=False, **settings
    ) as engine:
        engine._at.settings = {**engine.settings, "judge_at_write": True}
        yield engine


def test_at_write_the_model_is_asked_only_if_the_setting_says_so() -> None:
    with serving(answer((1, "supersedes", "another value"))) as service, judging(service) as engine:
        old = known_city(engine)
        engine._at.settings = {**engine.settings, "judge_at_write": False}
        done = engine.remember(NEW_CITY, author="Ana")
        assert (done.may_revise[0].id, service.asked) == (old, [])
        engine.erase(done.id)
        engine._at.settings = {**engine.settings, "judge_at_write": True}
        done = engine.remember(NEW_CITY, author="Ana")
        assert (done.action, done.replaced_id) == ("replaced", old)
        assert old not in [each.id for each in done.may_revise]
        assert done.reason == "another value, says the model"
        assert engine.get(old).superseded_by == done.id
        assert [each.actor for each in engine.history(old)] == ["model"]
        assert engine.settle(done.id, old, "open").undone == "supersedes"


@pytest.mark.parametrize("reply", [answer((1, "unsure", "another value")), Reply({}, status=400)])
def test_at_write_an_unsure_or_failing_model_leaves_the_question(reply: Reply) -> None:
    with serving(reply) as service, judging(service) as engine:
        old = known_city(engine)
        done = engine.remember(NEW_CITY, author="Ana")
        assert done.may_revise[0].id == old
        assert engine.get(old).status == "active"


# -- turns of conversations ------------------------------------------------------------------------------


def turns(engine: Engine, first: str = LEIPZIG, score: float = 0.8) -> tuple[str, str]:
    """Two turns of one conversation with an open pair; their ids, the later first."""
    old = know(engine, first, kind="episode", session="s", author="Ana")
    new = know(engine, PORTO, kind="episode", session="s", author="Ana")
    ask(engine, new, old, score)
    return new, old


@pytest.mark.parametrize(
    ("decision", "reason", "status"),
    [
        ("supersedes", "another value", "superseded"),
        ("corrects", "it was wrong", "superseded"),
        # A turn is part of a conversation: two that say the same both stay.
        ("same", "same statement", "active"),
        ("both", "different things", "active"),
    ],
)
def test_the_model_settles_turns_and_the_undo_of_the_run_restores_them(
    decision: str, reason: str, status: str
) -> None:
    with serving(answer((1, decision, reason))) as service, opened(service) as engine:
        new, old = turns(engine)
        before = [engine.get(new), engine.get(old)], edges(engine)
        run = engine.consolidation.run()
        assert run.degraded == ()
        assert engine.get(old).status == status
        assert engine.unsettled() == []
        engine.consolidation.undo(run.run_id)
        assert ([engine.get(new), engine.get(old)], edges(engine)) == before


def test_a_turn_and_a_fact_are_settled_as_well() -> None:
    with serving(answer((1, "supersedes", "another value"))) as service, opened(service) as engine:
        old = know(engine, LEIPZIG)
        new = know(engine, PORTO, kind="episode", session="s")
        ask(engine, new, old)
        engine.consolidation.run()
        assert engine.get(old).superseded_by == new


@pytest.mark.parametrize(
    ("first", "score"), [(LEIPZIG, 0.05), (LEIPZIG + ", and " + "so much more to say " * 15, 0.8)]
)
def test_an_improbable_pair_of_turns_and_a_long_turn_are_not_asked_about(first: str, score: float) -> None:
    with serving(answer((1, "supersedes", "another value"))) as service, opened(service) as engine:
        _, old = turns(engine, first, score)
        engine.consolidation.run()
        assert engine.get(old).status == "active"
        assert service.asked == []


def test_at_write_the_model_settles_what_a_turn_changes() -> None:
    with serving(answer((1, "supersedes", "another value"))) as service, judging(service) as engine:
        old = known_city(engine)
        done = engine.remember(NEW_CITY, author="Ana", kind="episode", session="s")
        assert done.replaced_id == old
        assert engine.get(old).superseded_by == done.id
