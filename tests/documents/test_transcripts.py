"""Transcripts: what was said, by whom, on which line of the file."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

import combray
from combray.documents.files import messages
from combray.testing.fakes import FakeClock


def transcript_lines(text: str) -> list[tuple[int, str]]:
    return [(each.line, each.text) for each in messages(text)]


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


# -- when it was said -----------------------------------------------------------------------------------

SPRING, SUMMER = datetime(2026, 3, 5, 9, 30, tzinfo=UTC), datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    [
        {"timestamp": "2026-03-05T09:30:00.000Z"},
        {"timestamp": "2026-03-05T10:30:00+01:00"},
        {"timestamp": 1772703000},
        {"timestamp": 1772703000000},
        {"created_at": "2026-03-05 09:30"},
    ],
)
def test_a_message_has_its_time_on_the_entry_or_on_the_message(written: dict[str, object]) -> None:
    outside = line(type="message", message={"role": "user", "content": "x"}, **written)
    inside = line(type="message", message={"role": "user", "content": "x", **written})
    assert [each.sent for each in messages(f"{outside}\n{inside}")] == [SPRING, SPRING]


@pytest.mark.parametrize("time", ["soon", "", None, True, [], 1e300, "2026-13-01"])
def test_a_time_that_cannot_be_read_is_none(time: object) -> None:
    assert [each.sent for each in messages(line(role="user", content="x", timestamp=time))] == [None]


def day(month: int, text: str) -> str:
    return line(role="user", content=text, timestamp=f"2026-{month:02}-05T09:30:00Z")


@pytest.mark.parametrize("embedder", ["wordllama", "none"])
def test_chunks_carry_the_times_of_their_messages_and_not_of_the_file(tmp_path: Path, embedder: str) -> None:
    """Issue 14, wrong 10. The file is of June; its messages are of March and April."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "s").mkdir()
    far = " ".join(["and so on"] * 150)
    said = [
        day(3, f"The pond froze {far}"),
        day(4, f"The heron came {far}"),
        line(role="user", content="A swan."),
    ]
    (tmp_path / "s" / "2026-06-01.jsonl").write_text("\n".join(said))
    engine = combray.open(":memory:", embedder=embedder, preset="openclaw", clock=FakeClock(SUMMER.timestamp()))
    engine.documents.index(tmp_path / "notes", sessions=[tmp_path / "s"])
    memories = [engine.get(each.id) for each in engine.list().memories]
    times = sorted((str(each.occurred_from), str(each.occurred_to)) for each in memories)
    assert times[0][0] == str(SPRING)
    assert all(first < "2026-05" for first, _ in times)
    assert times[-1][1].startswith("2026-04-05 09:30")
    (hit,) = engine.recall("pond froze", limit=1, until="2026-03-31")
    assert "froze" in hit.memory.content
    assert not engine.recall("heron", since="2026-06-01")


def test_without_times_a_transcript_has_its_files_date(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "2026-06-01.jsonl").write_text(line(role="user", content="The pond froze"))
    engine = combray.open(":memory:", embedder="none", preset="openclaw")
    engine.documents.index(tmp_path / "notes", sessions=[tmp_path / "s"])
    (hit,) = engine.recall("pond")
    assert (hit.memory.occurred_from, hit.memory.occurred_to) == (datetime(2026, 6, 1, tzinfo=UTC), None)
