"""A lock that another connection holds never makes a read wait; a write waits, says so, and gives up.

The lock is held until the end of each test, and the setting allows ten minutes: a read that waited would hang.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from emptied import Emptied

import combray
from combray import Engine, StoreBusyError
from combray.engine import interruptible
from combray.runtime import calls
from combray.stores.postgres import PostgresStore

QUESTION = "Where is the boiler?"
BOILER = "The boiler is in the cellar."


def engine_on(url: str, **options: Any) -> Engine:
    return combray.open(url, embedder="none", worker=False, **options)


@contextmanager
def held(url: str) -> Iterator[None]:
    """Hold the lock of the namespace in another connection."""
    with closing(PostgresStore(url)) as other, other.transaction("default"):
        yield


def test_reads_answer_from_the_last_commit(postgres: Emptied, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_BUSY_TIMEOUT", "600")
    with engine_on(postgres.url) as engine:
        engine.remember(BOILER, importance=4)
    with held(postgres.url), engine_on(postgres.url) as engine:
        (hit,) = engine.recall(QUESTION)
        assert hit.memory.content == BOILER
        assert engine.get(hit.memory.id).content == BOILER
        assert [each.content for each in engine.list()] == [BOILER]
        assert BOILER in engine.context(QUESTION).text
        for _ in range(2):
            # What was shown could not be noted: it is shown again.
            assert BOILER in engine.context(QUESTION, session="s").text
        assert "cellar" in engine.think(QUESTION).answer


def test_a_write_says_that_it_waits_and_gives_up(
    postgres: Emptied, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with engine_on(postgres.url) as engine:
        engine.remember("The piano is tuned in May.")
    monkeypatch.setenv("COMBRAY_BUSY_TIMEOUT", "1.2")
    steps: list[str] = []
    with engine_on(postgres.url) as engine:
        engine.recall("piano")  # opens a connection, which may take longer
        with held(postgres.url), caplog.at_level(logging.WARNING):
            with interruptible(steps.append), pytest.raises(StoreBusyError, match="COMBRAY_BUSY_TIMEOUT"):
                engine.remember(BOILER)
            assert [each for each in steps if "lock" in each] == ["wait for the write lock"]
            assert [each.getMessage() for each in caplog.records if "Waiting up to 1.2 s" in each.getMessage()]
            # The caller can stop it: a step that raises ends the wait.
            with interruptible(stop), pytest.raises(InterruptedError):
                engine.remember(BOILER)
        assert [each.content for each in engine.list()] == ["The piano is tuned in May."]
        assert engine.remember(BOILER).action == "added"


def stop(name: str) -> None:
    if "lock" in name:
        raise InterruptedError


def test_a_write_that_waited_is_made_when_the_lock_is_free(
    postgres: Emptied, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMBRAY_BUSY_TIMEOUT", "600")
    with engine_on(postgres.url) as engine:
        holding = held(postgres.url)
        holding.__enter__()

        def free(name: str) -> None:
            if "lock" in name:
                holding.__exit__(None, None, None)

        with interruptible(free):
            assert engine.remember(BOILER).action == "added"
        assert [each.content for each in engine.list()] == [BOILER]


def test_what_a_read_notes_beside_its_answer_waits_a_moment(postgres: Emptied) -> None:
    with (
        closing(PostgresStore(postgres.url, busy_timeout=600.0)) as store,
        held(postgres.url),
        calls.briefly(),
        pytest.raises(StoreBusyError),
        store.transaction("default"),
    ):
        pass


def test_the_lock_of_another_table_is_waited_for_as_long(postgres: Emptied) -> None:
    """The time of a part ends with the namespace's lock: what follows has the setting's whole time."""
    with closing(PostgresStore(postgres.url, busy_timeout=600.0)) as store, store.transaction("default") as tx:
        ((allowed,),) = tx.session.rows("SELECT current_setting('lock_timeout')")
        assert allowed == "10min"
