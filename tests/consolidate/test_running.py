"""Runs: previewed, capped, the same at the same moment, finished after a kill, one at a time."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from pathlib import Path
from typing import Any

import nights
import pytest

import combray
from combray import presets
from combray.consolidate import runs
from combray.engine import Engine
from combray.engine.consolidation import LEASE, LEASE_SECONDS
from combray.errors import InvalidInputError, ReadOnlyStoreError, StoreBusyError
from combray.runtime import Lease, Runtime, Writer
from combray.stores.sqlite import SqliteStore
from combray.testing.fakes import FakeClock, FakeEmbedder
from combray.testing.reference import ReferenceStore


def fill(engine: combray.Engine, clock: FakeClock, facts: int = 12) -> None:
    """Pairs of paraphrases, corrected numbers, support, and old facts that have faded."""
    numbers = range(facts)
    old = [{"content": f"Old matter number {at} of the archive", "confidence": 0.5} for at in numbers]
    known(engine, old)
    clock.pass_(days=60)
    names = [f"roject {at} has the code name falcon{at}" for at in numbers]
    known(engine, [{"content": f"P{name}"} for name in names])
    known(engine, [{"content": f"The p{name}.", "confidence": 0.8} for name in names])
    known(engine, [{"content": f"Team {at} has {at + 3} members"} for at in numbers])
    clock.pass_(seconds=1)
    known(engine, [{"content": f"Team {at} has {at + 4} members"} for at in numbers])
    clock.pass_(seconds=1)
    known(engine, [{"content": f"P{name}"} for name in names], kind="episode")
    clock.pass_(days=3)


def known(engine: combray.Engine, items: list[dict[str, Any]], kind: str = "fact") -> None:
    engine.remember_many(list[Any]({**each, "kind": kind} for each in items), diff=False)


def test_a_dry_run_tells_the_same_plan_and_changes_nothing() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fill(engine, clock)
        before, revision = nights.exported(engine), engine.reader.revision()
        told = engine.consolidation.run(dry_run=True)
        assert (nights.exported(engine), engine.reader.revision(), engine.consolidation.runs()) == (
            before,
            revision,
            [],
        )
        done = engine.consolidation.run()
        assert done.plan == told.plan
        assert done.counts == told.counts
        assert {"support", "fade", "merge", "supersede", "deprecate"} <= done.counts.keys()
        assert [line.operation for line in told.plan] == [line.operation for line in done.plan]
        assert done.plan[0].content in {memory.content for memory in nights.facts(engine)}


def test_a_second_run_at_the_same_moment_changes_nothing() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fill(engine, clock)
        engine.consolidation.run()
        after = nights.exported(engine)
        again = engine.consolidation.run()
        assert (again.counts, again.plan) == ({}, ())
        assert nights.exported(engine) == after


def test_every_change_and_the_log_name_the_run() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fill(engine, clock)
        done = engine.consolidation.run()
        actors = {version.actor for memory in nights.facts(engine) for version in engine.history(memory.id)}
        assert actors == {f"consolidate:{done.run_id}"}
        (line,) = [each for each in engine.store.log(50) if each["operation"] == "consolidate"]
        assert line["detail"].startswith(f"{done.run_id}: 12 deprecate, 60 fade, 12 merge")
        assert [(run.id, run.state, run.counts) for run in engine.consolidation.runs()] == [
            (done.run_id, "done", done.counts)
        ]


def test_the_cap_bounds_what_leaves_recall_and_the_next_run_goes_on() -> None:
    clock, free = FakeClock(), FakeClock()
    with nights.opened(clock=clock) as engine, nights.opened(clock=free) as other:
        fill(engine, clock)
        fill(other, free)
        whole = other.consolidation.run()
        live, left = engine.store.status()["total_insights"], []
        for _ in range(8):
            done = engine.consolidation.run(most=5)
            left.append(done.skipped_because_of_cap)
            assert live - engine.store.status()["total_insights"] <= 5
            live = engine.store.status()["total_insights"]
        assert left == [31, 26, 21, 16, 11, 6, 1, 0]
        assert whole.skipped_because_of_cap == 0
        assert nights.live(engine) == nights.live(other)


def test_more_paraphrases_than_the_cap_are_merged_over_several_runs() -> None:
    with nights.opened() as engine:
        for number in range(7):
            nights.know(engine, nights.TEA + "." * number)
        left = [engine.consolidation.run(most=4).skipped_because_of_cap for _ in range(3)]
        assert left == [2, 0, 0]
        assert len(nights.live(engine)) == 1


def test_a_cap_of_nothing_still_lets_time_pass() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fill(engine, clock)
        assert set(engine.consolidation.run(most=0).counts) == {"support", "fade", "move_tier"}
        with pytest.raises(InvalidInputError, match="most"):
            engine.consolidation.run(most=-1)


def test_progress_names_the_stage_and_how_far_it_is() -> None:
    clock = FakeClock()
    told: list[tuple[str, int, int]] = []
    with nights.opened(clock=clock) as engine:
        fill(engine, clock)
        engine.consolidation.run(progress=lambda *each: told.append(each))
    assert ("LoadFacts", 60, 60) in told
    assert told[-1][0] == "Apply"
    assert told[-1][1] == told[-1][2] > 0


def test_another_pipeline_can_be_run() -> None:
    from combray.consolidate.nightly import NIGHTLY

    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fill(engine, clock)
        assert "deprecate" not in engine.consolidation.run(steps=NIGHTLY.without("DeprecateFacts")).counts


def test_a_read_only_store_can_be_looked_at(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    clock = FakeClock()
    with nights.opened(path, clock) as engine:
        nights.know(engine, nights.OFFICE)
    clock.pass_(days=100)
    with combray.open(path, read_only=True, embedder="none", clock=clock) as engine:
        assert engine.consolidation.run(dry_run=True).counts == {"move_tier": 1}
        with pytest.raises(ReadOnlyStoreError, match="dry run"):
            engine.consolidation.run()


def test_namespaces_are_consolidated_each_for_itself() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        other = engine.within("other")
        nights.know(engine, nights.TEA)
        nights.know(other, nights.TEA_AGAIN)
        clock.pass_(days=100)
        assert engine.consolidation.run().counts == {"fade": 1, "deprecate": 1}
        assert nights.live(other) == [nights.TEA_AGAIN]
        assert other.consolidation.runs() == []


# -- one at a time, and killed ---------------------------------------------------------------------------


def holding(engine: combray.Engine, holder: str, until: float) -> None:
    with engine.runtime.store.transaction("default") as tx:
        tx.put_lease(LEASE, Lease(holder, until))


@pytest.mark.slow("starts processes")
def test_two_processes_do_not_consolidate_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    clock = FakeClock()
    with nights.opened(path, clock) as engine:
        fill(engine, clock, facts=4)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with nights.opened(path, clock) as engine, engine.consolidation._alone():
                os.write(writing, b"held")
                signal.pause()
        finally:
            os._exit(1)
    try:
        assert os.read(reading, 4) == b"held"
        with nights.opened(path, clock) as engine:
            with pytest.raises(StoreBusyError, match="is running"):
                engine.consolidation.run()
            with pytest.raises(StoreBusyError, match="is running"):
                engine.consolidation.run()
            assert engine.consolidation.run(dry_run=True).counts
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    with nights.opened(path, clock) as engine:
        assert engine.consolidation.run().counts, (
            "its process is gone, so the lease of the killed one holds nobody up"
        )


def test_a_lease_of_another_machine_runs_out() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        holding(engine, "elsewhere:1:aa", clock() + LEASE_SECONDS)
        with pytest.raises(StoreBusyError, match="elsewhere"):
            engine.consolidation.run()
        clock.pass_(seconds=LEASE_SECONDS)
        engine.consolidation.run()


def test_who_lost_the_lease_writes_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock()
    recorded = runs.record
    with nights.opened(clock=clock) as engine:
        fill(engine, clock)

        def taken_over(*arguments: Any) -> None:
            recorded(*arguments)
            holding(engine, "elsewhere:1:aa", clock() + LEASE_SECONDS)

        monkeypatch.setattr(runs, "record", taken_over)
        with pytest.raises(StoreBusyError, match="took over"):
            engine.consolidation.run()
        assert all(engine.history(memory.id) == [] for memory in nights.facts(engine))


def outcome(engine: combray.Engine) -> list[tuple[Any, ...]]:
    """The facts without what names ids of this store."""
    texts = {memory.id: memory.content for memory in engine.reader.memories(range(1, 500))}
    return [
        (
            memory.content,
            memory.status,
            memory.confidence,
            [texts[each] for each in memory.evidence],
            texts.get(memory.merged_into or ""),
            texts.get(memory.superseded_by or ""),
            memory.metadata,
            memory.valid_to,
        )
        for memory in nights.facts(engine)
    ]


@pytest.mark.parametrize("parts", [0, 1, 3])
@pytest.mark.slow("starts processes")
def test_a_killed_run_is_finished_by_the_next_as_if_nothing_had_been(
    parts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed with SIGKILL inside the transaction after `parts` parts; it is finished at a later moment."""
    monkeypatch.setattr(runs, "PART", 7)
    path = str(tmp_path / "killed.db")
    clock = FakeClock()
    with nights.opened(path, clock) as engine:
        fill(engine, clock)
    child = os.fork()
    if child == 0:
        try:
            applied = runs._apply
            seen = []

            def deadly(tx: Writer, *rest: Any) -> Any:
                done = applied(tx, *rest)
                seen.append(1)
                if len(seen) > parts:
                    os.kill(os.getpid(), signal.SIGKILL)
                return done

            monkeypatch.setattr(runs, "_apply", deadly)
            with nights.opened(path, clock) as engine:
                engine.consolidation.run()
        finally:
            os._exit(1)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    untouched = FakeClock()
    with nights.opened(clock=untouched) as other:
        fill(other, untouched)
        other.consolidation.run()
        expected = outcome(other)
    with nights.opened(path, clock) as engine:
        (killed,) = engine.consolidation.runs()
        assert killed.state == "running"
        assert outcome(engine) != expected
        clock.pass_(seconds=1)
        done = engine.consolidation.run()
        assert done.resumed == killed.id
        assert done.counts == {}
        assert outcome(engine) == expected
        assert [run.state for run in engine.consolidation.runs()] == ["done", "done"]
        assert engine.consolidation.run().resumed is None


