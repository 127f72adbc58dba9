"""Session files and exports as clients write them, shortened; made up, in the form of public descriptions."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any


def lines(*entries: dict[str, Any]) -> str:
    return "".join(json.dumps(each) + "\n" for each in entries)


def claude_line(kind: str, uuid: str, content: Any, minute: int, **marks: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": uuid,
        "parentUuid": None,
        "sessionId": "3f2a",
        "timestamp": f"2026-08-10T12:{minute:02}:05.123Z",
        "cwd": "/home/ana/atlas",
        "message": {"role": kind, "content": content},
        **marks,
    }


CLAUDE_CODE = lines(
    {"type": "summary", "summary": "Atlas storage", "leafUuid": "u2"},
    claude_line("user", "u0", "<command-name>/clear</command-name>\n<command-args></command-args>", 0),
    claude_line("user", "u1", "Which database does Atlas use?\n<system-reminder>Be brief.</system-reminder>", 1),
    claude_line("assistant", "a1", [{"type": "thinking", "thinking": "hm"}], 2),
    claude_line("assistant", "a2", [{"type": "text", "text": "Atlas uses PostgreSQL 17."}], 3),
    claude_line("assistant", "a3", [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}], 4),
    claude_line("user", "u2", [{"type": "tool_result", "tool_use_id": "t", "content": "secret file"}], 5),
    claude_line("user", "u3", "Added by the client", 6, isMeta=True),
    claude_line("assistant", "a4", [{"type": "text", "text": "A subagent's line"}], 7, isSidechain=True),
    claude_line("user", "u4", "This session is being continued …", 8, isCompactSummary=True),
    {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
    claude_line("user", "u5", [{"type": "text", "text": "We move to CockroachDB in May."}], 9),
)


def codex_line(kind: str, second: int, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-08-11T08:00:{second:02}.000Z", "type": kind, "payload": payload}


def codex_message(role: str, second: int, text: str) -> dict[str, Any]:
    part = {"type": "input_text" if role != "assistant" else "output_text", "text": text}
    return codex_line("response_item", second, type="message", role=role, content=[part])


CODEX = lines(
    codex_line("session_meta", 0, id="0199-c0de", cwd="/home/ana/atlas", cli_version="0.149"),
    codex_message("developer", 1, "<permissions instructions>…</permissions instructions>"),
    codex_message(
        "user", 1, "# AGENTS.md instructions for /home/ana/atlas\n\n<INSTRUCTIONS>Run make.</INSTRUCTIONS>"
    ),
    codex_message("user", 1, "<environment_context>\n  <cwd>/home/ana/atlas</cwd>\n</environment_context>"),
    codex_line("turn_context", 2, turn_id="t1", model="gpt"),
    codex_message("user", 3, "Who reviews the billing service?"),
    codex_line("event_msg", 3, type="user_message", message="Who reviews the billing service?"),
    codex_line("response_item", 4, type="function_call", name="exec_command", arguments="{}", call_id="c"),
    codex_line("response_item", 5, type="function_call_output", call_id="c", output="Priya"),
    codex_message("assistant", 6, "Priya reviews the billing service."),
    codex_line("event_msg", 6, type="agent_message", message="Priya reviews the billing service."),
)

OPENCLAW = lines(
    {"type": "session", "version": 3, "id": "08ef", "timestamp": "2026-02-06T07:49:00.000Z", "cwd": "/w"},
    {"type": "model_change", "id": "m", "provider": "x"},
    {
        "type": "message",
        "id": "b1bf",
        "parentId": "m",
        "timestamp": "2026-02-06T07:49:03.491Z",
        "message": {"role": "user", "content": [{"type": "text", "text": "My flight is on Friday."}]},
    },
    {
        "type": "message",
        "id": "b1c0",
        "timestamp": "2026-02-06T07:49:09.000Z",
        "message": {"role": "toolResult", "content": [{"type": "text", "text": "not said"}]},
    },
    {
        "type": "message",
        "id": "b1c1",
        "timestamp": "2026-02-06T07:49:10.000Z",
        "message": {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Noted: Friday."}],
        },
    },
)

CURSOR = lines(
    {
        "role": "user",
        "message": {
            "content": [
                {
                    "type": "text",
                    "text": "<user_info>\nOS: linux\n</user_info>\n"
                    "<user_query>\nRename the module.\n</user_query>",
                }
            ]
        },
    },
    {"role": "assistant", "message": {"content": [{"type": "text", "text": "Renamed to ledger."}]}},
    {"role": "assistant", "message": {"content": [{"type": "tool_use", "name": "Write"}]}},
)


def node(parent: str | None, children: list[str], message: dict[str, Any] | None) -> dict[str, Any]:
    return {"parent": parent, "children": children, "message": message}


def gpt(role: str, text: Any, when: float | None, **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text] if isinstance(text, str) else text}
    return {"id": f"m-{when}", "author": {"role": role}, "content": content, "create_time": when, **more}


CHATGPT = [
    {
        "title": "Trip to Lisbon",
        "conversation_id": "6650-aaaa",
        "create_time": 1_780_000_000.0,
        "current_node": "n5",
        "mapping": {
            "root": node(None, ["n0"], None),
            "n0": node(
                "root",
                ["n1"],
                gpt("system", "", None, metadata={"is_visually_hidden_from_conversation": True}),
            ),
            "n1": node("n0", ["n2", "n3"], gpt("user", "Where do we stay in Lisbon?", 1_780_000_010.5)),
            "n2": node("n1", [], gpt("assistant", "An answer that was regenerated.", 1_780_000_020.0)),
            "n3": node("n1", ["n4"], gpt("assistant", "search()", 1_780_000_025.0, recipient="web")),
            "n4": node("n3", ["n5"], gpt("tool", "results", 1_780_000_026.0)),
            "n5": node(
                "n4",
                [],
                {
                    **gpt(
                        "assistant",
                        ["Hotel Avenida.\ue200cite\ue202turn0\ue201", {"content_type": "image"}],
                        1_780_000_030.0,
                    ),
                    "metadata": {},
                },
            ),
        },
    },
    {"title": "Empty", "conversation_id": "6650-bbbb", "create_time": 1.0, "mapping": {}, "current_node": None},
]

CLAUDE = [
    {
        "uuid": "c1a0",
        "name": "Mixing",
        "created_at": "2026-03-01T10:00:00.000000Z",
        "chat_messages": [
            {
                "uuid": "k1",
                "sender": "human",
                "text": "How do I compress vocals?",
                "content": [{"type": "text", "text": "How do I compress vocals?"}],
                "created_at": "2026-03-01T10:00:01.000000Z",
            },
            {
                "uuid": "k2",
                "sender": "assistant",
                "text": "",
                "content": [{"type": "tool_use", "name": "x"}, {"type": "text", "text": "Use a 4:1 ratio."}],
                "created_at": "2026-03-01T10:00:09.000000Z",
            },
        ],
    }
]


def zipped(path: Path, files: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, value in files.items():
            archive.writestr(name, value if isinstance(value, str) else json.dumps(value))
    return path


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


GEMINI = {
    "sessionId": "9d1f",
    "projectHash": "abc",
    "startTime": "2026-04-01T09:00:00.000Z",
    "messages": [
        {"id": "g1", "timestamp": "2026-04-01T09:00:01.000Z", "type": "user", "content": "Is the cache warm?"},
        {"id": "g2", "timestamp": "2026-04-01T09:00:02.000Z", "type": "info", "content": "Loaded."},
        {
            "id": "g3",
            "timestamp": "2026-04-01T09:00:03.000Z",
            "type": "gemini",
            "content": "Yes.",
            "toolCalls": [],
        },
    ],
}


def cursor_database(path: Path) -> Path:
    """A database of the Cursor app with one conversation, and one of an older version."""
    headers = [{"bubbleId": name, "type": 1} for name in ("b1", "b2", "b3")]
    rows = {
        "composerData:77": {
            "name": "Rename",
            "createdAt": 1_780_000_000_000,
            "fullConversationHeadersOnly": headers,
        },
        "bubbleId:77:b2": {"type": 2, "text": "Renamed to ledger.", "createdAt": "2026-05-28T20:30:00.000Z"},
        "bubbleId:77:b1": {"type": 1, "text": "Rename the module.", "createdAt": "2026-05-28T20:29:00.000Z"},
        "bubbleId:77:b3": {"type": 2, "text": "", "toolFormerData": {"name": "Write"}},
        "composerData:old": {"createdAt": 1_700_000_000_000, "conversation": [{"type": 1, "text": "Older."}]},
        "composerData:empty": {"createdAt": 1_700_000_000_000},
        "bubbleId:78:x": {"type": 1, "text": "Another conversation."},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        stored = [(key, json.dumps(value)) for key, value in rows.items()]
        database.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", [*stored, ("composerData:bad", "{")])
    return path


def opencode_database(path: Path) -> Path:
    """A database of opencode with a conversation and that of a subagent."""
    said = 1_780_000_000_000
    sessions = [("ses_1", None, "Rename", said), ("ses_2", "ses_1", "A subagent", said + 1)]
    messages = [
        ("msg_2", "ses_1", said + 60_000, {"role": "assistant", "time": {"created": said + 60_000}}),
        ("msg_1", "ses_1", said, {"role": "user", "time": {"created": said}}),
        ("msg_3", "ses_1", said + 70_000, {"role": "assistant", "summary": True, "time": {"created": said}}),
        ("msg_4", "ses_2", said, {"role": "user", "time": {"created": said}}),
    ]
    parts = [
        ("prt_1", "msg_1", "ses_1", {"type": "text", "text": "Rename the module."}),
        ("prt_2", "msg_1", "ses_1", {"type": "text", "text": "Added by a plugin.", "synthetic": True}),
        ("prt_3", "msg_2", "ses_1", {"type": "reasoning", "text": "Which one?"}),
        ("prt_4", "msg_2", "ses_1", {"type": "text", "text": "Renamed to ledger."}),
        ("prt_5", "msg_2", "ses_1", {"type": "tool", "tool": "edit"}),
        ("prt_6", "msg_3", "ses_1", {"type": "text", "text": "So far we renamed a module."}),
        ("prt_7", "msg_4", "ses_2", {"type": "text", "text": "Look for the module."}),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE session (id TEXT, parent_id TEXT, title TEXT, time_created INTEGER)")
        database.execute("CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT)")
        database.execute(
            "CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT)"
        )
        database.executemany("INSERT INTO session VALUES (?, ?, ?, ?)", sessions)
        rows = [(*row, json.dumps(document)) for *row, document in messages]
        database.executemany("INSERT INTO message VALUES (?, ?, ?, ?)", [*rows, ("bad", "ses_1", said, "{")])
        pieces = [(*row, said, json.dumps(document)) for *row, document in parts]
        database.executemany("INSERT INTO part VALUES (?, ?, ?, ?, ?)", pieces)
    return path
