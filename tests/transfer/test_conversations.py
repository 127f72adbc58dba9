"""Transcripts in three shapes, and their turns as episodes."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from rememberer import SmallEngine

from combray.errors import InvalidInputError
from combray.runtime import Filter
from combray.transfer import ConversationFile, Turn, ingest, read_conversations
from combray.transfer.turns import pieces
from combray.types import Memory

SESSIONS = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ann",
        "session_10": [{"speaker": "Ann", "dia_id": "D10:1", "text": "Later."}],
        "session_10_date_time": "1:14 pm on 25 May, 2023",
        "session_2": [
            {"speaker": "Ann", "dia_id": "D2:1", "text": "Look!", "blip_caption": "a cat", "img_url": ["x"]},
            {"speaker": "Bob", "dia_id": "D2:2", "text": "", "blip_caption": "a dog"},
        ],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_11_date_time": "1:56 pm on 9 June, 2023",
    },
    "qa": [{"question": "?", "answer": "secret"}],
}
HAYSTACK = {
    "question_id": "q1",
    "answers": ["secret"],
    "haystack_dates": ["2023/08/02 (Wed) 05:58", "2023/07/12 (Wed) 10:14"],
    "haystack_session_ids": ["second", "first"],
    "haystack_sessions": [
        [{"role": "user", "content": "Hello again", "has_answer": True}],
        [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": " "}],
    ],
}


def write(folder: Path, value: Any, name: str = "talk.json") -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def read(folder: Path, value: Any) -> list[ConversationFile]:
    return list(read_conversations(write(folder, value)))


def stored(engine: SmallEngine) -> list[Memory]:
    reader = engine.store.reader(engine.namespace)
    return reader.memories(sorted(reader.scan(Filter())))


def test_sessions_by_number_with_their_dates_and_captions(tmp_path: Path) -> None:
    (found,) = read(tmp_path, [SESSIONS])
    may = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert found.name == "conv-1"
    assert list(found.turns) == [
        Turn("session_2", "Look!", "Ann", may, "a cat", {"dia_id": "D2:1"}),
        Turn("session_2", "a dog", "Bob", may, "", {"dia_id": "D2:2"}),
        Turn("session_10", "Later.", "Ann", datetime(2023, 5, 25, 13, 14, tzinfo=UTC), "", {"dia_id": "D10:1"}),
    ]


def test_a_haystack_by_date_without_its_answers(tmp_path: Path) -> None:
    (found,) = read(tmp_path, HAYSTACK)
    assert [(each.session, each.author, each.text) for each in found.turns] == [
        ("first", "user", "Hello"),
        ("second", "user", "Hello again"),
    ]
    assert found.turns[0].occurred_at == datetime(2023, 7, 12, 10, 14, tzinfo=UTC)
    assert found.turns[1].metadata == {"turn": 1}


def test_plain_lines_with_any_of_their_names(tmp_path: Path) -> None:
    lines = [
        {"text": "a", "author": "Ann", "session": 7, "occurred_at": "2024-01-02T03:04:05Z", "id": "t1"},
        {"content": "b", "role": "user", "timestamp": 0, "metadata": {"x": 1}, "caption": "a cat"},
        {"text": "c", "speaker": "Bob"},
    ]
    (found,) = read(tmp_path, "\n".join(map(json.dumps, lines)))
    assert found.name == "talk"
    assert list(found.turns) == [
        Turn("7", "a", "Ann", datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC), "", {"id": "t1"}),
        Turn("session", "b", "user", datetime(1970, 1, 1, tzinfo=UTC), "a cat", {"x": 1}),
        Turn("session", "c", "Bob"),
    ]
    assert read(tmp_path, lines) == [found]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ('{"text": "a"}\n{"author": "Ann"}\n{"text": 5}', "line 2: text: .* got None.*; line 3: text: .* got 5"),
        ('{"text": "a"}\n{oops\n', "line 2: {oops is not valid JSON"),
        ('{"text": "a", "occurred_at": "someday"}', "line 1: occurred_at: .*someday"),
        ('{"text": "a", "session": []}', "session"),
        ("", "contains no turns"),
        ([], "contains no turns"),
        ([SESSIONS, {"text": "a"}], "mixes"),
        ({"insights": []}, "combray import"),
        ({"conversation": {}}, 'line 1: conversation: has no "session_1"'),
        ([SESSIONS, {"conversation": {}}], r"conversation 2 \(talk-2\): .*session_1"),
        ({"conversation": {"session_1": [5]}}, "session_1, turn 1"),
        ({"conversation": {"session_1": [{"speaker": "Ann"}]}}, "must have a text or a caption"),
        ({"conversation": {"session_1": 5}}, "must be a list, got 5"),
        ({**HAYSTACK, "haystack_dates": ["x"]}, "one entry per session .2., got 1"),
        ({**HAYSTACK, "haystack_dates": ["x", "y"]}, "cannot read 'x'"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, value: Any, said: str) -> None:
    with pytest.raises(InvalidInputError, match=f"(?s)talk.json: .*{said}"):
        read(tmp_path, value)


def test_one_conversation_goes_into_the_namespace_of_the_engine(tmp_path: Path) -> None:
    engine = SmallEngine("mine")
    counts: list[int] = []
    report = ingest(engine, write(tmp_path, [SESSIONS]), progress=counts.append)
    assert (report.conversations, report.turns, report.memories, report.namespaces) == (1, 3, 3, ("mine",))
    assert (counts, report.seconds > 0) == ([3], True)
    first, second, third = stored(engine)
    assert (first.kind, first.content, first.author, first.context) == ("episode", "Look!", "Ann", "a cat")
    assert (first.session, third.session, second.metadata) == ("session_2", "session_10", {"dia_id": "D2:2"})
    assert first.occurred_from == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def test_several_conversations_go_into_namespaces_of_their_names(tmp_path: Path) -> None:
    engine = SmallEngine("mine")
    report = ingest(engine, write(tmp_path, [SESSIONS, {**SESSIONS, "sample_id": "conv-2"}]))
    assert report.namespaces == ("conv-1", "conv-2")
    assert engine.store.namespaces() == ["conv-1", "conv-2"]
    assert len(stored(engine.within("conv-2"))) == 3


def test_the_same_words_twice_are_two_turns(tmp_path: Path) -> None:
    engine = SmallEngine()
    ingest(engine, write(tmp_path, '{"text": "yes"}\n{"text": "yes"}'))
    assert [each.content for each in stored(engine)] == ["yes", "yes"]


def test_nothing_is_stored_of_a_file_with_an_error(tmp_path: Path) -> None:
    engine = SmallEngine()
    broken = {**SESSIONS, "conversation": {"session_1": [5]}}
    with pytest.raises(InvalidInputError):
        ingest(engine, write(tmp_path, [SESSIONS, broken]))
    assert engine.store.namespaces() == []


def test_a_long_turn_becomes_parts_that_fit(tmp_path: Path) -> None:
    text = "\n\n".join(["word " * 1100 + "end."] * 2)
    engine = SmallEngine()
    report = ingest(engine, write(tmp_path, json.dumps({"text": text, "id": 3}) + "\n"))
    first, second = stored(engine)
    assert (report.turns, report.memories) == (1, 2)
    assert first.content == second.content == ("word " * 1100 + "end.")
    assert (first.metadata, second.metadata) == (
        {"id": 3, "part": 1, "parts": 2},
        {"id": 3, "part": 2, "parts": 2},
    )


def test_where_a_long_text_is_cut() -> None:
    assert list(pieces("aaa bbb. ccc ddd", 12)) == ["aaa bbb.", "ccc ddd"]
    assert list(pieces("aaaa bbbb cccc", 10)) == ["aaaa bbbb", "cccc"]
    assert list(pieces("x" * 25, 10)) == ["x" * 10, "x" * 10, "x" * 5]
    assert list(pieces(" short ", 10)) == ["short"]
