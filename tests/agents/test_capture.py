"""Turns are captured once, whatever happens in between."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from client import Client
from tiers import nightly

from combray.agents.beside import TurnQueue
from combray.agents.clients.places import CAPTURE_TOOLS

TURNS = [
    ("user", "I prefer tabs over spaces in this repository."),
    ("assistant", "Noted: tabs it is."),
    ("user", "The build runs on the machine named heron."),
]


def talk(client: Client, start: int = 0, count: int = 3) -> None:
    for number in range(start, start + count):
        role, text = TURNS[number % 3]
        client.say(role, text if number < 3 else f"{text} ({number})", number)


def test_the_turns_of_a_transcript_are_stored_in_the_background_once(tmp_path: Path) -> None:
    client = Client("claude-code", tmp_path)
    talk(client)
    client.process("stop", transcript_path=str(client.transcript))
    client.wait_for(3)
    client.process("stop", transcript_path=str(client.transcript))
    client.process("session-end", transcript_path=str(client.transcript), reason="exit")
    client.work()
    assert client.contents() == [text for _, text in TURNS]
    with client.open() as engine:
        stored = sorted(engine.list(), key=lambda each: each.position or 0)
        assert [(each.kind, each.author, each.trust, each.session) for each in stored] == [
            ("episode", "user", "owner", "s1"),
            ("episode", "assistant", "agent", "s1"),
            ("episode", "user", "owner", "s1"),
        ]
        assert {f"{each.moment:%Y-%m-%d}" for each in stored} == {"2026-11-20"}
        assert stored[0].metadata["client"] == "claude-code"


def test_only_new_turns_are_stored_and_a_resumed_session_repeats_none(tmp_path: Path) -> None:
    client = Client("claude-code", tmp_path)
    talk(client)
    client.hook("stop", transcript_path=str(client.transcript))
    talk(client, 3, 2)
    client.hook("stop", transcript_path=str(client.transcript))
    # A resumed session writes a file of its own that begins with the turns of the old one.
    resumed = Client("claude-code", tmp_path, "s2")
    resumed.transcript.write_bytes(client.transcript.read_bytes())
    talk(resumed, 5, 1)
    resumed.hook("stop", transcript_path=str(resumed.transcript))
    client.work()
    assert len(client.contents()) == len(set(client.contents())) == 6


def test_an_erased_turn_does_not_come_back(tmp_path: Path) -> None:
    client = Client("claude-code", tmp_path)
    talk(client)
    client.hook("stop", transcript_path=str(client.transcript))
    client.work()
    with client.open() as engine:
        engine.erase(next(each.id for each in engine.list() if "heron" in each.content))
    talk(client, 3, 1)
    client.hook("stop", transcript_path=str(client.transcript))
    client.hook("session-end", transcript_path=str(client.transcript))
    client.work()
    assert [each for each in client.contents() if "heron" in each] == []
    assert len(client.contents()) == 3
    assert b"heron" not in b"".join(each.read_bytes() for each in Path(f"{client.store}.hooks").iterdir())


def test_messages_that_a_client_passes_itself_are_stored_once(tmp_path: Path) -> None:
    client = Client("opencode", tmp_path)
    said = [
        {"role": role, "content": text, "timestamp": 1_763_632_800_000 + n}
        for n, (role, text) in enumerate(TURNS)
    ]
    client.hook("stop", messages=said[:2])
    client.hook("stop", messages=said)
    client.hook("pre-compact", messages=said)
    client.work()
    assert client.contents() == [text for _, text in TURNS]


def test_the_last_answer_is_stored_if_there_is_no_transcript(tmp_path: Path) -> None:
    client = Client("gemini-cli", tmp_path)
    for _ in range(2):
        client.hook("stop", prompt=TURNS[0][1], prompt_response=TURNS[1][1], turn_id="t1")
    client.work()
    assert client.contents() == [TURNS[0][1], TURNS[1][1]]


def test_what_hooks_added_is_not_captured(tmp_path: Path) -> None:
    client = Client("claude-code", tmp_path)
    fence = "<memory-bcdfghjklmnp>\nold memory\n</memory-bcdfghjklmnp>"
    client.say("user", f"{fence}\n\nPlease rename the module.", 1)
    client.hook("stop", transcript_path=str(client.transcript))
    client.work()
    assert client.contents() == ["Please rename the module."]


def test_tools_are_captured_only_on_request_and_as_untrusted(tmp_path: Path) -> None:
    client = Client("claude-code", tmp_path)
    call: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_response": {"stdout": "notes.txt"},
    }
    client.hook("tool", **call, tool_use_id="t1")
    client.work()
    assert not client.store.exists()
    client.options = CAPTURE_TOOLS
    for _ in range(2):
        client.hook("tool", **call, tool_use_id="t1")
    client.work()
    with client.open() as engine:
        (stored,) = engine.list()
        assert "notes.txt" in stored.content
        assert stored.trust == "untrusted"


def test_nothing_is_captured_if_that_is_off(tmp_path: Path) -> None:
    client = Client("claude-code", tmp_path)
    client.environment["COMBRAY_HOOK_CAPTURE"] = "false"
    talk(client)
    client.hook("stop", transcript_path=str(client.transcript))
    client.work()
    assert not client.store.exists()


# -- crashes ---------------------------------------------------------------------------------------


LIVES = [(0.02, 0.6, 0.9, 1.1), *nightly([(0.02, 0.3, 0.6, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3)], "more kills")]
"""Seconds after which each worker is killed."""


@pytest.mark.parametrize("lives", LIVES)
def test_kill_9_during_capture_loses_no_queued_turn_and_repeats_none(
    tmp_path: Path, lives: tuple[float, ...]
) -> None:
    client = Client("claude-code", tmp_path)
    queue = TurnQueue(Path(f"{client.store}.hooks") / "queue.jsonl")
    queue.path.parent.mkdir()
    turns = [
        {"id": f"00000000-0000-4000-8000-{n:012d}", "session": "s1", "role": "user", "text": f"Turn number {n}."}
        for n in range(300)
    ]
    queue.append(turns)
    killed = 0
    for delay in lives:
        worker = subprocess.Popen(client.command("work"), env=client.environment)
        try:
            worker.wait(delay)
        except subprocess.TimeoutExpired:
            os.kill(worker.pid, signal.SIGKILL)
            worker.wait()
            killed += 1
    assert killed
    client.work()
    assert sorted(client.contents()) == sorted(str(each["text"]) for each in turns)
    assert not queue.waiting()


def test_a_line_that_was_cut_is_skipped_and_the_next_one_is_whole(tmp_path: Path) -> None:
    queue = TurnQueue(tmp_path / "queue.jsonl")
    queue.append([{"id": "a"}])
    with queue.path.open("ab") as file:
        file.write(b'{"id": "cut of')
    queue.append([{"id": "b"}])
    with queue.working():
        assert [each["id"] for each in queue.take()] == ["a", "b"]


def test_a_queue_that_a_worker_empties_meanwhile_is_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker deletes the file, also between two looks of a hook."""
    queue = TurnQueue(tmp_path / "queue.jsonl")
    monkeypatch.setattr(Path, "exists", lambda self, **_: True)
    assert not queue.waiting()


