"""A turn is stored once, whether a hook captured it or its session file was ingested."""

from __future__ import annotations

import json
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
