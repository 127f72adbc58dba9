"""A turn is stored once, whether a hook captured it or its session file was ingested."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from client import Client

from combray.transfer import ingest

SAID = [("user", "Atlas ships in June."), ("assistant", "Noted."), ("user", "The build runs on heron.")]


def claude_code(session: str) -> str:
    lines = [
        {
            "type": role,
            "uuid": f"00000000-0000-4000-8000-{number:012d}",
            "sessionId": session,
            "timestamp": f"2026-11-20T10:00:0{number}.000Z",
            "message": {"role": role, "content": text},
        }
        for number, (role, text) in enumerate(SAID)
    ]
    return "".join(json.dumps(each) + "\n" for each in lines)


def codex(session: str) -> str:
    lines = [{"timestamp": "2026-11-20T10:00:00Z", "type": "session_meta", "payload": {"id": session}}]
    for number, (role, text) in enumerate(SAID):
        part = {"type": "output_text" if role == "assistant" else "input_text", "text": text}
        payload = {"type": "message", "role": role, "content": [part]}
        lines.append({"timestamp": f"2026-11-20T10:00:0{number}Z", "type": "response_item", "payload": payload})
    return "".join(json.dumps(each) + "\n" for each in lines)


@pytest.mark.parametrize(("name", "write"), [("claude-code", claude_code), ("codex", codex)])
def test_what_a_hook_captured_is_not_ingested_again(tmp_path: Path, name: str, write: object) -> None:
    assert callable(write)
    client = Client(name, tmp_path)
    client.transcript.write_text(write("s1"))
    client.hook("stop", transcript_path=str(client.transcript))
    client.work()
    with client.open() as engine:
        report = ingest(engine, client.transcript)
        assert (report.turns, report.known, report.memories) == (3, 3, 0)


@pytest.mark.parametrize(("name", "write"), [("claude-code", claude_code), ("codex", codex)])
def test_what_was_ingested_is_not_captured_again(tmp_path: Path, name: str, write: object) -> None:
    assert callable(write)
    client = Client(name, tmp_path)
    client.transcript.write_text(write("s1"))
    with client.open() as engine:
        assert ingest(engine, client.transcript).memories == 3
        assert [each.trust for each in engine.list(order="position")] == ["owner", "agent", "owner"]
    client.hook("stop", transcript_path=str(client.transcript))
    client.work()
    assert sorted(client.contents()) == sorted(text for _, text in SAID)


def test_what_the_plugin_of_opencode_captured_is_not_ingested_again(tmp_path: Path) -> None:
    database = tmp_path / "opencode.db"
    said_at = 1_780_000_000_000
    with closing(sqlite3.connect(database)) as made, made:
        made.execute("CREATE TABLE session (id, parent_id, title, time_created)")
        made.execute("CREATE TABLE message (id, session_id, time_created, data)")
        made.execute("CREATE TABLE part (id, message_id, session_id, time_created, data)")
        made.execute("INSERT INTO session VALUES ('s1', NULL, 'Atlas', ?)", (said_at,))
        for number, (role, text) in enumerate(SAID):
            document = json.dumps({"role": role, "time": {"created": said_at + number}})
            made.execute("INSERT INTO message VALUES (?, 's1', ?, ?)", (str(number), said_at + number, document))
            part = json.dumps({"type": "text", "text": text})
            made.execute("INSERT INTO part VALUES (?, ?, 's1', 0, ?)", (f"p{number}", str(number), part))
    client = Client("opencode", tmp_path)
    messages = [
        {"role": role, "content": text, "timestamp": said_at + number} for number, (role, text) in enumerate(SAID)
    ]
    client.hook("stop", messages=messages)
    client.work()
    with client.open() as engine:
        report = ingest(engine, database)
        assert (report.turns, report.known, report.memories) == (3, 3, 0)


def test_a_long_turn_that_a_hook_captured_is_not_ingested_in_parts(tmp_path: Path) -> None:
    client = Client("claude-code", tmp_path)
    client.transcript.write_text(claude_code("s1").replace("The build", "The harbour crane lifts. " * 400))
    client.hook("stop", transcript_path=str(client.transcript))
    client.work()
    with client.open() as engine:
        assert ingest(engine, client.transcript).memories == 0
