"""Transcripts of clients, as their files look."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from combray.agents.capture import from_messages, read_transcript


def claude(kind: str, uuid: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": kind, "uuid": uuid, "message": {"role": kind, "content": content}, **more}


def codex(role: str, part: str, text: str) -> dict[str, Any]:
    payload = {"type": "message", "role": role, "content": [{"type": part, "text": text}]}
    return {"timestamp": "2026-01-02T03:04:05Z", "type": "response_item", "payload": payload}


CLAUDE = [
    {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
    claude("user", "m", "Caveat: …", isMeta=True),
    claude("user", "c", "<command-name>/clear</command-name>"),
    claude("user", "u1", "Hi.", timestamp="2026-01-02T03:04:05Z"),
    claude("assistant", "a1", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Yes."}]),
    claude("assistant", "a2", [{"type": "tool_use", "input": {}}]),
    claude("user", "t1", [{"type": "tool_result", "content": "no"}]),
    claude("user", "s", "Summary", isCompactSummary=True),
    claude("assistant", "z", "Side", isSidechain=True),
    claude("user", "u2", "<system-reminder>do</system-reminder>Bye."),
]
CODEX = [
    {"timestamp": "2026-01-02T03:04:05Z", "type": "session_meta", "payload": {"id": "x"}},
    codex("developer", "input_text", "rules"),
    codex("user", "input_text", "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"),
    codex("user", "input_text", "Hi."),
    {"type": "event_msg", "payload": {"type": "user_message", "message": "Hi."}},
    {"type": "response_item", "payload": {"type": "function_call", "name": "shell"}},
    codex("assistant", "output_text", "Yes."),
    codex("user", "input_text", "Bye."),
]
CURSOR = [
    {"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>\nHi.\n</user_query>"}]}},
    {"role": "assistant", "message": {"content": [{"type": "text", "text": "Yes."}]}},
    {"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>Bye.</user_query>"}]}},
]
SAID = [("user", "Hi."), ("assistant", "Yes."), ("user", "Bye.")]


def written(folder: Path, entries: list[dict[str, Any]]) -> Path:
    place = folder / "t.jsonl"
    place.write_text("".join(json.dumps(each) + "\n" for each in entries))
    return place


@pytest.mark.parametrize("entries", [CLAUDE, CODEX, CURSOR], ids=["claude-code", "codex", "cursor"])
def test_lines_of_a_client_are_its_turns(entries: list[dict[str, Any]], tmp_path: Path) -> None:
    place = written(tmp_path, entries)
    found, end = read_transcript(place, 0)
    assert [(each.role, each.text) for each in found] == SAID
    assert end == place.stat().st_size
    assert len({each.key for each in found}) == 3
    assert read_transcript(place, end) == ([], end)


def test_one_document_is_read_as_gemini_cli_writes_it(tmp_path: Path) -> None:
    place = tmp_path / "t.json"
    messages = [
        {"id": str(n), "type": {"assistant": "gemini"}.get(r, r), "content": t} for n, (r, t) in enumerate(SAID)
    ]
    place.write_text(json.dumps({"sessionId": "x", "messages": messages}, indent=2))
    assert [(each.role, each.text) for each in read_transcript(place, 0)[0]] == SAID


def test_a_line_that_is_being_written_waits(tmp_path: Path) -> None:
    place = written(tmp_path, CLAUDE[3:4])
    whole = place.stat().st_size
    with place.open("a") as file:
        file.write('{"type": "user", "message": {"role": "user", "con')
    found, end = read_transcript(place, 0)
    assert (len(found), end) == (1, whole)


def test_a_file_that_became_shorter_is_read_from_its_start(tmp_path: Path) -> None:
    place = written(tmp_path, CLAUDE[3:4])
    assert len(read_transcript(place, 10_000)[0]) == 1


def test_the_same_words_twice_are_two_turns_and_keep_their_keys() -> None:
    said = [
        {"role": "user", "content": "yes"},
        {"role": "assistant", "content": "ok"},
        {"role": "user", "content": "yes"},
    ]
    keys = [each.key for each in from_messages(said)]
    assert len(set(keys)) == 3
    assert [each.key for each in from_messages([*said, {"role": "user", "content": "no"}])][:3] == keys


def test_the_same_words_in_a_later_part_of_a_file_are_a_further_turn(tmp_path: Path) -> None:
    """Cursor gives its lines no id and no time."""
    lines = [{"role": "user", "message": {"content": "Run the tests."}}]
    place = written(tmp_path, lines)
    first, end = read_transcript(place, 0)
    written(tmp_path, [*lines, *lines])
    known = {each.key for each in first}
    (again,), _ = read_transcript(place, end, known.__contains__)
    assert again.key not in known
    assert [each.key for each in read_transcript(place, 0, known.__contains__)[0]] == [first[0].key, again.key]


def test_wrong_messages_are_skipped() -> None:
    wrong: list[Any] = [{}, {"role": 3}, {"role": "user"}, {"role": "user", "content": {}}, {"type": "system"}]
    assert from_messages(wrong) == []
