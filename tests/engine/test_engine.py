"""The engine's verbs: single memories, namespaces, time, closing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import combray
from combray import Engine, InvalidInputError, NotFoundError, ReadOnlyStoreError
from combray.stores.sqlite.locks import held
from combray.testing.fakes import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["memory", "file"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Engine:
    location = ":memory:" if request.param == "memory" else str(tmp_path / "a.db")
    return combray.open(location, embedder="none", clock=clock)


# -- single memories ------------------------------------------------------------------------------


def test_forget_restore_and_history(engine: Engine) -> None:
    made = engine.remember("Alpha rains", valid_to="2030-01-01")
    assert engine.forget(made.id).status == "forgotten"
    assert len(engine.recall("alpha")) == 0
    assert engine.get(made.id).content == "Alpha rains"
    restored = engine.restore(made.id)
    assert (restored.status, restored.valid_to) == ("active", datetime(2030, 1, 1, tzinfo=UTC))
    assert engine.recall("alpha")[0].memory.id == made.id
    assert [version.operation for version in engine.history(made.id)] == ["forget", "restore"]
    assert engine.history(made.id)[0].before["status"] == "active"
    engine.restore(made.id)
    assert len(engine.history(made.id)) == 2


def test_erase_leaves_nothing(engine: Engine, tmp_path: Path) -> None:
    made = engine.remember("The zanzibarite is buried here", entities=["Zanzibarite"])
    engine.remember("Something else near it", entities=["Zanzibarite"])
    engine.erase(made.id)
    with pytest.raises(NotFoundError):
        engine.get(made.id)
    assert len(engine.recall("buried here")) == 0
    assert engine.reader.edges() == []
    engine.close()
    for file in tmp_path.iterdir():
        assert b"buried here" not in file.read_bytes()


def test_ids_may_be_cut_to_a_prefix(engine: Engine) -> None:
    made = engine.remember("Alpha rains")
    assert engine.get(made.id[:20]).id == made.id
    assert engine.get(f" {made.id} ").id == made.id
    for wrong in (made.id[:7], "", "no-such-id-at-all"):
        with pytest.raises(NotFoundError):
            engine.get(wrong)
    with pytest.raises(InvalidInputError):
        engine.get(5)  # type: ignore[arg-type]


def test_link_and_related(engine: Engine, clock: FakeClock) -> None:
    ids = []
    for n, text in enumerate(("Alpha", "Beta", "Gamma")):
        ids.append(engine.remember(text, source=f"source{n}").id)
        clock.pass_(hours=30)
    edge = engine.link(ids[0], ids[1], type="causal", weight=0.9, reason="seen")
    assert (edge.source, edge.target, edge.type, edge.created_by) == (ids[0], ids[1], "causal", "user")
    engine.link(ids[1], ids[2])
    found = engine.related(ids[0])
    assert [(each.memory.content, each.depth, each.via, each.weight) for each in found] == [
        ("Beta", 1, "causal", 0.9), ("Gamma", 2, "semantic", 0.5),
    ]  # fmt: skip
    assert [each.memory.content for each in engine.related(ids[0], depth=1)] == ["Beta"]
    assert engine.related(ids[0], type="semantic") == []
    engine.forget(ids[1])
    assert [each.memory.content for each in engine.related(ids[0])] == ["Gamma"]


@pytest.mark.parametrize(
    "call",
    [
        lambda engine, a, b: engine.link(a, b, weight=1.01),
        lambda engine, a, b: engine.link(a, b, weight=float("nan")),
        lambda engine, a, b: engine.link(a, b, weight=True),
        lambda engine, a, b: engine.link(a, b, type="friendship"),
        lambda engine, a, b: engine.link(a, a),
        lambda engine, a, b: engine.link(a, b, reason="\ud800"),
        lambda engine, a, b: engine.related(a, depth=0),
        lambda engine, a, b: engine.related(a, type="friendship"),
        lambda engine, a, b: engine.store.log(0),
    ],
)
def test_wrong_values_change_nothing(engine: Engine, call: Callable[[Engine, str, str], Any]) -> None:
    one, other = engine.remember("Alpha", source="a").id, engine.remember("Beta", source="b").id
    before = engine.store.status(), engine.reader.revision()
    with pytest.raises(InvalidInputError):
        call(engine, one, other)
    assert (engine.store.status(), engine.reader.revision()) == before


def test_gc_lists_and_keep_makes_immune(engine: Engine, clock: FakeClock) -> None:
    low = engine.remember("Alpha rains", importance=1, source="a").id
    engine.remember("Beta shines", importance=5, source="b")
    clock.pass_(days=30)
    # 0.15 * 0.5 (* 1.1 for the proximity edge); 1.0 * 0.5 * 1.1 is above the threshold.
    (found,) = engine.retention.candidates(threshold=0.5)
    assert (found.memory.id, found.immune, found.days_since_access) == (low, False, 30)
    assert found.effective_importance == pytest.approx(0.15 * 0.5 * (1 + 0.1 * found.edge_count))
    assert engine.retention.keep(low).access_count == 3
    (found,) = engine.retention.candidates(threshold=0.5)
    assert (found.immune, found.days_since_access) == (True, 0)


def test_review_lists_what_will_not_keep(engine: Engine) -> None:
    engine.remember("Chose Qdrant")
    one = engine.remember("Fixed at line 42").id
    two = engine.remember("All checks verified, deployed via Jenkins").id
    assert [(each.memory.id, len(each.warnings)) for each in engine.retention.review()] == [(two, 2), (one, 1)]


def test_status_log_and_doctor(engine: Engine) -> None:
    made = engine.remember("Alpha rains on Qdrant", category="decision")
    engine.remember("Alpha rains on Qdrant")
    status = engine.store.status()
    assert (status["total_insights"], status["by_category"]) == (1, {"decision": 1})
    assert status["top_entities"] == [{"entity": "qdrant", "count": 1}]
    assert [(each["operation"], each["detail"]) for each in engine.store.log()] == [
        ("remember", "skip"), ("remember", "add"),
    ]  # fmt: skip
    assert engine.store.log(1)[0]["memory_id"] == made.id
    assert engine.store.log(10**30) == engine.store.log()
    assert all(finding.ok for finding in engine.store.doctor(repair=True))


# -- namespaces -----------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["default", "mnemon"])
def test_no_verb_crosses_a_namespace(tmp_path: Path, preset: str) -> None:
    with combray.open(str(tmp_path / "a.db"), namespace="ours", preset=preset) as ours:
        theirs = ours.within("theirs")
        secret = theirs.remember("The Zanzibar vault opens with code 4711 because Ann said so", author="Ann")
        other = theirs.remember("The vault is in Zanzibar", author="Ann")
        theirs.conversation("talk").add("we open the vault at noon")
        mine = ours.remember("The Zanzibar vault opens with code 4711 because Ann said so", author="Ann")
        # The same text is no duplicate there, no candidate, no neighbour, no known entity.
        assert (mine.action, mine.semantic_candidates, mine.causal_candidates) == ("added", (), ())
        assert sum(mine.edges_created.values()) == 0
        for basic in (False, True):
            found = ours.recall("vault", basic=basic, limit=50)
            assert [hit.memory.id for hit in found] == [mine.id]
        assert [hit.memory.id for hit in ours.search("vault")] == [mine.id]
        assert ours.conversation("talk").turns() == []
        assert (ours.store.status()["total_insights"], len(ours.store.log())) == (1, 1)
        assert [each.memory.id for each in ours.retention.candidates(threshold=9)] == [mine.id]

        def state_of_theirs() -> tuple[Any, ...]:
            # The bytes are those of the whole file.
            shown = {name: value for name, value in theirs.store.status().items() if name != "bytes"}
            return shown, theirs.store.log(50), theirs.reader.revision()

        before = state_of_theirs()
        for verb in (
            ours.get,
            ours.forget,
            ours.restore,
            ours.erase,
            ours.history,
            ours.retention.keep,
            ours.related,
        ):
            with pytest.raises(NotFoundError):
                verb(secret.id)
        with pytest.raises(NotFoundError):
            ours.link(mine.id, secret.id)
        ours.forget(mine.id)
        ours.erase(mine.id)
        assert state_of_theirs() == before
        assert {hit.memory.id for hit in theirs.recall("vault Zanzibar")} >= {secret.id, other.id}


@pytest.mark.parametrize("name", ["", " a", "a ", "a\nb", "a\x00b", "x" * 201])
def test_unusable_namespaces_are_refused(name: str) -> None:
    with pytest.raises(InvalidInputError, match="namespace"):
        combray.open(":memory:", embedder="none").within(name)


# -- time -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["default", "mnemon"])
def test_as_of_shows_what_was_known_then(preset: str, clock: FakeClock) -> None:
    engine = combray.open(":memory:", embedder="none", preset=preset, clock=clock)
    old = engine.remember("Our main database is PostgreSQL")
    clock.pass_(days=10)
    new = engine.remember("Our main database is no longer PostgreSQL but Redis")
    assert new.replaced_id == old.id
    clock.pass_(days=10)
    assert [hit.memory.id for hit in engine.recall("main database")] == [new.id]
    assert [hit.memory.id for hit in engine.recall("main database", as_of="2024-05-05")] == [old.id]
    assert [hit.memory.id for hit in engine.recall("main database", as_of="2024-05-12")] == [new.id]
    assert len(engine.recall("main database", as_of="2024-04-01")) == 0


@pytest.mark.parametrize("preset", ["default", "mnemon"])
def test_what_has_expired_is_hidden_not_gone(preset: str, clock: FakeClock) -> None:
    engine = combray.open(":memory:", embedder="none", preset=preset, clock=clock)
    made = engine.remember("The parking permit is valid", expires_at="2024-05-03")
    assert engine.recall("parking permit")[0].memory.id == made.id
    clock.pass_(days=3)
    for basic in (False, True):
        assert len(engine.recall("parking permit", basic=basic)) == 0
    assert engine.get(made.id).content == "The parking permit is valid"
    assert engine.recall("parking permit", as_of="2024-05-02")[0].memory.id == made.id


def test_relative_dates_count_from_the_engines_clock(engine: Engine) -> None:
    made = engine.remember("The pipe burst", occurred_at="3 days ago")
    occurred = engine.get(made.id).occurred_from
    assert occurred is not None
    assert occurred.date().isoformat() == "2024-04-28"
    assert engine.recall("pipe", since="5 days ago", until="yesterday")[0].memory.id == made.id
    assert len(engine.recall("pipe", since="yesterday")) == 0


# -- opening and closing --------------------------------------------------------------------------


def test_access_counts_are_written_with_the_next_write_or_at_close(tmp_path: Path, clock: FakeClock) -> None:
    path = str(tmp_path / "a.db")
    with combray.open(path, embedder="none", clock=clock) as engine:
        made = engine.remember("Alpha rains")
        engine.recall("alpha")
        engine.recall("alpha")
        assert engine.get(made.id).access_count == 0
        engine.remember("Beta shines")
        assert engine.get(made.id).access_count == 2
        clock.pass_(days=1)
        engine.recall("alpha")
    with combray.open(path, embedder="none", clock=clock) as engine:
        memory = engine.get(made.id)
        assert (memory.access_count, memory.last_accessed_at) == (3, datetime(2024, 5, 2, 12, tzinfo=UTC))
        assert engine.history(made.id) == []


def test_a_read_only_engine_recalls_and_refuses_to_write(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with combray.open(path, embedder="none") as engine:
        made = engine.remember("Alpha rains")
    with combray.open(path, embedder="none", read_only=True) as engine:
        assert engine.recall("alpha")[0].memory.id == made.id
        with pytest.raises(ReadOnlyStoreError):
            engine.remember("Beta shines")
        with pytest.raises(ReadOnlyStoreError):
            engine.forget(made.id)
    with combray.open(path, embedder="none") as engine:
        assert engine.get(made.id).access_count == 0


@pytest.mark.parametrize("location", ["redis://host", "mysql://x"])
def test_unknown_kinds_of_store_are_refused(location: str) -> None:
    with pytest.raises(InvalidInputError, match="location"):
        combray.open(location, embedder="none")


def test_locations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with combray.open(f"sqlite:///{tmp_path / 'a.db'}", embedder="none") as engine:
        engine.remember("Alpha rains")
    monkeypatch.setenv("COMBRAY_DB", str(tmp_path / "a.db"))
    with combray.open(embedder="none") as engine:
        assert engine.store.status()["total_insights"] == 1
    monkeypatch.setenv("COMBRAY_DB", "")
    monkeypatch.setenv("COMBRAY_HOME", str(tmp_path / "home"))
    with combray.open(embedder="none") as engine:
        assert engine.store.status()["location"] == str(tmp_path / "home" / "default.db")


def test_a_path_object_names_the_store(tmp_path: Path) -> None:
    with combray.open(tmp_path / "agent.db", embedder="none") as engine:
        engine.remember("stored under a path object")
    assert (tmp_path / "agent.db").exists()


def test_the_text_is_given_once() -> None:
    with combray.open(":memory:", embedder="none") as engine:
        with pytest.raises(combray.InvalidInputError, match="content: is given beside the text"):
            engine.remember("one text", content="another")  # type: ignore[call-arg]
        assert engine.store.status()["total_insights"] == 0


def test_a_store_stays_the_same_file_when_the_process_changes_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(tmp_path)
    with combray.open("a.db") as engine:
        engine.remember("The attic is dry.")
        monkeypatch.chdir(other)
        # Of two reads at once one opens a new connection.
        with engine.runtime.store.view("default"), engine.runtime.store.view("default") as second:
            assert second.profile().memories == 1
        assert len(engine.recall("attic")) == 1
        assert engine.audit.verify().ok
    assert list(other.iterdir()) == []


def test_an_opening_that_fails_leaves_no_store_open(tmp_path: Path) -> None:
    place = str(tmp_path / "a.db")
    with pytest.raises(InvalidInputError, match="namespace"):
        combray.open(place, namespace=" default")
    with pytest.raises(InvalidInputError, match="location: contains a NUL"):
        combray.open(f"{place}\0")
    assert not held(place, encrypted=False)


@pytest.mark.parametrize("given", [["a", "b"], {"role": "user", "content": "My name is Bo."}])
def test_what_remember_many_takes_is_sent_there(given: Any) -> None:
    """As a program does that gave its messages to another memory."""
    with combray.open(":memory:") as engine:
        with pytest.raises(combray.InvalidInputError, match="remember_many takes several texts, and messages"):
            engine.remember(given)
        with pytest.raises(combray.InvalidInputError, match=r"content: must be a string, not None\.$"):
            engine.remember(None)  # type: ignore[arg-type]
        with pytest.raises(combray.InvalidInputError, match=r"Options: limit, "):
            engine.recall("Bo", top_k=3)  # type: ignore[call-arg]


def test_one_memory_is_counted_as_one() -> None:
    with combray.open(":memory:") as engine:
        engine.remember("wrong name")
        assert engine.recall("zebra").reason.endswith("in 1 memory)")
        with pytest.raises(combray.InvalidInputError, match="but the filter matches 1 memory"):
            engine.forget(where={"status": "active"}, confirm=5)
