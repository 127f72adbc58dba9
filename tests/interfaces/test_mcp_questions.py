"""Questions to a person through the client's forms, in the protocol of 2026-07-28 and in earlier ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import pytest
from agent import Agent, text
from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp_types import ElicitRequestFormParams, ElicitResult

import combray
from combray import Engine
from combray.interfaces.mcp.server import server_for

Person = Callable[[ElicitRequestFormParams], ElicitResult]
ERAS = pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
EMBEDDERS = pytest.mark.parametrize("embedder", ["none", "wordllama"])
OLD, NEW = "I live in Leipzig.", "I moved, I live in Porto now."


@pytest.fixture
def engine() -> Iterator[Engine]:
    with combray.open(":memory:", embedder="none", worker=False) as opened:
        yield opened


@contextmanager
def asking(
    engine: Engine, era: str, person: Person | None, patience: float = 60, delay: float = 0
) -> Iterator[Agent]:
    async def answer(context: Any, params: Any) -> ElicitResult:
        await anyio.sleep(delay)
        assert person is not None
        return person(params)

    server = server_for(engine, profile="full", patience=patience)
    client = Client(server, mode=era, elicitation_callback=answer if person else None)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client) as connected:
        yield Agent(portal, connected)


def chooses(choice: str, seen: list[str] | None = None) -> Person:
    def person(params: ElicitRequestFormParams) -> ElicitResult:
        if seen is not None:
            seen.append(params.message)
        return ElicitResult(action="accept", content=dict.fromkeys(params.requested_schema["properties"], choice))

    return person


def declines(_: ElicitRequestFormParams) -> ElicitResult:
    return ElicitResult(action="decline")


def open_pair(engine: Engine) -> tuple[str, str]:
    old = engine.remember(OLD, occurred_at="2025-01-05").id
    new = engine.remember(NEW, occurred_at="2026-02-05", diff=False).id
    return new, old


def live(engine: Engine) -> set[str]:
    return {each.content for each in engine.list({"status": {"in": ["active", "pending_embed"]}})}


@ERAS
@pytest.mark.parametrize(
    ("choice", "left"),
    [
        ("new replaces old", {NEW}),
        ("both are true", {OLD, NEW}),
        ("old still holds", {OLD}),
        ("decide later", {OLD, NEW}),
    ],
)
def test_a_person_says_which_of_two_memories_holds(engine: Engine, era: str, choice: str, left: set[str]) -> None:
    new, old = open_pair(engine)
    seen: list[str] = []
    with asking(engine, era, chooses(choice, seen)) as agent:
        done = agent.done("settle_memories", new=new, old=old)
    assert live(engine) == left
    assert OLD in seen[0]
    assert NEW in seen[0]
    assert {done["new"], done["old"]} == {new, old}


@ERAS
def test_without_forms_a_verdict_is_needed(engine: Engine, era: str) -> None:
    new, old = open_pair(engine)
    with asking(engine, era, None) as agent:
        assert "needs a verdict" in agent.refused("settle_memories", new=new, old=old)
    assert live(engine) == {OLD, NEW}


@ERAS
@EMBEDDERS
@pytest.mark.parametrize(
    ("person", "left"), [(chooses("new replaces old"), {NEW}), (declines, {OLD, NEW}), (None, {OLD, NEW})]
)
def test_remember_asks_about_what_a_text_may_change(
    era: str, embedder: str, person: Person | None, left: set[str]
) -> None:
    with combray.open(":memory:", embedder=embedder, worker=False) as store:
        old = store.remember("Ana works in Lisbon.", occurred_at="2025-01-05").id
        with asking(store, era, person) as agent:
            done = agent.done("remember", content="Ana works in Madrid these days.", occurred_at="2026-02-05")
        settled = [(each["old"], each["verdict"]) for each in done.get("settled", [])]
        assert settled == ([(old, "supersedes")] if left == {NEW} else [])
        assert len(live(store)) == len(left)


def test_no_answer_in_time_changes_nothing(engine: Engine) -> None:
    new, old = open_pair(engine)
    with asking(engine, "legacy", chooses("new replaces old"), patience=0.2, delay=30) as agent:
        assert agent.done("settle_memories", new=new, old=old)["verdict"] == "open"
    assert live(engine) == {OLD, NEW}


@ERAS
@pytest.mark.parametrize("agrees", [True, False, None])
def test_a_person_confirms_that_many_are_forgotten(engine: Engine, era: str, agrees: bool | None) -> None:
    for name in ("one", "two"):
        engine.remember(f"Draft {name}", tags=["draft"])
    engine.remember("The final text")
    seen: list[str] = []

    def person(params: ElicitRequestFormParams) -> ElicitResult:
        seen.append(params.message)
        if agrees is None:
            return ElicitResult(action="cancel")
        return ElicitResult(action="accept", content={"forget": agrees})

    with asking(engine, era, person) as agent:
        done = agent.call("forget", where={"tags": "draft"})
    assert seen[0].startswith("Forget 2 memories?")
    assert "Draft one" in seen[0]
    assert len(live(engine)) == (1 if agrees else 3)
    assert ("forgotten: 2" in text(done)) is bool(agrees)


@ERAS
def test_a_description_is_confirmed_too(engine: Engine, era: str) -> None:
    engine.remember("Acme pays late")
    engine.remember("The sea is calm")
    agree = ElicitResult(action="accept", content={"forget": True})
    with asking(engine, era, lambda _: agree) as agent:
        assert agent.done("forget", about="everything about Acme")["count"] == 1
    assert live(engine) == {"The sea is calm"}


def test_questions_can_be_switched_off(engine: Engine) -> None:
    engine.remember("Draft one", tags=["draft"])
    with asking(engine, "2026-07-28", declines, patience=0) as agent:
        assert "Nothing is forgotten yet" in text(agent.call("forget", where={"tags": "draft"}))
