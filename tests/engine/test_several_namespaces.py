"""One read of several namespaces, when the caller names them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import combray
from combray import AsyncEngine, Engine, InvalidInputError
from combray.testing.fakes import FakeClock


@pytest.fixture(params=["none", "wordllama"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    with combray.open(tmp_path / "a.db", embedder=request.param, clock=FakeClock(), worker=False) as opened:
        yield opened


def remembered(engine: Engine, text: str, **fields: Any) -> str:
    return engine.remember(text, diff=False, **fields).id


def test_a_read_of_several_namespaces_shows_only_those(engine: Engine) -> None:
    for name in ("red", "blue", "grey"):
        remembered(engine.within(name), f"the kettle of {name} is hot")
    remembered(engine, "the kettle of the default is hot")
    answer = engine.recall("kettle", namespaces=["red", "blue"])
    assert {hit.memory.namespace for hit in answer} == {"red", "blue"}
    assert {hit.memory.namespace for hit in engine.search("kettle", namespaces=["red", "grey"])} == {
        "red",
        "grey",
    }
    assert {each.namespace for each in engine.list(namespaces=["blue", "default"])} == {"blue", "default"}
    assert [hit.memory.namespace for hit in engine.recall("kettle")] == ["default"]
    assert len(engine.recall("kettle", namespaces=["red", "blue", "grey"], limit=2)) == 2


def test_the_confidence_is_that_of_the_surest_namespace(engine: Engine) -> None:
    question = "Is the kettle of the office hot?"
    remembered(engine.within("red"), "the train is late")
    remembered(engine.within("blue"), "the kettle of the office is hot")
    alone = engine.within("blue").recall(question).confidence
    assert alone > 0
    assert engine.recall(question, namespaces=["red", "blue"]).confidence == alone


def test_pages_of_several_namespaces_with_equal_ids(engine: Engine) -> None:
    same = "0190b0a0-0000-7000-8000-000000000001"
    for name in ("a", "b", "c"):
        remembered(engine.within(name), "alike", id=same)
    seen, after = [], ""
    for _ in range(3):
        page = engine.list(namespaces=["a", "b", "c"], limit=1, after=after)
        seen += [each.namespace for each in page]
        after = page.cursor or ""
    assert (seen, after, page.total) == (["a", "b", "c"], "", 3)


def test_each_namespace_keeps_its_required_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_REQUIRE_TRUST", "strict=owner")
    with combray.open(tmp_path / "a.db", embedder="none") as engine:
        for name in ("strict", "open"):
            for trust in ("owner", "agent"):
                remembered(engine.within(name), f"the kettle of {name}, said by {trust}", trust=trust)
        for shown in (
            [hit.memory for hit in engine.recall("kettle", namespaces=["strict", "open"])],
            list(engine.list(namespaces=["strict", "open"])),
        ):
            assert sorted((each.namespace, each.trust) for each in shown) == [
                ("open", "agent"),
                ("open", "owner"),
                ("strict", "owner"),
            ]


def test_the_audit_names_the_namespaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_AUDIT", "1")
    with combray.open(tmp_path / "a.db", embedder="none") as engine:
        remembered(engine.within("red"), "the kettle is hot")
        before = len(list(engine.audit.lines()))
        engine.recall("kettle", namespaces=["red", "default"])
        entries = engine.audit.entries(operation="recall")
        assert len(list(engine.audit.lines())) == before + 1
        assert entries[0].detail == {"namespaces": ["red", "default"]}


# -- context and think --------------------------------------------------------------------------------


def test_a_context_of_several_namespaces_numbers_their_memories(engine: Engine) -> None:
    for name in ("red", "blue", "grey"):
        remembered(engine.within(name), f"the kettle of {name} is hot")
    remembered(engine, "the kettle of the default is hot")
    text = engine.context("kettle", namespaces=["red", "blue"]).text
    assert "the kettle of red" in text
    assert "the kettle of blue" in text
    assert "default" not in text
    assert "grey" not in text
    assert "[1] " in text
    assert "[2] " in text
    assert "the kettle of the default" in engine.context("kettle").text
    assert engine.context("kettle", namespaces=["nothing-here"]).text == ""


def test_equal_ids_of_two_namespaces_are_two_memories_in_a_prompt(engine: Engine) -> None:
    same = "0190b0a0-0000-7000-8000-000000000001"
    remembered(engine.within("red"), "the kettle is made of copper", id=same)
    remembered(engine.within("blue"), "a kettle whistles when water boils", id=same)
    text = engine.context("kettle", namespaces=["red", "blue"]).text
    assert "copper" in text
    assert "whistles" in text
    assert "[2] " in text
    thought = engine.think("What is the kettle made of?", namespaces=["red", "blue"], keep=0)
    assert len({hit.memory.content for hit in thought.sources}) == 2


def test_an_answer_cites_memories_of_each_namespace(engine: Engine) -> None:
    remembered(engine.within("red"), "The kettle of Ann is made of copper.", author="Ann")
    remembered(engine.within("blue"), "The teapot of Bob is made of iron.", author="Bob")
    remembered(engine.within("grey"), "The kettle of Ann is made of glass.")
    both = ["red", "blue"]
    for question, word in (
        ("What is Ann's kettle made of?", "copper"),
        ("What is Bob's teapot made of?", "iron"),
    ):
        thought = engine.think(question, namespaces=both)
        assert thought.known
        assert word in thought.answer
        assert {hit.memory.namespace for hit in thought.sources} <= set(both)
    assert not engine.think("What is Ann's kettle made of?").known
    hints = engine.think("kettle of Zoe in Lisbon on Mars", namespaces=["grey"]).sources
    assert {hit.memory.namespace for hit in hints} <= {"grey"}


def test_the_surest_namespace_says_how_sure_the_whole_is(engine: Engine) -> None:
    remembered(engine.within("red"), "The kettle of Ann is made of copper.", author="Ann")
    remembered(engine.within("blue"), "The teapot of Bob is made of iron.", author="Bob")
    alone = engine.within("blue").recall("What is Bob's teapot made of?")
    both = engine.recall("What is Bob's teapot made of?", namespaces=["red", "blue"])
    assert both.confidence == alone.confidence
    assert both.details["evidence"] == alone.details["evidence"]
    assert "weak" not in both.details


def test_what_a_source_superseded_is_shown_from_its_own_namespace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMBRAY_REQUIRE_TRUST", "strict=owner")
    with combray.open(tmp_path / "a.db", embedder="none", clock=FakeClock(), worker=False) as engine:
        for name in ("strict", "open"):
            old = remembered(engine.within(name), f"The kettle of {name} is blue.", trust="agent")
            engine.within(name).remember(f"The kettle of {name} is red.", supersedes=old, trust="owner")
        thought = engine.think("Which kettle is red?", namespaces=["strict", "open"])
        assert thought.known, thought
        earlier = [hit.memory for hit in thought.sources if hit.memory.status == "superseded"]
        assert [each.namespace for each in earlier] == ["open"]


@pytest.mark.parametrize("namespaces", ["red", [], [""], [3]])
def test_what_names_no_namespaces_is_refused(engine: Engine, namespaces: Any) -> None:
    for read in (engine.context, engine.think, engine.search_memory):
        with pytest.raises(InvalidInputError, match="namespace"):
            read("kettle", namespaces=namespaces)


def test_the_audit_names_the_namespaces_of_context_and_think(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMBRAY_AUDIT", "1")
    with combray.open(tmp_path / "a.db", embedder="none") as engine:
        remembered(engine.within("red"), "the kettle is hot")
        for verb in (engine.context, engine.think):
            before = len(list(engine.audit.lines()))
            verb("kettle", namespaces=["red", "default"])
            assert len(list(engine.audit.lines())) == before + 1
            (entry, *_) = engine.audit.entries(operation=verb.__name__)
            assert entry.detail["namespaces"] == ["red", "default"]


def test_the_engine_for_asyncio_takes_namespaces(tmp_path: Path) -> None:
    async def ask() -> tuple[str, int, int]:
        async with await AsyncEngine.open(tmp_path / "a.db", embedder="none") as engine:
            await engine.within("red").remember("the kettle is hot")
            made = await engine.context("kettle", namespaces=["red"])
            thought = await engine.think("Is the kettle hot?", namespaces=["red"])
            found = await engine.search_memory("kettle", "facts", namespaces=["red"])
            return made.text, len(thought.sources), len(found)

    text, sources, found = asyncio.run(ask())
    assert "the kettle is hot" in text
    assert (sources, found) == (1, 1)
