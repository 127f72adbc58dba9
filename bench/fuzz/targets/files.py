"""What reads the content of a file: imports, exports, transcripts, Markdown."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from bench.fuzz.drawing import Draw
from bench.fuzz.target import Run, Target
from bench.fuzz.targets.texts import sentences
from combray.documents.chunks import chunk, lines_of
from combray.documents.files import UnreadableError, decode, messages
from combray.documents.workspace import occurred
from combray.engine import Engine
from combray.engine import open as open_engine
from combray.errors import CombrayError
from combray.guard.redaction import find_secrets, redact
from combray.transfer import export_to, import_from, read_conversations

CLOCK = 1_772_366_400.0
_ITEMS = (
    {"content": "We chose PostgreSQL.", "id": "a", "tags": ["db"], "importance": 4, "edges": [{"target": "b"}]},
    {"text": "It lost two bookings.", "id": "b", "timestamp": "3 days ago", "edges": [0, {"target": 1}]},
    {"schema_version": "1", "source": "x", "insights": [{"content": "one"}, {"content": "two"}],
     "edges": [{"source_index": 0, "target_index": 1, "edge_type": "causal", "weight": 0.5}]},
)  # fmt: skip
_TURNS = (
    {"author": "Ada", "text": "Hello", "session": 1, "occurred_at": "2026-03-01", "metadata": {"x": 1}},
    {"role": "user", "content": "Hi " * 40, "timestamp": 1772366400},
    {"sample_id": "c", "conversation": {"session_1_date_time": "1:56 pm on 8 May, 2023",
     "session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "Hey", "blip_caption": "a dog"}]}},
    {"question_id": "q", "haystack_sessions": [[{"role": "user", "content": "x"}]],
     "haystack_dates": ["2023/05/20"], "haystack_session_ids": ["s"]},
)  # fmt: skip


def engine() -> Engine:
    """An engine with nothing in it, in memory, with a clock that stands still."""
    return open_engine(":memory:", embedder="none", clock=lambda: CLOCK)


def export() -> bytes:
    """An export of two linked memories with their versions."""
    stream = io.StringIO()
    with engine() as made:
        first = made.remember("Ada moved to Berlin.", tags=["home"], occurred_at="2026-02-01")
        second = made.remember("Ada moved to Paris.", diff=False)
        made.link(first.id, second.id, type="causal", reason="work")
        export_to(made.runtime.store, "default", stream)
    return stream.getvalue().encode()


def _lines(data: bytes) -> list[bytes]:
    return [line + b"\n" for line in data.split(b"\n")]


def _import(_folder: Path) -> Run:
    def run(data: bytes) -> Any:
        draw = Draw(data)
        mode = draw.byte()
        with engine() as target:
            report = import_from(target, "default", _lines(draw.raw()), dry_run=mode % 2 == 0, skip_bad=True)
            assert mode % 2 or not target.store.status()["total_insights"], "a dry run wrote"
            return report.shape, len(report.problems)

    return run


def _import_seeds() -> list[bytes]:
    items = [json.dumps(each).encode() for each in _ITEMS]
    listed = [
        b"\n".join(items[:2]),
        items[2],
        b"[" + b",".join(items[:2]) + b"]",
        export(),
        b"\xef\xbb\xbf" + items[0],
    ]
    return [mode + each for mode in (b"\x00", b"\x01") for each in listed]


def _conversations(folder: Path) -> Run:
    path = folder / "chat.jsonl"

    def run(data: bytes) -> Any:
        path.write_bytes(data)
        return [
            (each.name, each.turns, [item for turn in each.turns for item in turn.items()])
            for each in read_conversations(path, now=CLOCK)
        ]

    return run


def _turn_seeds() -> list[bytes]:
    turns = [json.dumps(each).encode() for each in _TURNS]
    return [b"\n".join(turns[:2]), turns[2], turns[3], b"[" + turns[3] + b"]"]


def _sessions(_folder: Path) -> Run:
    return lambda data: messages(decode(data))


def _session_seeds() -> list[bytes]:
    parts = {"role": "assistant", "content": [{"type": "text", "text": "yes"}, {"type": "tool_use", "id": "1"}]}
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"
    lines = [{"message": parts}, {"role": "user", "content": f"password=Tr0ub4dor {key}"}, {"role": "system"}]
    return [b"\n".join(json.dumps(each).encode() for each in lines)]


def _markdown(_folder: Path) -> Run:
    def run(data: bytes) -> Any:
        draw = Draw(data)
        tokens, overlap, path = draw.whole(500), draw.whole(100), draw.text(60)
        lines = lines_of(draw.text())
        chunks = chunk(lines, tokens=tokens, overlap=overlap)
        for each in chunks:
            assert 1 <= each.start_line <= each.end_line <= len(lines), "lines that are not there"
        held = "".join(each.text for each in chunks)
        assert all(text.strip() in held or len(text) > tokens for _, text in lines if text.strip()), (
            "a line is lost"
        )
        return chunks, occurred(path, draw.whole(65535) * 10**9 * 60_000)

    return run


def _markdown_seeds() -> list[bytes]:
    note = "# Notes\n\n" + "\n".join(f"- {text}" for text in sentences())
    heads = (b"\x01\x90\x00\x50", b"\x00\x08\x00\x02", b"\x00\x00\x00\x00")
    return [head + b"\x00\x00\x14memory/2026-03-01.md\x00" + note.encode() for head in heads]


def _redaction(_folder: Path) -> Run:
    def run(data: bytes) -> Any:
        text = Draw(data).text()
        clean = redact(text)
        assert clean.count("\n") == text.count("\n"), "a line is lost"
        return clean, find_secrets(text)

    return run


def _redaction_seeds() -> list[bytes]:
    found = [
        "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----",
        "AKIA" + "A1" * 8, "sk-proj-" + "a1B2" * 8, "postgres://ada:Tr0ub4dor@host/db", 'api_key = "aB3dE5fG7"',
        "Bearer " + "aB1." * 8, "card 4111 1111 1111 1111", "ghp_" + "a1B2" * 9,
        "eyJhbGciOiJI.eyJzdWIiOiIx.abcdefgh1",
    ]  # fmt: skip
    return [mode + text.encode() for text in found for mode in (b"\x00", b"\x05", b"\x02")]


_TRANSFER = ("combray.transfer", "combray.remember.validate", "combray.values", "combray.values")
_DOCUMENTS = ("combray.documents",)
_UNREADABLE = (CombrayError, UnreadableError)
TARGETS = (
    Target("import", "items, drafts and exports", _import, _import_seeds, _TRANSFER),
    Target("conversations", "files of conversations", _conversations, _turn_seeds, _TRANSFER),
    Target("sessions", "transcripts as documents", _sessions, _session_seeds, _DOCUMENTS, _UNREADABLE),
    Target("markdown", "lines, chunks, days of files", _markdown, _markdown_seeds, _DOCUMENTS, longest=20_000),
    Target("redaction", "secrets in a text", _redaction, _redaction_seeds, ("combray.guard",)),
)
