"""The durable queue of turns: read once, in the transaction that stores what was answered."""

from __future__ import annotations

from typing import Any

import pytest
from reading import PORTO, Reader, facts, opened, texts

import combray
from combray.conversation import extraction, extraction_facts
from combray.conversation.extraction_batches import first_batch
from combray.errors import DiskFullError, InvalidInputError
from combray.runtime.background import new_holder
from combray.runtime.queue import EXTRACTION
from combray.testing.fakes import FakeClock


def test_messages_leave_facts_with_their_turns_as_evidence() -> None:
    with opened(Reader(PORTO)) as engine:
        done = engine.extract(
            [
                {"role": "system", "content": "You are helpful."},
                {"role": "user", "content": "I live in Porto."},
                {"role": "assistant", "content": [{"type": "text", "text": "A fine city."}, {"type": "image"}]},
            ]
        )
        (fact,) = facts(engine)
        assert done.facts == (fact.id,)
        assert (done.read, done.left, len(done.turns)) == (1, 0, 2)
        assert (fact.content, fact.evidence, fact.trust) == ("User lives in Porto", done.turns[:1], "owner")
        assert [each.trust for each in map(engine.get, done.turns)] == ["owner", "agent"]


@pytest.mark.parametrize("messages", ["text", {"role": "user"}, [3], [None]])
def test_messages_of_another_form_are_an_error(messages: Any) -> None:
    with opened(Reader()) as engine, pytest.raises(InvalidInputError, match="messages"):
        engine.extract(messages)


def test_without_a_model_turns_wait_and_a_later_one_reads_them() -> None:
    with opened(None) as engine:
        done = engine.extract(["I live in Porto."])
        assert (done.left, done.stopped) == (1, "no language model is configured; the turns wait")
        engine._at.runtime = combray.records.replace(engine.runtime, language_model=Reader(PORTO))
        assert engine.extract().read == 1
        assert texts(engine) == ["User lives in Porto"]


@pytest.mark.parametrize(
    ("setting", "given", "read"),
    [
        ("model", None, True),
        ("model", "off", False),
        ("model", "rules", False),
        ("off", None, False),
        ("rules", None, False),
        ("off", "model", True),
    ],
)
def test_who_reads_a_turn(setting: str, given: str | None, read: bool) -> None:
    with opened(Reader(PORTO), extract=setting) as engine:
        engine.conversation("s").add("I live in Porto.", author="user", extract=given)
        engine.consolidation.run()
        engine.extraction.read()
        assert (texts(engine) == ["User lives in Porto"]) == read


def test_an_unknown_way_is_an_error_and_stores_nothing() -> None:
    with opened(Reader()) as engine:
        with pytest.raises(InvalidInputError, match="extract"):
            engine.conversation("s").add("I live in Porto.", extract="sometimes")
        assert engine.conversation("s").turns() == []


def test_a_turn_that_spoils_every_answer_ends_alone_and_is_set_aside() -> None:
    clock = FakeClock()
    model = Reader({f"I own bike {n}.": f"User owns bike {n}" for n in range(10)})
    model.then = lambda answer, prompt: "I refuse." if "bike 4" in prompt else answer
    with opened(model, clock) as engine:
        talk = engine.conversation("s")
        for number in range(10):
            talk.add(f"I own bike {number}.", author="user")
        for _ in range(4):
            engine.extraction.read()
            clock.pass_(hours=2)
        assert len(texts(engine)) == 9
        (given_up,) = engine.extraction.set_aside()
        assert (given_up.memory.content, given_up.attempts) == ("I own bike 4.", 3)
        assert "no JSON object" in given_up.error
        assert engine.extraction.status()["set_aside"] == 1
        calls = len(model.prompts)
        engine.extraction.read()
        assert len(model.prompts) == calls, "what was set aside costs nothing"
        model.then = lambda answer, _prompt: answer
        assert engine.vectors.retry_failed() == 1
        engine.extraction.read()
        assert len(texts(engine)) == 10


def test_an_outage_sets_nothing_aside() -> None:
    clock, model = FakeClock(), Reader(PORTO)

    def down(*_: Any) -> Any:
        raise ConnectionError("refused")

    model.then = down
    with opened(model, clock) as engine:
        engine.conversation("s").add("I live in Porto.", author="user")
        for _ in range(6):
            done = engine.extraction.read()
            clock.pass_(hours=2)
        assert (done.stopped, done.left, done.set_aside) == ("the language model does not answer", 1, 0)
        model.then = lambda answer, _prompt: answer
        assert engine.extraction.read().read == 1


