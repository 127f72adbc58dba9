"""The process that keeps the store open: same answers, no process left behind, and hooks work without it."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from client import QUESTION, Client, pids, with_resident

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs Unix sockets")


def sockets(client: Client) -> list[Path]:
    return list(Path(f"{client.store}.hooks").glob("*.sock"))


def wait(client: Client, what: Callable[[], object], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, client.log()
        time.sleep(0.05)


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder with a short name: the path of a Unix socket has 107 bytes at most."""
    with tempfile.TemporaryDirectory(prefix="c", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture
def client(short_path: Path) -> Iterator[Client]:
    with with_resident(short_path) as client:
        yield client


def test_the_resident_process_gives_the_same_answer_and_sees_what_is_written(client: Client) -> None:
    first = client.process("prompt", prompt=QUESTION)
    wait(client, lambda: sockets(client))
    client.session = "s2"
    assert client.process("prompt", prompt=QUESTION) == first
    assert client.process("prompt", prompt=QUESTION) == ""
    with client.open() as engine:
        engine.remember("The billing service moved its deploy day to Friday.", category="decision")
    assert "Friday" in client.process("prompt", prompt=QUESTION)
    client.say("user", "The staging host is called heron.", 1)
    client.process("stop", transcript_path=str(client.transcript))
    client.wait_for(3)
    assert len(pids(client)) == 1
    assert client.log() == ""


def test_a_killed_resident_process_is_replaced(client: Client) -> None:
    client.process("session-start")
    wait(client, lambda: sockets(client))
    (pid,) = pids(client)
    os.kill(pid, signal.SIGKILL)
    wait(client, lambda: not pids(client))
    assert "Thursdays" in client.process("prompt", prompt=QUESTION)
    wait(client, lambda: pids(client))
    assert pids(client) != [pid]


def test_it_ends_when_nobody_calls_and_when_the_store_is_gone(client: Client) -> None:
    client.environment["COMBRAY_HOOK_RESIDENT"] = "3"
    client.process("session-start")
    # It may be gone again before anybody looks; its lock says that it was there.
    wait(client, lambda: any(each.read_text() for each in Path(f"{client.store}.hooks").glob("*.lock")))
    wait(client, lambda: not pids(client))
    assert sockets(client) == []
    client.environment["COMBRAY_HOOK_RESIDENT"] = "120"
    client.process("session-start")
    wait(client, lambda: sockets(client))
    client.store.unlink()
    wait(client, lambda: not pids(client))


def test_a_stopped_resident_process_delays_a_hook_no_longer_than_it_may_take(client: Client) -> None:
    client.process("session-start")
    wait(client, lambda: sockets(client))
    (pid,) = pids(client)
    os.kill(pid, signal.SIGSTOP)
    client.environment["COMBRAY_HOOK_MILLISECONDS"] = "60000"
    client.say("user", "The staging host is called heron.", 1)
    start = time.monotonic()
    assert client.process("stop", transcript_path=str(client.transcript)) == ""
    # Not a minute: it asks, and leaves the rest to the process.
    assert time.monotonic() - start < 50
    os.kill(pid, signal.SIGCONT)
    client.wait_for(2)


def test_where_the_engine_loads_too_slowly_the_next_hook_answers(client: Client) -> None:
    client.environment["COMBRAY_HOOK_MILLISECONDS"] = "50"
    # A hook that cannot start the process leaves that to the next one.
    next_at = time.monotonic()

    def hooks_come() -> bool:
        nonlocal next_at
        if time.monotonic() >= next_at:
            assert client.process("prompt", prompt=QUESTION) == ""
            next_at = time.monotonic() + 30
        return bool(sockets(client))

    wait(client, hooks_come)
    (pid,) = pids(client)
    client.environment["COMBRAY_HOOK_MILLISECONDS"] = "60000"
    assert "Thursdays" in client.process("prompt", prompt=QUESTION)
    assert pids(client) == [pid]


def test_another_configuration_has_its_own_process(client: Client) -> None:
    client.process("session-start")
    wait(client, lambda: len(sockets(client)) == 1)
    client.environment["COMBRAY_CONTEXT_BUDGET"] = "200"
    client.process("session-start")
    wait(client, lambda: len(sockets(client)) == 2)


def test_only_the_owner_can_call(client: Client) -> None:
    client.process("session-start")
    wait(client, lambda: sockets(client))
    assert Path(f"{client.store}.hooks").stat().st_mode & 0o077 == 0
