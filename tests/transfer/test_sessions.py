"""Session files of agent clients, and exports of chats: what is said, when, and only once."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import histories
import pytest
from rememberer import SmallEngine

import combray
from combray.errors import InvalidInputError
from combray.runtime import Filter
from combray.sessions.session import _ADDED, _cut_out
from combray.transfer import ingest, read_conversations
from combray.transfer.sources import read_sources
from combray.types import Memory


def stored(engine: SmallEngine) -> list[Memory]:
    reader = engine.store.reader(engine.namespace)
    return reader.memories(sorted(reader.scan(Filter())))


def said(path: Path) -> list[tuple[str, str | None, str, str]]:
    """Session, author, text and time of every turn."""
    return [
        (turn.session, turn.author, turn.text, turn.occurred_at.isoformat() if turn.occurred_at else "")
        for source in read_sources(path)
        for each in source.conversations
        for turn in each.turns
    ]


def test_claude_code(tmp_path: Path) -> None:
    path = histories.written(tmp_path / "projects/-home-ana-atlas/3f2a.jsonl", histories.CLAUDE_CODE)
    assert said(path) == [
        ("3f2a", "user", "Which database does Atlas use?", "2026-08-10T12:01:05.123000+00:00"),
        ("3f2a", "assistant", "Atlas uses PostgreSQL 17.", "2026-08-10T12:03:05.123000+00:00"),
        ("3f2a", "user", "We move to CockroachDB in May.", "2026-08-10T12:09:05.123000+00:00"),
    ]


def test_codex(tmp_path: Path) -> None:
    path = histories.written(tmp_path / "2026/08/11/rollout-2026-08-11T08-00-00-0199.jsonl", histories.CODEX)
    assert said(path) == [
        ("0199-c0de", "user", "Who reviews the billing service?", "2026-08-11T08:00:03+00:00"),
        ("0199-c0de", "assistant", "Priya reviews the billing service.", "2026-08-11T08:00:06+00:00"),
    ]


def test_openclaw(tmp_path: Path) -> None:
    path = histories.written(tmp_path / "agents/main/sessions/08ef.jsonl", histories.OPENCLAW)
    assert said(path) == [
        ("08ef", "user", "My flight is on Friday.", "2026-02-06T07:49:03.491000+00:00"),
        ("08ef", "assistant", "Noted: Friday.", "2026-02-06T07:49:10+00:00"),
    ]


def test_cursor_has_no_times_and_gets_that_of_the_file(tmp_path: Path) -> None:
    path = histories.written(tmp_path / "projects/atlas/agent-transcripts/77/77.jsonl", histories.CURSOR)
    os.utime(path, (1_780_000_000, 1_780_000_000))
    when = "2026-05-28T20:26:40+00:00"
    assert said(path) == [
        ("77", "user", "Rename the module.", when),
        ("77", "assistant", "Renamed to ledger.", when),
    ]


def test_the_database_of_cursor(tmp_path: Path) -> None:
    path = histories.cursor_database(tmp_path / "a b#c/state.vscdb")
    assert said(path) == [
        ("77", "user", "Rename the module.", "2026-05-28T20:29:00+00:00"),
        ("77", "assistant", "Renamed to ledger.", "2026-05-28T20:30:00+00:00"),
        ("old", "user", "Older.", "2023-11-14T22:13:20+00:00"),
    ]


def test_the_database_and_the_transcripts_of_cursor_hold_the_same_turns(tmp_path: Path) -> None:
    engine = SmallEngine()
    assert ingest(engine, histories.cursor_database(tmp_path / "state.vscdb")).memories == 3
    transcript = tmp_path / "projects/atlas/agent-transcripts/77/77.jsonl"
    report = ingest(engine, histories.written(transcript, histories.CURSOR))
    assert (report.turns, report.known) == (2, 2)


def test_the_database_of_opencode(tmp_path: Path) -> None:
    path = histories.opencode_database(tmp_path / "opencode/opencode.db")
    assert said(path) == [
        ("ses_1", "user", "Rename the module.", "2026-05-28T20:26:40+00:00"),
        ("ses_1", "assistant", "Renamed to ledger.", "2026-05-28T20:27:40+00:00"),
    ]


def test_another_database_is_refused(tmp_path: Path) -> None:
    with combray.open(tmp_path / "agent.db"):
        pass
    with pytest.raises(InvalidInputError, match="without conversations of Cursor or opencode"):
        list(read_sources(tmp_path / "agent.db"))


def test_gemini_cli_writes_one_document(tmp_path: Path) -> None:
    path = tmp_path / "tmp/abc/chats/session-1.json"
    histories.written(path, json.dumps(histories.GEMINI, indent=2))
    expected = [
        ("9d1f", "user", "Is the cache warm?", "2026-04-01T09:00:01+00:00"),
        ("9d1f", "assistant", "Yes.", "2026-04-01T09:00:03+00:00"),
    ]
    assert said(path) == expected
    assert said(tmp_path / "tmp") == expected


@pytest.mark.parametrize("packed", [True, False])
def test_chatgpt_takes_the_branch_that_was_seen_last(tmp_path: Path, packed: bool) -> None:
    if packed:
        path = histories.zipped(
            tmp_path / "export.zip", {"conversations.json": histories.CHATGPT, "user.json": "{}"}
        )
    else:
        path = histories.written(tmp_path / "conversations.json", json.dumps(histories.CHATGPT))
    assert said(path) == [
        ("6650-aaaa", "user", "Where do we stay in Lisbon?", "2026-05-28T20:26:50.500000+00:00"),
        ("6650-aaaa", "assistant", "Hotel Avenida.", "2026-05-28T20:27:10+00:00"),
    ]


def test_chatgpt_without_a_current_node_takes_the_newest_leaf(tmp_path: Path) -> None:
    chat = {**histories.CHATGPT[0], "current_node": None}
    path = histories.written(tmp_path / "conversations.json", json.dumps([chat]))
    assert [text for _, _, text, _ in said(path)] == ["Where do we stay in Lisbon?", "Hotel Avenida."]


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("current_node",), ["b"]),
        (("mapping", "a", "parent"), {}),
        (("mapping", "a", "message", "content", "parts"), [["x"], {"text": ["y"]}, 5, "Tea."]),
    ],
)
def test_parts_of_another_type_are_skipped(tmp_path: Path, path: tuple[str, ...], wrong: Any) -> None:
    chat: dict[str, Any] = {
        "id": "c",
        "current_node": "a",
        "mapping": {"a": histories.node(None, [], histories.gpt("user", "Tea.", 1.0))},
    }
    at = chat
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = wrong
    assert [each[2] for each in said(histories.written(tmp_path / "x.json", json.dumps([chat])))] == ["Tea."]


def test_a_line_whose_role_is_no_text_is_skipped(tmp_path: Path) -> None:
    line = histories.claude_line("user", "u", "Tea.", 1)
    wrong = histories.claude_line("user", "v", "Coffee.", 2)
    wrong["message"]["role"] = {"a": 1}
    path = histories.written(tmp_path / "x.jsonl", histories.lines(line, wrong))
    assert [each[2] for each in said(path)] == ["Tea."]


def test_a_circle_in_the_tree_ends(tmp_path: Path) -> None:
    circle = {
        "a": histories.node("b", ["b"], histories.gpt("user", "Hello.", 1.0)),
        "b": histories.node("a", [], None),
    }
    chats = [{"conversation_id": "x", "current_node": "b", "mapping": circle}]
    path = histories.written(tmp_path / "conversations.json", json.dumps(chats))
    assert [text for _, _, text, _ in said(path)] == ["Hello."]


def test_several_files_of_conversations_in_one_export(tmp_path: Path) -> None:
    first, second = histories.CHATGPT[0], {**histories.CHATGPT[0], "conversation_id": "other"}
    files = {"x/conversations-000.json": [first], "x/conversations-001.json": [second]}
    assert {session for session, *_ in said(histories.zipped(tmp_path / "e.zip", files))} == {
        "6650-aaaa",
        "other",
    }


def test_claude_export(tmp_path: Path) -> None:
    path = histories.zipped(tmp_path / "data.zip", {"conversations.json": histories.CLAUDE, "users.json": "[]"})
    assert said(path) == [
        ("c1a0", "user", "How do I compress vocals?", "2026-03-01T10:00:01+00:00"),
        ("c1a0", "assistant", "Use a 4:1 ratio.", "2026-03-01T10:00:09+00:00"),
    ]


def test_turns_are_stored_with_client_title_and_id(tmp_path: Path) -> None:
    engine = SmallEngine()
    ingest(engine, histories.zipped(tmp_path / "e.zip", {"conversations.json": histories.CHATGPT}))
    first, _ = stored(engine)
    assert (first.kind, first.author, first.session) == ("episode", "user", "6650-aaaa")
    assert first.metadata == {"client": "chatgpt", "title": "Trip to Lisbon", "turn": "m-1780000010.5"}
    assert first.occurred_from == datetime(2026, 5, 28, 20, 26, 50, 500_000, tzinfo=UTC)


def test_a_folder_is_read_file_by_file_into_one_namespace(tmp_path: Path) -> None:
    histories.written(tmp_path / "a/3f2a.jsonl", histories.CLAUDE_CODE)
    histories.written(tmp_path / "b/rollout-1.jsonl", histories.CODEX)
    histories.written(tmp_path / "b/subagents/x.jsonl", histories.CLAUDE_CODE.replace("3f2a", "sub"))
    histories.written(tmp_path / "b/history.jsonl", '{"display": "hello", "project": "/x"}\n')
    engine = SmallEngine()
    report = ingest(engine, tmp_path)
    assert (report.files, report.conversations, report.turns, report.memories) == (3, 2, 5, 5)
    assert report.namespaces == ("default",)
    assert report.unread == ((str(tmp_path / "b/history.jsonl"), "has no messages in a known format."),)
    assert report.first == datetime(2026, 8, 10, 12, 1, 5, 123_000, tzinfo=UTC)
    assert report.last == datetime(2026, 8, 11, 8, 0, 6, tzinfo=UTC)
    assert {memory.session for memory in stored(engine)} == {"3f2a", "0199-c0de"}


def test_a_second_call_stores_only_what_is_new(tmp_path: Path) -> None:
    path = histories.written(tmp_path / "3f2a.jsonl", histories.CLAUDE_CODE)
    engine = SmallEngine()
    ingest(engine, path)
    again = ingest(engine, path)
    assert (again.turns, again.known, again.memories) == (3, 3, 0)
    with path.open("a") as file:
        file.write(histories.lines(histories.claude_line("user", "u6", "Use three nodes.", 10)))
    grown = ingest(engine, path)
    assert (grown.turns, grown.known, grown.memories) == (4, 3, 1)
    assert len(stored(engine)) == 4


def test_an_interrupted_call_goes_on_where_it_stopped(tmp_path: Path) -> None:
    histories.written(tmp_path / "1.jsonl", histories.CLAUDE_CODE)
    second = histories.written(tmp_path / "2.jsonl", histories.CODEX)
    engine = SmallEngine()
    calls: list[int] = []

    def interrupt(count: int) -> None:
        calls.append(count)
        if len(calls) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ingest(engine, tmp_path, progress=interrupt)
    assert second.exists()
    report = ingest(engine, tmp_path)
    assert (report.turns, report.known) == (5, 5)
    assert len(stored(engine)) == 5


def test_a_resumed_session_repeats_no_turn(tmp_path: Path) -> None:
    line = histories.claude_line("user", "00000000-0000-4000-8000-000000000001", "Atlas ships in June.", 1)
    histories.written(tmp_path / "1.jsonl", histories.lines(line))
    histories.written(tmp_path / "2.jsonl", histories.lines({**line, "sessionId": "resumed"}))
    engine = SmallEngine()
    report = ingest(engine, tmp_path)
    assert (report.turns, report.known, report.memories) == (2, 1, 1)


def test_an_answer_has_the_trust_of_an_agent(tmp_path: Path) -> None:
    engine = SmallEngine()
    ingest(engine, histories.written(tmp_path / "x.jsonl", histories.CLAUDE_CODE))
    assert [memory.trust for memory in stored(engine)] == ["owner", "agent", "owner"]


def test_memories_that_a_hook_added_to_a_message_are_not_taken(tmp_path: Path) -> None:
    fence = "<memory-abcdefghijkl>\nRemembered text.\n[1] Ana likes tea.\n</memory-abcdefghijkl>"
    line = histories.claude_line("user", "u", f"What does Ana drink?{fence}", 1)
    path = histories.written(tmp_path / "x.jsonl", histories.lines(line))
    assert [each[2] for each in said(path)] == ["What does Ana drink?"]


def test_a_dry_run_counts_and_stores_nothing(tmp_path: Path) -> None:
    engine = SmallEngine()
    report = ingest(engine, histories.written(tmp_path / "x.jsonl", histories.CLAUDE_CODE), dry_run=True)
    assert (report.turns, report.memories, report.known) == (3, 3, 0)
    assert stored(engine) == []


def test_long_messages_are_split_and_still_stored_once(tmp_path: Path) -> None:
    long = "One sentence of many. " * 900
    path = histories.written(tmp_path / "x.jsonl", histories.lines(histories.claude_line("user", "u", long, 1)))
    engine = SmallEngine()
    report = ingest(engine, path)
    assert (report.turns, report.memories) == (1, 3)
    assert ingest(engine, path).memories == 0


def test_a_long_turn_of_a_resumed_session_is_not_repeated(tmp_path: Path) -> None:
    long = "One sentence of many. " * 900
    line = histories.claude_line("user", "00000000-0000-4000-8000-000000000001", long, 1)
    engine = SmallEngine()
    assert ingest(engine, histories.written(tmp_path / "1.jsonl", histories.lines(line))).memories == 3
    resumed = histories.lines({**line, "sessionId": "resumed"})
    assert ingest(engine, histories.written(tmp_path / "2.jsonl", resumed)).memories == 0


def test_blocks_that_nothing_closes_stay_and_are_looked_for_once() -> None:
    class Counted(str):
        """A text that counts its searches."""

        searches = 0

        def find(self, *given: Any) -> int:
            Counted.searches += 1
            return super().find(*given)

    text = Counted("<input disabled>\n" * 1000 + "<my-note>gone</my-note>  \nkept")
    assert _cut_out(_ADDED, text, lines=True) == "<input disabled>\n" * 1000 + "kept"
    assert Counted.searches == 2


def test_secrets_are_redacted(tmp_path: Path) -> None:
    line = histories.claude_line("user", "u", "PASSWORD=hunter2x", 1)
    ((_, _, text, _),) = said(histories.written(tmp_path / "x.jsonl", histories.lines(line)))
    assert text == "PASSWORD=[redacted password]"


def test_markup_that_a_user_wrote_stays(tmp_path: Path) -> None:
    text = "<div>\n<p>Hello</p>\n</div> is <my-tag>not</my-tag> closed"
    line = histories.claude_line("user", "u", text, 1)
    assert [each[2] for each in said(histories.written(tmp_path / "x.jsonl", histories.lines(line)))] == [text]


@pytest.mark.parametrize("text", ["", "not json\n", "[1]\n", '{"role": "user", "content": "plain"}\n'])
def test_other_files_are_not_taken_for_sessions(tmp_path: Path, text: str) -> None:
    path = histories.written(tmp_path / "x.jsonl", text)
    if "plain" in text:
        ((only,),) = [source.conversations for source in read_sources(path)]
        assert only == next(iter(read_conversations(path)))
        assert not only.session
    else:
        with pytest.raises(InvalidInputError):
            list(read_sources(path))


@pytest.mark.parametrize("files", [{}, {"conversations.json": "{}"}])
def test_a_zip_without_conversations(tmp_path: Path, files: dict[str, Any]) -> None:
    path = histories.zipped(tmp_path / "x.zip", {"other.txt": "hello", **files})
    if files:
        assert [source.problem for source in read_sources(path)] == ["has no conversations in a known format."]
    else:
        with pytest.raises(InvalidInputError, match=r"has no conversations\.json"):
            list(read_sources(path))


def test_a_damaged_zip_is_one_line(tmp_path: Path) -> None:
    path = histories.zipped(tmp_path / "x.zip", {"conversations.json": histories.CHATGPT})
    data = bytearray(path.read_bytes())
    data[60:80] = b"x" * 20
    path.write_bytes(data)
    with pytest.raises(InvalidInputError, match=r"Download the export again"):
        list(read_sources(path))


def test_it_is_found_with_the_default_configuration(tmp_path: Path) -> None:
    path = histories.written(tmp_path / "x.jsonl", histories.CLAUDE_CODE)
    with combray.open(tmp_path / "agent.db") as engine:
        report = ingest(engine, path)
        assert report.memories == 3
        hits = engine.recall("When do we move to CockroachDB?").hits
        assert hits[0].memory.content == "We move to CockroachDB in May."
        assert ingest(engine, path).memories == 0
