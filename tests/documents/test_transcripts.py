"""Transcripts: what was said, by whom, on which line of the file."""

from __future__ import annotations

import json

from combray.documents.transcripts import transcript_lines


def line(**fields: object) -> str:
    return json.dumps(fields)


def test_only_what_people_and_assistants_said_is_taken_with_its_line() -> None:
    text = "\n".join(
        [
            line(type="session", id="s1"),
            line(
                type="message", message={"role": "user", "content": [{"type": "text", "text": "Where\n is it?"}]}
            ),
            line(type="message", message={"role": "toolResult", "content": [{"type": "text", "text": "secret"}]}),
            line(
                type="message",
                message={
                    "role": "assistant",
                    "content": [{"type": "thinking", "text": "hm"}, {"type": "text", "text": "In Hanoi."}],
                },
            ),
            "",
            line(role="user", content="Thanks"),
            line(role="user", content="  "),
            line(role="assistant", content=[{"type": "toolCall"}]),
        ]
    )
    assert transcript_lines(text) == [(2, "User: Where is it?"), (4, "Assistant: In Hanoi."), (6, "User: Thanks")]


def test_broken_lines_are_passed_over() -> None:
    deep = "[" * 5000 + "]" * 5000
    said = line(role="user", content="kept")
    broken = ["{", "null", "[]", '"x"', "12", line(role=5, content=5), line(message=None), deep]
    assert transcript_lines("\n".join([*broken, said, said[:10]])) == [(9, "User: kept")]


def test_secrets_are_taken_out_before_lines_are_joined() -> None:
    key = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----"
    text = line(role="user", content=f"my key:\n{key}\nand PASSWORD=hunter2x")
    assert transcript_lines(text) == [
        (1, "User: my key: [redacted private key] and PASSWORD=[redacted password]")
    ]
