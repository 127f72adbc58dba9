"""A fact is stored at once, found by its words, embedded by a worker, and then found by its meaning."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

import pytest
from waiting import FACTS, PickyEmbedder, jobs, opened, statuses

from combray import InvalidInputError, presets
from combray.embedding.working import LEASE_SECONDS, MOST_ATTEMPTS, Worked, pause
from combray.presets import Preset
from combray.remember.embed import QueueEmbedding
from combray.runtime import Filter, Vectors, Writer
from combray.testing.fakes import FakeClock, FakeEmbedder
from combray.transfer import export_to, import_from


def test_a_new_fact_is_pending_until_a_worker_has_embedded_it() -> None:
    """ "New Fact → DB (status='pending_embed') → Background Queue → … → DB (status='active')"."""
    embedder = FakeEmbedder()
    engine = opened(embedder, FakeClock())
    written = engine.remember(FACTS[0])
    assert (embedder.calls, written.embedded, statuses(engine)) == ([], False, {"pending_embed": 1})
    assert [each.status for each in (engine.get(written.id),)] == ["pending_embed"]
    assert engine.vectors.make() == Worked(embedded=1)
    assert (embedder.calls, statuses(engine)) == ([[FACTS[0]]], {"active": 1})
    assert engine.store.status()["vectors"] == {"fake:64": 1}
    assert (jobs(engine), engine.vectors.pending(), engine.vectors.make()) == ([], 0, Worked())
    # That it waited for its vector is nothing a memory says: undo and history do not know of it.
    assert engine.history(written.id) == []


@pytest.mark.parametrize("name", presets.names())
def test_a_pending_fact_is_found_by_its_words_and_later_by_its_meaning(name: str) -> None:
    """ "Non-blocking—facts queryable immediately via text fallback"."""
    engine = opened(FakeEmbedder(), FakeClock(), preset=waiting(presets.load(name)))
    engine.remember_many(FACTS, diff=False)
    assert statuses(engine) == {"pending_embed": 3}
    found = engine.recall("who tends gardens in Lisbon?")
    assert found[0].memory.content == FACTS[0]
    assert found[0].via != "vector"
    assert [hit.memory.content for hit in engine.search("violins")] == [FACTS[2]]
    assert engine.vectors.make().embedded == 3
    again = engine.recall("who tends gardens in Lisbon?")
    assert again[0].memory.content == FACTS[0]
    assert again[0].score >= found[0].score
    model = engine.reader.nearest("fake:64", FakeEmbedder().embed([FACTS[1]]), Filter(), 1, 0.9)
    assert engine.reader.contents(model[0].keys) == [FACTS[1]]


def waiting(preset: Preset) -> Preset:
    """The preset, its facts put off."""
    names = [each["stage"] for each in preset.remember.describe()]
    if "Embed" not in names:
        return preset
    return replace(preset, remember=preset.remember.replace("Embed", QueueEmbedding()))


def test_without_an_embedder_nothing_waits() -> None:
    engine = opened("none", FakeClock())
    engine.remember(FACTS[0])
    assert (statuses(engine), engine.vectors.pending(), engine.store.status()["queue"]) == ({"active": 1}, 0, [])
    with pytest.raises(InvalidInputError, match="embedder: is not set"):
        engine.vectors.make()


def test_identical_text_is_caught_while_it_waits() -> None:
    engine = opened(FakeEmbedder(), FakeClock())
    first = engine.remember(FACTS[0])
    assert engine.remember(FACTS[0].replace("The", "the")).action == "skipped"
    engine.remember_many([FACTS[0], FACTS[1], FACTS[1]])
    assert (len(jobs(engine)), statuses(engine)) == (2, {"pending_embed": 2})
    engine.vectors.make()
    assert engine.remember(FACTS[0]).id == first.id


TEXTS = (
    "Ann likes green tea in the morning",
    "Ann likes green tea in the morning hours",
    "Bob repairs violins",
    "Ann likes green tea every morning",
    "Bob repairs old violins",
)


@pytest.mark.parametrize("batch", [1, 2, 64])
def test_the_semantic_edges_are_those_of_a_fact_embedded_at_once(batch: int) -> None:
    def semantic(preset: str) -> dict[tuple[str, str], float]:
        engine = opened(FakeEmbedder(), FakeClock(), preset=preset)
        for text in TEXTS:
            engine.remember(text, diff=False)
        if preset == "semantic-facts":
            assert engine.reader.edges(("semantic",)) == []
            engine.vectors.make(batch=batch)
        texts = {edge.source: engine.get(edge.source).content for edge in engine.reader.edges()}
        texts |= {edge.target: engine.get(edge.target).content for edge in engine.reader.edges()}
        return {
            (texts[e.source], texts[e.target]): round(e.weight, 3) for e in engine.reader.edges(("semantic",))
        }

    edges = semantic("semantic-facts")
    assert edges == semantic("mnemon")
    # Five terms of six, of five: 5 / sqrt(5 * 6) and so on; the older memory is always the source.
    assert len(edges) >= 3
    assert all(TEXTS.index(source) < TEXTS.index(target) for source, target in edges)


def test_an_edge_to_a_newer_fact_still_starts_at_the_older() -> None:
    clock, embedder = FakeClock(), PickyEmbedder()
    engine = opened(embedder, clock)
    older = engine.remember("Bob repairs old violins poison", diff=False)
    newer = engine.remember("Bob repairs old violins", diff=False)
    assert engine.vectors.make().embedded == 1
    embedder.poison = ()
    clock.pass_(seconds=3)
    assert engine.vectors.make().embedded == 1
    (edge,) = engine.reader.edges(("semantic",))
    assert (edge.source, edge.target) == (older.id, newer.id)
    # Four words of five: 4 / sqrt(4 * 5).
    assert edge.weight == pytest.approx(0.894, abs=0.001)


def test_what_another_worker_embedded_at_the_same_moment_is_linked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = opened(FakeEmbedder(), FakeClock())
    first = engine.remember("Bob repairs old violins well", diff=False)
    second = engine.remember("Bob repairs old violins", diff=False)
    begin, begun = engine.runtime.store.transaction, []

    def transaction(namespace: str) -> AbstractContextManager[Writer]:
        begun.append(namespace)
        # The first takes the job, the second writes: what is near has been looked up by then.
        if len(begun) == 2:
            assert engine.within("default").vectors.make() == Worked(embedded=1, left=1)
        return begin(namespace)

    monkeypatch.setattr(engine.runtime.store, "transaction", transaction)
    assert engine.vectors.make(limit=1) == Worked(embedded=1)
    assert [(edge.source, edge.target) for edge in engine.reader.edges(("semantic",))] == [(first.id, second.id)]


# -- failures ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["default", "mnemon", "mnemo", "openclaw", "engram"])
def test_when_the_embedder_fails_at_a_write_the_memory_waits(preset: str) -> None:
    embedder = FakeEmbedder(failing=True)
    engine = opened(embedder, FakeClock(), preset=preset)
    written = engine.remember(FACTS[0])
    assert (written.embedded, statuses(engine), len(jobs(engine))) == (False, {"pending_embed": 1}, 1)
    assert any("which a worker makes later" in step.note for step in written.trace)
    embedder.failing = False
    assert engine.vectors.make() == Worked(embedded=1)
    assert (statuses(engine), engine.store.status()["vectors"]) == ({"active": 1}, {"fake:64": 1})


def test_turns_of_a_conversation_wait_too() -> None:
    embedder = FakeEmbedder(failing=True)
    engine = opened(embedder, FakeClock(), preset="default")
    engine.conversation("s").add("I moved to Porto", author="Ann")
    embedder.failing = False
    assert engine.vectors.make().embedded == 1


def test_the_pauses_between_tries_by_hand() -> None:
    # sha256("a") begins ca978112, sha256("b") 3e23e816: shares .791374.. and .242735..
    share_a, share_b = 0xCA978112 / 2**32, 0x3E23E816 / 2**32
    assert pause(1, "a") == pytest.approx(2 * (1 + share_a / 4))
    assert pause(1, "a") == pytest.approx(2.395687, abs=1e-6)
    assert pause(5, "b") == pytest.approx(32 * (1 + share_b / 4))
    assert pause(11, "b") == pytest.approx(2048 * (1 + share_b / 4))
    # 2^12 is more than an hour.
    assert pause(12, "a") == pause(16, "a") == pytest.approx(3600 * (1 + share_a / 4))


def test_a_failed_job_is_tried_again_after_its_pause_and_no_earlier() -> None:
    clock, embedder = FakeClock(), PickyEmbedder()
    engine = opened(embedder, clock)
    written = engine.remember("poison in the well")
    for attempt in range(1, 4):
        worked = engine.vectors.make()
        assert (worked.embedded, worked.failed, worked.left) == (0, 1, 1)
        assert worked.error == "fake:64: cannot read that"
        (job,) = jobs(engine)
        assert (job.attempts, job.failed, job.holder, job.error) == (attempt, False, "", worked.error)
        wait = 2**attempt * (1 + pause(0, written.id) % 1)
        assert job.next_at - clock() == pytest.approx(pause(attempt, written.id), abs=1e-5)
        assert job.next_at - clock() == pytest.approx(wait, abs=1e-5)
        clock.now = job.next_at - 0.001
        assert engine.vectors.make() == Worked(left=1)
        clock.now = job.next_at
    embedder.poison = ()
    assert engine.vectors.make() == Worked(embedded=1)


def test_a_text_that_always_fails_is_given_up_and_retried_by_hand() -> None:
    clock, embedder = FakeClock(), PickyEmbedder()
    engine = opened(embedder, clock)
    engine.remember("poison in the well")
    started = clock()
    for _ in range(MOST_ATTEMPTS):
        assert engine.vectors.make().failed == 1
        last = clock()
        clock.now = jobs(engine)[0].next_at
    # 2 + 4 + … + 2048 = 4094 seconds and four hours, with a quarter more at most.
    assert 4094 + 4 * 3600 <= last - started <= (4094 + 4 * 3600) * 1.25
    clock.pass_(days=30)
    assert engine.vectors.make() == Worked()
    (told,) = engine.store.status()["queue"]
    assert (told["waiting"], told["failed"], told["error"]) == (0, 1, "fake:64: cannot read that")
    assert [hit.memory.status for hit in engine.search("well")] == ["pending_embed"]
    assert (engine.vectors.pending(), engine.vectors.retry_failed(), engine.vectors.retry_failed()) == (1, 1, 0)
    embedder.poison = ()
    assert engine.vectors.make() == Worked(embedded=1)


def test_poison_does_not_hold_up_the_batch() -> None:
    embedder = PickyEmbedder()
    engine = opened(embedder, FakeClock())
    texts = [f"fact number{n} about trees" for n in range(64)]
    for at in (0, 1, 37):
        texts[at] = f"poison {at}"
    engine.remember_many(texts, diff=False)
    worked = engine.vectors.make()
    assert (worked.embedded, worked.failed, worked.left) == (61, 3, 3)
    reader = engine.reader
    assert [reader.contents([job.key])[0] for job in jobs(engine)] == ["poison 0", "poison 1", "poison 37"]
    assert statuses(engine) == {"active": 61, "pending_embed": 3}
    # Halves: 64, then 7 sizes down to each single text, and as many words to see that the model answers.
    assert len(embedder.calls) < 4 * 7 * 3


def test_a_model_that_is_down_is_asked_twice_and_blames_nobody() -> None:
    clock, embedder = FakeClock(), FakeEmbedder()
    engine = opened(embedder, clock)
    engine.remember_many([f"fact number{n} about trees" for n in range(100)], diff=False)
    embedder.failing = True
    worked = engine.vectors.make(batch=64)
    assert (worked.embedded, worked.failed, worked.left) == (0, 64, 100)
    assert [len(call) for call in embedder.calls] == [64, 1]
    # The second batch was not begun; the first is never given up for it.
    assert [job.attempts for job in jobs(engine)] == [1] * 64 + [0] * 36
    for _ in range(3 * MOST_ATTEMPTS):
        clock.pass_(hours=2)
        engine.vectors.make(batch=100)
    assert {(job.attempts, job.failed) for job in jobs(engine)} == {(MOST_ATTEMPTS - 1, False)}
    embedder.failing = False
    clock.pass_(hours=2)
    assert engine.vectors.make().embedded == 100


def test_an_interrupted_batch_is_left_as_it_was() -> None:
    class Interrupted(FakeEmbedder):
        def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            raise KeyboardInterrupt

    engine = opened(Interrupted(), FakeClock())
    engine.remember_many(FACTS)
    before = jobs(engine)
    with pytest.raises(KeyboardInterrupt):
        engine.vectors.make()
    assert jobs(engine) == before
    assert statuses(engine) == {"pending_embed": 3}


def test_a_vector_that_is_no_number_is_a_failure_of_that_text() -> None:
    class Broken(FakeEmbedder):
        def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            rows = super().embed(texts, query=query)
            rows[["Bob" in text for text in texts]] = float("nan")
            return rows

    engine = opened(Broken(), FakeClock())
    engine.remember_many(FACTS)
    worked = engine.vectors.make()
    assert (worked.embedded, worked.failed) == (2, 1)
    assert worked.error == "fake:64: returned a vector with NaN or infinite components"


def test_a_worker_that_dies_over_a_text_again_and_again_gives_it_up() -> None:
    clock = FakeClock()
    engine = opened(FakeEmbedder(), clock)
    engine.remember(FACTS[0])
    for _ in range(MOST_ATTEMPTS + 1):
        with engine.runtime.store.transaction("default") as tx:
            (job,) = tx.queue.take("fake:64", "elsewhere:1:x", clock(), clock() + 60, 1)
        clock.pass_(seconds=60)
    assert job.attempts == MOST_ATTEMPTS + 1
    assert engine.vectors.make().failed == 1
    (job,) = jobs(engine)
    assert (job.failed, job.error) == (True, "every worker that tried it was killed")


# -- what else happens to memories that wait ---------------------------------------------------------


def test_an_erased_memory_leaves_no_job_even_while_it_is_embedded() -> None:
    class Erasing(FakeEmbedder):
        def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            if not self.calls:
                engine.erase(ids[1])
            return super().embed(texts, query=query)

    engine = opened(Erasing(), FakeClock())
    ids = [engine.remember(text).id for text in FACTS]
    engine.erase(ids[0])
    assert len(jobs(engine)) == 2
    assert engine.vectors.make() == Worked(embedded=1)
    assert (jobs(engine), statuses(engine), engine.store.status()["vectors"]) == (
        [],
        {"active": 1},
        {"fake:64": 1},
    )
    assert engine.runtime.store.check() == []


def test_a_memory_forgotten_while_it_waits_gets_its_vector_and_stays_forgotten() -> None:
    engine = opened(FakeEmbedder(), FakeClock())
    first, second = (engine.remember(text, diff=False) for text in ("Ann likes tea", "Ann likes tea a lot"))
    engine.forget(first.id)
    engine.vectors.make()
    assert (engine.get(first.id).status, engine.get(second.id).status) == ("forgotten", "active")
    assert engine.reader.edges(("semantic",)) == []
    engine.restore(first.id)
    assert len(engine.recall("Ann likes tea")) == 2


def test_a_lease_that_ran_out_is_lost_and_its_late_holder_writes_nothing() -> None:
    clock = FakeClock()

    class Slow(FakeEmbedder):
        def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            if not self.calls:
                clock.pass_(seconds=LEASE_SECONDS)
                self.calls.append([])
                taken.append(other.vectors.make())
            return super().embed(texts, query=query)

    taken: list[Worked] = []
    engine = opened(Slow(), clock)
    other = engine.within("default")
    other._at.runtime = type(engine.runtime)(engine.runtime.store, FakeEmbedder(), clock=clock)
    engine.remember(FACTS[0])
    assert engine.vectors.make() == Worked()
    assert taken == [Worked(embedded=1)]
    assert [line["operation"] for line in engine.store.log()] == ["embed", "remember"]


def test_namespaces_never_mix() -> None:
    embedder = FakeEmbedder()
    engine = opened(embedder, FakeClock())
    other = engine.within("other")
    engine.remember(FACTS[0])
    other.remember(FACTS[1])
    assert engine.vectors.make() == Worked(embedded=1)
    assert embedder.calls == [[FACTS[0]]]
    assert (statuses(engine), statuses(other)) == ({"active": 1}, {"pending_embed": 1})
    engine.remember(FACTS[2])
    assert engine.vectors.make(everywhere=True) == Worked(embedded=2)
    assert (other.store.status()["vectors"], statuses(other)) == ({"fake:64": 1}, {"active": 1})


def test_a_limit_and_a_batch_bound_the_work() -> None:
    embedder = FakeEmbedder()
    engine = opened(embedder, FakeClock())
    engine.remember_many([f"fact number{n}" for n in range(10)], diff=False)
    done: list[int] = []
    assert engine.vectors.make(limit=5, batch=2, progress=done.append) == Worked(embedded=5, left=5)
    assert (done, [len(call) for call in embedder.calls]) == ([2, 4, 5], [2, 2, 1])
    assert engine.vectors.make(limit=0) == Worked(left=5)
    # The oldest first.
    assert embedder.calls[0] == ["fact number0", "fact number1"]
    with pytest.raises(InvalidInputError, match="batch"):
        engine.vectors.make(batch=0)


def test_an_export_and_import_keep_pending_memories_sensible() -> None:
    engine = opened(FakeEmbedder(), FakeClock())
    engine.remember_many(FACTS)
    text = io.StringIO()
    export_to(engine.runtime.store, "default", text)
    lines = text.getvalue().splitlines(keepends=True)
    with_model = opened(FakeEmbedder(), FakeClock())
    import_from(with_model, "default", lines, dry_run=False)
    assert (statuses(with_model), with_model.store.status()["vectors"]) == ({"active": 3}, {"fake:64": 3})
    without = opened("none", FakeClock())
    import_from(without, "default", lines, dry_run=False)
    assert statuses(without) == {"pending_embed": 3}
    # Nobody queued them there; the first worker with an embedder does.
    later = without.within("default")
    later._at.runtime = type(engine.runtime)(without.runtime.store, FakeEmbedder(), clock=FakeClock())
    assert (later.vectors.pending(), later.vectors.make(), later.vectors.pending()) == (3, Worked(embedded=3), 0)
    assert statuses(without) == {"active": 3}