def test_retries_wait_longer_each_time() -> None:
    clock, model = FakeClock(), Reader()
    model.then = lambda *_: "no"
    with opened(model, clock) as engine:
        engine.conversation("s").add("I live in Porto.", author="user")
        pauses = []
        for _ in range(2):
            engine.extraction.read()
            (job,) = engine.reader.queue.jobs(EXTRACTION)
            pauses.append(job.next_at - clock())
            assert engine.extraction.read().calls == 0, "not due yet"
            clock.pass_(hours=1)
        assert 60 <= pauses[0] <= 75
        assert 240 <= pauses[1] <= 300


def test_facts_and_marks_are_written_together_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(Reader(PORTO)) as engine:
        engine.conversation("s").add("I live in Porto.", author="user")
        with monkeypatch.context() as patch:

            def full(*_: Any) -> None:
                raise DiskFullError("no room")

            patch.setattr(extraction_facts, "enter", full)
            with pytest.raises(DiskFullError):
                engine.extraction.read()
        assert texts(engine) == []
        status = engine.extraction.status()
        assert (status["waiting"], status["read"], status["calls"]) == (1, 0, 1), "the call was made, and counts"
        engine.extraction.read()
        assert texts(engine) == ["User lives in Porto"]


def test_a_turn_that_changes_while_it_is_read_is_read_again() -> None:
    model = Reader({**PORTO, "I live in Lisbon.": "User lives in Lisbon"})
    with opened(model) as engine:
        turn = engine.conversation("s").add("I live in Porto.", author="user")

        def changing(answer: dict[str, Any], _prompt: str) -> dict[str, Any]:
            if len(model.prompts) == 1:
                engine.update(turn.id, content="I live in Lisbon.")
            return answer

        model.then = changing
        engine.extraction.read()
        assert texts(engine) == ["User lives in Lisbon"]
        assert engine.extraction.status()["calls"] == 2


def test_a_turn_that_is_erased_while_it_is_read_leaves_nothing() -> None:
    model = Reader(PORTO)
    with opened(model) as engine:
        turn = engine.conversation("s").add("I live in Porto.", author="user")
        model.then = lambda answer, _prompt: (engine.erase(turn.id), answer)[1]
        engine.extraction.read()
        assert facts(engine) == []
        assert engine.reader.queue.jobs(EXTRACTION) == []


def test_a_turn_that_is_erased_before_it_is_read_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Reader(PORTO)
    with opened(model) as engine:
        turn = engine.conversation("s").add("I live in Porto.", author="user")

        def late(*arguments: Any) -> Any:
            engine.erase(turn.id)
            return first_batch(*arguments)

        monkeypatch.setattr(extraction, "first_batch", late)
        assert engine.extraction.read().read == 0
        assert engine.reader.queue.jobs(EXTRACTION) == []


def test_jobs_of_a_dead_process_are_taken_over() -> None:
    with opened(Reader(PORTO)) as engine:
        engine.conversation("s").add("I live in Porto.", author="user")
        host, _, rest = new_holder().rpartition(":")[0].rpartition(":")
        del rest
        now = engine.runtime.clock()
        with engine.runtime.store.transaction(engine.namespace) as tx:
            assert len(tx.queue.take(EXTRACTION, f"{host}:999999999:dead", now + 60, now + 9000, 9)) == 1
        assert engine.extraction.read().read == 1


def test_an_interrupted_call_leaves_the_turn_as_it_was() -> None:
    model = Reader(PORTO)

    def stop(*_: Any) -> Any:
        raise KeyboardInterrupt

    model.then = stop
    with opened(model) as engine:
        engine.conversation("s").add("I live in Porto.", author="user")
        with pytest.raises(KeyboardInterrupt):
            engine.extraction.read()
        (job,) = engine.reader.queue.jobs(EXTRACTION)
        assert (job.attempts, job.holder, job.done) == (0, "", 0.0)


def test_a_run_reads_so_many_turns_and_the_next_goes_on() -> None:
    model = Reader({f"I own bike {n}.": f"User owns bike {n}" for n in range(10)})
    with opened(model) as engine:
        engine.conversation("s").add_many([{"text": f"I own bike {n}.", "author": "user"} for n in range(10)])
        assert [engine.extraction.read(limit=4).read for _ in range(4)] == [4, 4, 2, 0]
        assert len(texts(engine)) == 10
