"""What callers hand over: questions and options, memories and fields, arguments of MCP tools."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec

from bench.fuzz.drawing import Draw
from bench.fuzz.target import Run, Target
from bench.fuzz.targets.files import CLOCK
from bench.fuzz.targets.texts import seeds as text_seeds
from bench.fuzz.targets.texts import sentences
from combray import presets
from combray.engine import Engine
from combray.engine import open as open_engine
from combray.recall.asking import OPTIONS
from combray.remember.validate import KNOWN
from combray.types import CATEGORIES, KINDS

_NAMES = (*OPTIONS, "limit", "basic", "what")
_FIELDS = (*sorted(KNOWN - {"content", "text"}), "nothing")
_RENEWED = 400
"""Memories after which a store is replaced: times must not grow with the run."""


def _filled() -> Engine:
    engine = open_engine(":memory:", clock=lambda: CLOCK)
    texts = sentences()
    for number, text in enumerate(texts):
        engine.remember(
            text, diff=False, author=("Ada", "Lan", "小明")[number % 3], session=str(number % 4), kind="episode",
            occurred_at=CLOCK - 86_400 * number,
        )  # fmt: skip
    return engine


def _option(draw: Draw, name: str) -> Any:
    if name in ("since", "until", "as_of") and draw.byte() % 2:
        return draw.text(30)
    listed = {"kinds": KINDS, "categories": CATEGORIES}
    return draw.pick(listed[name]) if name in listed and draw.byte() % 2 else draw.value()


def _recall(_folder: Path) -> Run:
    engine = _filled()

    def run(data: bytes) -> Any:
        draw = Draw(data)
        preset = draw.pick(presets.names())
        names = [draw.pick(_NAMES) for _ in range(draw.byte() % 3)]
        options = {name: _option(draw, name) for name in names}
        answer = engine.recall(draw.text(), preset=preset, **options)
        return answer.reason, [(hit.memory.id, hit.score) for hit in answer]

    return run


def _recall_seeds() -> list[bytes]:
    asked = [each[1:] for each in text_seeds()[:12]]
    plain = [bytes([number, 0, 0]) + text for number, text in enumerate(asked)]
    return [*plain, *(bytes([number, 0, 5]) + text[:30] for number, text in enumerate(asked))]


def _remember(_folder: Path) -> Run:
    held: list[Engine] = []

    def run(data: bytes) -> Any:
        if not held or held[0].store.status()["total_insights"] > _RENEWED:
            held[:] = [_filled()]
        draw = Draw(data)
        names = [draw.pick(_FIELDS) for _ in range(draw.byte() % 4)]
        fields: dict[str, Any] = {name: draw.text(80) if draw.byte() % 2 else draw.value() for name in names}
        done = held[0].remember(draw.text(), diff=draw.byte() % 2 == 0, **fields)
        return done.action in ("added", "replaced", "skipped")

    return run


def _remember_seeds() -> list[bytes]:
    return [b"\x00\x00" + text.encode() for text in sentences()[:20]] + [
        bytes([1, place, 1, 0, 0, 4]) + b"2026\x00A text." for place in range(len(_FIELDS))
    ]


def _tools(folder: Path) -> Run:
    from anyio.from_thread import start_blocking_portal
    from mcp import Client

    from combray.interfaces.mcp.profiles import PROFILES
    from combray.interfaces.mcp.server import server_for

    (folder / "MEMORY.md").write_text("# Notes\n\nAda lives in Berlin.\n", encoding="utf-8")
    engine = _filled()
    engine.documents.index(folder)
    held = ExitStack()
    opened = held.enter_context(start_blocking_portal())
    client = held.enter_context(opened.wrap_async_context_manager(Client(server_for(engine, profile="full"))))
    tools = [*PROFILES["full"], "erase"]

    def run(data: bytes) -> Any:
        draw = Draw(data)
        tool = draw.pick(tools)
        try:
            arguments = msgspec.json.decode(draw.raw())
        except (msgspec.DecodeError, UnicodeDecodeError):
            arguments = draw.value()
        if not isinstance(arguments, dict):
            arguments = {"content": arguments, "query": arguments}
        result = opened.call(client.call_tool, tool, arguments)
        said = "".join(block.text for block in result.content)
        assert "did not expect" not in said, said
        assert held, "the server is still open"
        return result.is_error

    return run


def _tool_seeds() -> list[bytes]:
    asked: tuple[dict[str, Any], ...] = (
        {"content": "Ada lives in Berlin.", "category": "fact", "importance": 4, "tags": ["x"],
         "source": "external", "entities": ["Ada"], "occurred_at": "yesterday"},
        {"query": "Where is Ada?", "limit": 3, "since": "last week", "until": "now", "full": True, "tags": ["x"]},
        {"query": "Ada", "search_type": "facts", "limit": 2},
        {"query": "Ada", "maxResults": 3, "minScore": 0.1},
        {"path": "MEMORY.md", "from": 1, "lines": 2},
        {"source": "0", "target": "1", "type": "causal", "weight": 0.5, "reason": "x"},
        {"id": "0", "depth": 2, "limit": 3},
        {"id": "0"},
        {},
    )  # fmt: skip
    return [bytes([number]) + json.dumps(each).encode() for number, each in enumerate(asked)]


_RECALL = ("combray.recall", "combray.presets", "combray.language", "combray.scoring", "combray.stores")
_REMEMBER = ("combray.remember", "combray.values", "combray.values", "combray.language", "combray.stores")
TARGETS = (
    Target("recall", "questions and options, every preset", _recall, _recall_seeds, _RECALL, longest=2048),
    Target("remember", "texts and fields", _remember, _remember_seeds, _REMEMBER, longest=2048, repeatable=False),
    Target("mcp", "arguments of tools", _tools, _tool_seeds, ("combray.interfaces.mcp",), repeatable=False),
)