def test_a_killed_run_can_be_taken_back_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "PART", 7)
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fill(engine, clock)
        before = nights.exported(engine)
        applied, seen = runs._apply, []

        def dies(*arguments: Any) -> Any:
            seen.append(1)
            if len(seen) > 3:
                raise KeyboardInterrupt
            return applied(*arguments)

        with monkeypatch.context() as patch:
            patch.setattr(runs, "_apply", dies)
            with pytest.raises(KeyboardInterrupt):
                engine.consolidation.run()
        assert nights.exported(engine) != before
        (killed,) = engine.consolidation.runs()
        assert engine.consolidation.undo(killed.id).refused == ()
        assert nights.exported(engine) == before
        assert engine.consolidation.run().resumed is None


def test_the_reference_store_comes_to_the_same() -> None:
    ends = []
    for store in (ReferenceStore(), SqliteStore(":memory:")):
        clock = FakeClock()
        with closing(store):
            engine = Engine(Runtime(store, FakeEmbedder(), clock=clock), "default", presets.load("default"))
            fill(engine, clock, facts=3)
            done = engine.consolidation.run()
            ends.append(
                (outcome(engine), done.counts, engine.consolidation.undo(done.run_id).refused, outcome(engine))
            )
    assert ends[0] == ends[1]


def test_what_changed_between_the_kill_and_the_finish_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock()

    def dies(*arguments: Any) -> None:
        raise KeyboardInterrupt

    with nights.opened(clock=clock) as engine:
        fill(engine, clock, facts=3)
        with monkeypatch.context() as patch:
            patch.setattr(runs, "finish", dies)
            with pytest.raises(KeyboardInterrupt):
                engine.consolidation.run()
        by_text = {memory.content: memory.id for memory in nights.facts(engine)}
        engine.forget(by_text["The project 0 has the code name falcon0."])
        engine.erase(by_text["Project 1 has the code name falcon1"])
        engine.erase(by_text["Team 2 has 6 members"])
        engine.consolidation.run()
        statuses = {memory.content: memory.status for memory in nights.facts(engine)}
        assert statuses["Project 0 has the code name falcon0"] == "active", "its winner was forgotten meanwhile"
        assert statuses["The project 0 has the code name falcon0."] == "forgotten"
        assert statuses["The project 1 has the code name falcon1."] == "active"
        assert statuses["Team 2 has 5 members"] == "active"
        assert statuses["Project 2 has the code name falcon2"] == "merged"