def test_nothing_is_lost_between_writers_and_a_worker(tmp_path: Path) -> None:
    queue = TurnQueue(tmp_path / "queue.jsonl")
    found: list[str] = []
    writing = True

    def write(name: str) -> None:
        for number in range(50):
            queue.append([{"id": f"{name}{number}"}])

    def work() -> None:
        while writing or queue.waiting():
            with queue.working():
                found.extend(str(each["id"]) for each in queue.take())
                queue.done()

    writers = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    worker = threading.Thread(target=work)
    for each in (*writers, worker):
        each.start()
    for each in writers:
        each.join()
    writing = False
    worker.join()
    assert sorted(found) == sorted(f"{name}{number}" for name in "abc" for number in range(50))


# -- a store that does not work --------------------------------------------------------------------


def test_a_locked_store_delays_nothing_and_loses_no_turn(tmp_path: Path) -> None:
    client = Client("claude-code", tmp_path)
    with client.open() as engine:
        engine.remember("We deploy the billing service on Thursdays.", category="decision")
    lock = sqlite3.connect(client.store, isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    talk(client)
    assert client.hook("stop", transcript_path=str(client.transcript)) == ""
    assert "Thursdays" in client.hook("prompt", prompt="On which day do we deploy the billing service?")
    lock.execute("ROLLBACK")
    lock.close()
    client.work()
    assert len(client.contents()) == 4


def test_a_broken_store_is_logged_and_keeps_the_queue(tmp_path: Path) -> None:
    client = Client("claude-code", tmp_path)
    client.store.write_bytes(b"this is no database" * 100)
    talk(client)
    assert client.hook("session-start") == ""
    assert client.hook("prompt", prompt="What do I prefer, tabs or spaces?") == ""
    assert client.hook("stop", transcript_path=str(client.transcript)) == ""
    client.work()
    assert "prompt: " in client.log()
    assert "tabs" not in client.log()
    client.store.unlink()
    client.work()
    assert len(client.contents()) == 3


@pytest.mark.skipif(os.name == "nt" or not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_fails_no_hook_and_the_turns_are_captured_later(tmp_path: Path) -> None:
    client = Client("claude-code", tmp_path)
    talk(client)
    folder = Path(f"{client.store}.hooks")
    folder.mkdir()
    # Every write to this queue says that there is no room.
    (folder / "queue.jsonl").symlink_to("/dev/full")
    assert client.hook("stop", transcript_path=str(client.transcript)) == ""
    assert "No space left" in client.log()
    (folder / "queue.jsonl").unlink()
    assert client.hook("stop", transcript_path=str(client.transcript)) == ""
    client.work()
    assert len(client.contents()) == 3


def test_a_folder_that_cannot_be_written_fails_no_hook(tmp_path: Path) -> None:
    client = Client("claude-code", tmp_path)
    talk(client)
    Path(f"{client.store}.hooks").write_text("in the way")
    for verb in ("session-start", "prompt", "stop", "pre-compact", "session-end"):
        assert client.process(verb, prompt="Which machine builds?", transcript_path=str(client.transcript)) == ""


def test_past_its_time_a_hook_prints_nothing(tmp_path: Path) -> None:
    client = Client("claude-code", tmp_path)
    with client.open() as engine:
        engine.remember("We deploy on Thursdays.", importance=5)
    client.environment["COMBRAY_HOOK_MILLISECONDS"] = "50"
    assert client.process("session-start") == ""
    assert "took longer than 50 ms" in client.log()
    assert json.loads((tmp_path / "hooks" / "claude-code.json").read_text())["error"]


@pytest.mark.parametrize("session", ["  ", "a\0b", "a\ud800b", "x" * 199 + "  y"])
def test_a_session_of_any_name_does_not_stop_the_queue(tmp_path: Path, session: str) -> None:
    client = Client("claude-code", tmp_path)
    message = {"role": "user", "content": "The kiln is lit on Mondays."}
    client.hook("stop", json.dumps({"session_id": session, "messages": [message]}))
    client.work()
    assert client.contents() == ["The kiln is lit on Mondays."]


def test_turns_of_an_impossible_namespace_do_not_stop_the_queue(tmp_path: Path) -> None:
    client = Client("claude-code", tmp_path)
    client.environment["COMBRAY_NAMESPACE"] = "x" * 201
    client.hook("stop", json.dumps({"session_id": "s1", "messages": [{"role": "user", "content": "One."}]}))
    client.environment["COMBRAY_NAMESPACE"] = "default"
    client.hook("stop", json.dumps({"session_id": "s1", "messages": [{"role": "user", "content": "Two."}]}))
    client.work()
    assert client.contents() == ["Two."]
    assert "1 turns were refused: namespace" in client.log()


def test_a_message_with_an_id_that_is_no_unicode_is_captured(tmp_path: Path) -> None:
    client = Client("claude-code", tmp_path)
    message = {"role": "user", "content": "The kiln is lit on Mondays.", "id": "\ud800"}
    client.hook("stop", json.dumps({"session_id": "s1", "messages": [message]}))
    client.work()
    assert client.contents() == ["The kiln is lit on Mondays."]
