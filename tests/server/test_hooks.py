"""Hooks of agent clients on a server, with a key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from client import QUESTION, Client
from ports import free_port
from serving import SECONDS, Served, serving, started

import combray
from combray.server.access import KeyedAccess
from combray.server.keys import KeyRing

FACT = "We deploy the billing service on Tuesdays."


class RemoteClient(Client):
    """A client whose hooks name the address of a server."""

    url = ""

    def command(self, verb: str) -> list[str]:
        return [*super().command(verb)[:-2], "--db", self.url]


@contextmanager
def connected(folder: Path) -> Iterator[tuple[RemoteClient, Served]]:
    ring = KeyRing(folder / "keys.json")
    made = ring.create("agent", "write", ("default",))
    with serving(folder / "a.db", access=KeyedAccess(ring)) as served:
        client = RemoteClient("claude-code", folder)
        client.url = f"http://127.0.0.1:{served.port}"
        client.environment |= {"COMBRAY_SERVER_KEY": made.text}
        yield client, served


def test_memories_reach_a_prompt_and_the_start_of_a_session(tmp_path: Path) -> None:
    with connected(tmp_path) as (client, served):
        served.engine.remember(FACT, importance=5)
        started = client.hook("session-start", source="startup")
        assert "1 memories" in started
        assert "on Tuesdays" in started
        # The digest showed it, so the prompt does not.
        assert "on Tuesdays" not in client.hook("prompt", prompt=QUESTION)
        client.hook("pre-compact", transcript_path=str(client.transcript))
        assert "on Tuesdays" in client.hook("prompt", prompt=QUESTION)
        other = RemoteClient("claude-code", tmp_path, "s2")
        other.url, other.environment = client.url, client.environment
        assert "on Tuesdays" in other.hook("prompt", prompt=QUESTION)


def test_turns_are_captured_once(tmp_path: Path) -> None:
    with connected(tmp_path) as (client, served):
        client.say("user", "The build runs on the machine named heron.", 1)
        for _ in range(2):
            client.hook("stop", transcript_path=str(client.transcript))
            client.work()
        (turn,) = served.engine.list()
        assert (turn.kind, turn.author, turn.session) == ("episode", "user", "s1")


def test_turns_wait_for_a_server_that_is_away(tmp_path: Path) -> None:
    client = RemoteClient("claude-code", tmp_path)
    port = free_port()
    client.url = f"http://127.0.0.1:{port}"
    client.environment |= {"COMBRAY_BUSY_TIMEOUT": "0.1"}
    client.say("user", "The build runs on the machine named heron.", 1)
    assert client.hook("stop", transcript_path=str(client.transcript)) == ""
    client.work()
    assert client.hook("prompt", prompt=QUESTION) == ""
    process, _ = started(tmp_path / "a.db", port=port)
    client.work()
    process.terminate()
    process.wait(SECONDS)
    with combray.open(tmp_path / "a.db", worker=False) as engine:
        assert [each.content for each in engine.list()] == ["The build runs on the machine named heron."]


@pytest.mark.parametrize("key", ["", "cmb_000000000000_0000"])
def test_without_a_key_that_is_valid_nothing_is_shown(tmp_path: Path, key: str) -> None:
    with connected(tmp_path) as (client, served):
        served.engine.remember(FACT)
        client.environment["COMBRAY_SERVER_KEY"] = key
        assert client.hook("prompt", prompt=QUESTION) == ""