def test_a_stored_plan_holds_no_word_of_a_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An erased memory must not live on in the plan of a killed run."""
    path = tmp_path / "a.db"
    clock = FakeClock()

    def dies(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runs, "finish", dies)
    with nights.opened(str(path), clock) as engine:
        secret = nights.know(engine, "Agent Qwertzu has 7 passports")
        clock.pass_(days=1)
        other = nights.know(engine, "Agent Qwertzu has 9 passports")
        with pytest.raises(KeyboardInterrupt):
            engine.consolidation.run()
        engine.erase(secret)
        engine.erase(other)
    everything = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    for piece in (b"Qwertzu", b"qwertzu", b"passport"):
        assert piece not in everything
    # Ids are random, and stay in the audit.
    store = b"".join(each.read_bytes() for each in tmp_path.iterdir() if ".audit" not in each.name)
    assert secret.encode() not in store
    assert other.encode() not in store


def test_the_fake_embedder_is_not_asked_by_a_run() -> None:
    """Vectors are stored: consolidation compares them and embeds nothing."""
    clock, embedder = FakeClock(), FakeEmbedder()
    with nights.opened(clock=clock, embedder=embedder) as engine:
        fill(engine, clock, facts=2)
        asked = len(embedder.calls)
        engine.consolidation.run()
        assert len(embedder.calls) == asked
