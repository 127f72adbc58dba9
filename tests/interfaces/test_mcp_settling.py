"""Settling as an agent meets it: what `remember` asks, `settle_memories`, open pairs, marks of hits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest
from agent import Agent, connected, text

import combray
from combray import Candidate, Hit, Memory, Remembered
from combray.interfaces.mcp import lines
from combray.interfaces.mcp.lines import NOTICE
from combray.interfaces.mcp.results import questions
from combray.runtime import Link

NEW, OLD = "019a0000-0000-7000-8000-000000000001", "018a0000-0000-7000-8000-000000000002"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("settling") / "agent.db"


@pytest.fixture(scope="module")
def agent(db: Path) -> Iterator[Agent]:
    with connected(db, namespace="work", embedder="none") as found:
        yield found


def asked(db: Path, new: str, old: str) -> None:
    with (
        combray.open(db, namespace="work", embedder="none", worker=False) as engine,
        engine.runtime.store.transaction("work") as tx,
    ):
        keys = tx.keys_of([new, old])
        tx.link([Link(keys[new], keys[old], "may_revise", 0.81, reason="another place")], 0.0)


def test_a_pair_is_listed_settled_and_taken_back(agent: Agent, db: Path) -> None:
    old = agent.remember("I live in Leipzig", occurred_at="2025-09-03")
    new = agent.remember("Big news: Porto it is", occurred_at="2026-02-11")
    assert "No pair" in text(agent.call("list_memories", unsettled=True))
    asked(db, new, old)
    shown = agent.call("list_memories", unsettled=True)
    assert text(shown).startswith(NOTICE)
    assert "may change: [" in text(shown)
    assert "settle_memories(new=" in text(shown)
    (pair,) = shown.structured_content["results"]
    assert (pair["new"]["content"], pair["old"]["content"], pair["score"]) == (
        "Big news: Porto it is",
        "I live in Leipzig",
        0.81,
    )
    done = agent.call("settle_memories", new=pair["new"]["id"], old=pair["old"]["id"], verdict="supersedes")
    assert text(done) == f"settled: [{pair['new']['id']}] supersedes [{pair['old']['id']}]"
    assert done.structured_content == {"new": new, "old": old, "verdict": "supersedes", "undone": ""}
    assert agent.done("settle_memories", new=new, old=old, verdict="open")["undone"] == "supersedes"
    assert "Name two memories" in agent.refused("settle_memories", new=new, old=new, verdict="both")
    assert "verdict" in agent.refused("settle_memories", new=new, old=old, verdict="wins")
    assert "no memory" in agent.refused("settle_memories", new=new, old="nobody-here", verdict="both")


def test_an_agent_may_ask_how_things_were_on_a_day(agent: Agent, db: Path) -> None:
    ids = []
    for day, text_ in (("2025-09-03", "Mina lives in Leipzig."), ("2026-02-11", "Mina lives in Porto.")):
        moment = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
        with combray.open(
            db, namespace="work", embedder="none", worker=False, clock=repeat(moment).__next__
        ) as engine:
            ids.append(engine.remember(text_, diff=False).id)
    agent.done("settle_memories", new=ids[1], old=ids[0], verdict="supersedes")
    for tool, name in (("recall", "query"), ("think", "question")):
        asked_: dict[str, Any] = {name: "Where does Mina live?"}
        then = text(agent.call(tool, **asked_, as_of="2025-12-01"))
        assert ("Leipzig" in then, "Porto" in then) == (True, False)
        later = text(agent.call(tool, **asked_, as_of="2026-03-01"))
        assert ("Leipzig" in later, "Porto" in later) == (False, True)
    assert "as_of" in agent.refused("recall", query="Where does Mina live?", as_of="no day at all")


def test_remember_takes_verdicts_and_a_slot(agent: Agent) -> None:
    first = agent.remember("The heating is on", slot="home.heating")
    beside = agent.remember("Bo is on holiday")
    done = agent.done("remember", content="The heating is off", slot="home.heating", keep_both=[beside])
    assert (done["action"], done["replaced_id"], done["may_revise"]) == ("replaced", first, [])
    one, two = agent.remember("Open from 9 to 5"), agent.remember("Closed on Fridays")
    assert agent.done("remember", content="Open day and night", supersedes=[one, two])["replaced_id"] == one
    assert "dotted name" in agent.refused("remember", content="x", slot="no slot")


def test_each_candidate_is_one_line_that_names_the_call() -> None:
    at = datetime(2025, 9, 3, tzinfo=UTC)
    candidate = Candidate(OLD, "I live in\nLeipzig", None, at, 0.81, "another place")
    done = Remembered(NEW, "added", "ADD", may_revise=(candidate,))
    said = questions(NEW, done.may_revise, {NEW: NEW[:13], OLD: OLD[:13]})
    assert said[1] == NOTICE
    assert said[2] == (
        "[018a0000-0000] 2025-09-03 00:00 I live in Leipzig - "
        "settle_memories(new='019a0000-0000', old='018a0000-0000', verdict=supersedes|corrects|same|both)"
    )
    assert questions(NEW, (), {}) == []


def test_marks_of_a_hit() -> None:
    memory = Memory(
        id=OLD, namespace="work", content="I live in Leipzig", recorded_at=datetime(2025, 9, 3, tzinfo=UTC)
    )
    names = {NEW: NEW[:13]}
    for name, words in (
        ("outdated_by", "outdated: replaced by"),
        ("may_be_outdated_by", "may be outdated: see"),
        ("may_replace", "later, may replace"),
    ):
        marked: dict[str, Any] = {name: NEW}
        hit = replace(Hit(memory, 1.0, {}, "words"), **marked)
        assert lines.mark(hit, names, 0.0) == f" <{words} [019a0000-0000]>"
        assert lines.hit_as_json(hit, OLD[:13], full=False)[name] == NEW
    assert lines.mark(Hit(memory, 1.0, {}, "words"), {}, 0.0) == ""
    merged = Hit(memory, 1.0, {}, "words", restated_by=(NEW,))
    assert lines.hit_as_json(merged, OLD[:13], full=False)["restated_by"] == [NEW]


def test_a_plan_says_from_when_on_it_holds(agent: Agent) -> None:
    agent.remember("The gym opens at 7.", source="user")
    agent.remember("From 1 February 2999 the gym opens at 6.", source="user")
    said = text(agent.call("recall", query="When does the gym open?"))
    (plan,) = [line for line in said.splitlines() if "opens at 6" in line]
    assert plan.endswith("<from 2999-02-01 on>")
    (present,) = [line for line in said.splitlines() if "opens at 7" in line]
    assert "<from" not in present
