"""One read of several namespaces, when the caller names them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import combray
from combray import Engine
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
