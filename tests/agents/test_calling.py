"""The short way of a hook: a card says where the resident process listens, so nothing else need be loaded."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from client import QUESTION, Client, pids, with_resident

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs Unix sockets")


def cards(client: Client) -> list[Path]:
    return sorted((client.folder / "hooks").glob("*.card"))


def ask(client: Client) -> str:
    """The answer of a session's first prompt, which repeats nothing."""
    client.session = f"{client.session}x"
    return client.process("prompt", prompt=QUESTION)


def until_a_card(client: Client) -> None:
    """Call until the resident process answers; then there is a card."""
    end = time.monotonic() + 120
    while not cards(client):
        assert time.monotonic() < end
        ask(client)


def card_of(client: Client) -> Path:
    """The card of a prompt in the client's environment."""
    code = "import sys; from combray.agents.calling import _card; print(_card(sys.argv[1:]))"
    called = [sys.executable, "-c", code, *client.command("prompt")[4:]]
    return Path(
        subprocess.run(called, capture_output=True, env=client.environment, check=True, text=True).stdout[:-1]
    )


@pytest.fixture
def client() -> Iterator[Client]:
    # The path of a Unix socket has 107 bytes at most.
    with (
        tempfile.TemporaryDirectory(prefix="c", ignore_cleanup_errors=True) as folder,
        with_resident(Path(folder)) as client,
    ):
        yield client


def loaded(client: Client) -> set[str]:
    """The modules that a prompt's hook has loaded when it ends."""
    code = (
        "import os, sys\n"
        "end = os._exit\n"
        "def told(code):\n"
        "    sys.stderr.write(' '.join(sys.modules)); sys.stderr.flush(); end(code)\n"
        "os._exit = told\n"
        "from combray.interfaces.cli import main\n"
        "main(sys.argv[1:])\n"
    )
    called = [sys.executable, "-c", code, *client.command("prompt")[3:]]
    sent = json.dumps({"session_id": f"{client.session}y", "prompt": QUESTION}).encode()
    done = subprocess.run(
        called, input=sent, capture_output=True, timeout=120, env=client.environment, check=True
    )
    assert b"Thursdays" in done.stdout
    return set(done.stderr.decode().split())


def test_with_a_card_the_answer_is_the_same_and_neither_settings_nor_engine_are_loaded(client: Client) -> None:
    first = ask(client)
    assert "Thursdays" in first
    until_a_card(client)
    assert ask(client) == first
    heavy = {"combray.settings", "msgspec", "pathlib", "typing", "click", "numpy", "sqlite3", "combray.engine"}
    assert loaded(client) & heavy == set()
    report = json.loads((client.folder / "hooks" / "claude-code.json").read_text())
    assert (report["verb"], report["error"]) == ("prompt", "")
    assert client.log() == ""


def test_a_change_of_the_settings_is_not_missed(client: Client) -> None:
    until_a_card(client)
    (client.folder / "combray.toml").write_text('namespace = "elsewhere"\n')
    assert ask(client) == ""
    del client.environment["COMBRAY_HOOK_RESIDENT"]
    (client.folder / "combray.toml").unlink()
    client.environment["COMBRAY_NAMESPACE"] = "elsewhere"
    assert ask(client) == ""
    del client.environment["COMBRAY_NAMESPACE"]
    assert "Thursdays" in ask(client)


def test_a_card_of_a_process_that_is_gone_is_removed_and_the_hook_answers(client: Client) -> None:
    until_a_card(client)
    (pid,) = pids(client)
    os.kill(pid, signal.SIGKILL)
    while pids(client):
        time.sleep(0.01)  # it still accepts calls until it has ended
    (card,) = cards(client)
    assert "Thursdays" in ask(client)
    assert not card.exists()


def test_a_broken_card_changes_nothing(client: Client) -> None:
    until_a_card(client)
    (card,) = cards(client)
    for content in ("", "{}", "[1]", '["nowhere", 2]', '["nowhere", "long"]', "[[], 2]"):
        card.write_text(content)
        assert "Thursdays" in ask(client), content


def test_a_process_that_does_not_answer_holds_a_hook_no_longer_than_it_may_take(client: Client) -> None:
    until_a_card(client)
    (pid,) = pids(client)
    (card,) = cards(client)
    place, _ = json.loads(card.read_text())
    # The time is a setting like others: it has a card of its own. Here it is too short to come by that card.
    client.environment["COMBRAY_HOOK_MILLISECONDS"] = "1000"
    card_of(client).write_text(json.dumps([place, 1.0]))
    os.kill(pid, signal.SIGSTOP)
    # The process never answers: a hook that waited for it would not end.
    assert ask(client) == ""
    assert "took longer than 1000 ms" in client.log()
    os.kill(pid, signal.SIGCONT)
