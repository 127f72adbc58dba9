"""The tier that a caller gives: the decay starts from it, and every surface takes and shows it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from agent import connected
from shell import Shell

import combray
from combray import Engine, InvalidInputError
from combray.testing.fakes import FakeClock
from combray.types import TIERS

TEXTS = {"core": "Pears ripen in autumn", "working": "Pears fall at night", "peripheral": "Pears cost two euros"}
# Stage 5 of the page, by hand: exp(-(15 / 30)^β) with β 0.8, 1.0 and 1.3.
LEFT = {"core": 0.563071, "working": 0.606531, "peripheral": 0.666226}


@pytest.fixture(params=["none", "wordllama"])
def embedder(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def opened(embedder: str, clock: FakeClock | None = None) -> Engine:
    return combray.open(":memory:", preset="mnemo", embedder=embedder, clock=clock, worker=False)


def test_the_decay_starts_from_the_tier_that_is_given(embedder: str) -> None:
    clock = FakeClock()
    with opened(embedder, clock) as engine:
        for tier, text in TEXTS.items():
            engine.remember(text, tier=tier)
        assert {each.content: each.tier for each in engine.list()} == {text: tier for tier, text in TEXTS.items()}
        clock.pass_(days=15)
        found = engine.recall("pears", keep=0)
        decay = {hit.memory.tier: round(hit.signals["decay"], 6) for hit in found}
        assert decay == pytest.approx(LEFT, abs=1e-5)


def test_without_one_a_memory_is_working_and_an_unknown_one_is_refused(embedder: str) -> None:
    with opened(embedder) as engine:
        assert engine.get(engine.remember("Pears ripen").id).tier == "working"
        assert engine.get(engine.remember("Plums ripen later", tier=None).id).tier == "working"
        with pytest.raises(InvalidInputError, match=r"tier: .*'warm'.* core, working, peripheral"):
            engine.remember("Quinces ripen last", tier="warm")
        assert len(engine.list()) == 2


def test_the_rule_of_the_page_moves_it_later(embedder: str) -> None:
    """A core memory that nobody reads: its composite falls below 0.15 and it becomes working, then peripheral."""
    clock = FakeClock()
    with opened(embedder, clock) as engine:
        made = engine.remember("Pears ripen", tier="core", importance=1).id
        clock.pass_(days=200)
        engine.remember("Something else happened")
        assert engine.get(made).tier == "working"
        clock.pass_(days=1)
        engine.remember("Another thing happened")
        assert engine.get(made).tier == "peripheral"


def test_a_tier_is_changed_in_place_and_back(embedder: str) -> None:
    with opened(embedder) as engine:
        made = engine.remember("Pears ripen").id
        assert engine.update(made, tier="core").tier == "core"
        assert engine.restore(made, version=1).tier == "working"


def test_an_export_and_a_file_of_items_keep_it(embedder: str) -> None:
    with opened(embedder) as first, opened(embedder) as second, opened(embedder) as third:
        for tier, text in TEXTS.items():
            first.remember(text, tier=tier)
        written = io.StringIO()
        first.store.export_to(written)
        second.store.import_from(written.getvalue().splitlines(), dry_run=False, trusted=True)
        items = [json.dumps({"content": text, "tier": tier}) for tier, text in TEXTS.items()]
        third.store.import_from(items, dry_run=False)
        for engine in (second, third):
            assert {each.tier: each.content for each in engine.list()} == TEXTS


def test_the_shell_takes_and_shows_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell(tmp_path, monkeypatch)
    monkeypatch.setenv("COMBRAY_PRESET", "mnemo")
    monkeypatch.setenv("COMBRAY_EMBEDDER", "wordllama")
    made = shell.remember("Pears ripen in autumn", "--tier", "core")
    shell.remember("Pears fall at night")
    listed = shell.json("list")["memories"]
    assert [each.get("tier") for each in listed] == [None, "core"]
    assert shell.json("get", made)["tier"] == "core"
    assert "core" in shell.in_terminal("list", width=200)
    assert shell.json("list", "--where", '{"tier": "core"}')["total"] == 1
    assert shell.json("update", made, "--tier", "peripheral")["tier"] == "peripheral"
    exported = [json.loads(line) for line in shell.run("export").stdout.splitlines()]
    assert {each["content"]: each["tier"] for each in exported if "tier" in each} == {
        "Pears ripen in autumn": "peripheral",
        "Pears fall at night": "working",
    }
    refused = shell.run("remember", "Quinces", "--tier", "warm")
    assert refused.exit_code == 2


@pytest.mark.parametrize(("profile", "offered"), [("mnemo", True), ("full", True), ("lean", False)])
def test_an_agent_gives_it_in_the_profiles_that_have_tiers(tmp_path: Path, profile: str, offered: bool) -> None:
    with connected(tmp_path / "a.db", profile, preset="mnemo") as agent:
        tools = {each.name: each for each in agent.portal.call(agent.client.list_tools).tools}
        assert ("tier" in tools["remember"].input_schema["properties"]) is offered
        if not offered:
            assert agent.call("remember", content="Pears ripen", tier="core").is_error
            return
        assert tools["remember"].input_schema["properties"]["tier"]["enum"] == list(TIERS)
        made = agent.remember("Pears ripen", tier="core")
        assert agent.done("recall", query="pears", full=True)["results"][0]["tier"] == "core"
    with combray.open(str(tmp_path / "a.db"), embedder="none") as engine:
        assert engine.get(made).tier == "core"
