"""Inputs of absurd size and depth are refused in words or taken; nothing hangs, nothing breaks."""

from __future__ import annotations

import io
import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import combray
from combray import models
from combray.engine import Engine
from combray.errors import CombrayError, InvalidInputError, ModelError
from combray.language.questions import read
from combray.peers.protocols import CombrayPeer
from combray.transfer import export_to, import_from, read_conversations
from combray.transfer.parser import parse


@pytest.fixture
def engine() -> Iterator[Engine]:
    with combray.open(":memory:", embedder="none") as opened:
        yield opened


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


def endless() -> dict[str, Any]:
    held: dict[str, Any] = {}
    held["x"] = held
    return held


FAR_TOO_MUCH: dict[str, Callable[[], dict[str, Any]]] = {
    "a text of 200,000 characters": lambda: {"text": "word " * 40_000},
    "an episode of 200,001 characters": lambda: {"text": "x" * 200_001, "kind": "episode"},
    "100,000 tags": lambda: {"tags": [f"t{number}" for number in range(100_000)]},
    "100,000 entities": lambda: {"entities": [f"E{number}" for number in range(100_000)]},
    "a tag of a million characters": lambda: {"tags": ["x" * 1_000_000]},
    "a megabyte of metadata": lambda: {"metadata": {"x": "y" * 1_000_000}},
    "100,000 fields of metadata": lambda: {"metadata": {str(number): number for number in range(100_000)}},
    "metadata 100,000 deep": lambda: {"metadata": {"x": nested(100_000)}},
    "metadata that holds itself": lambda: {"metadata": endless()},
    "a list 100,000 deep in the place of metadata": lambda: {"metadata": nested(100_000)},
    "a list 100,000 deep in the place of importance": lambda: {"importance": nested(100_000)},
    "a list 100,000 deep in the place of a time": lambda: {"occurred_at": nested(100_000)},
    "a number of 100,000 digits": lambda: {"importance": 10**100_000},
    "a time of 100,000 digits": lambda: {"occurred_at": 10**100_000},
    "a million words for a time": lambda: {"occurred_at": "yesterday " * 100_000},
    "an author of 100,000 characters": lambda: {"author": "x" * 100_000},
    "a context of 100,000 characters": lambda: {"context": "x" * 100_000},
}


@pytest.mark.parametrize("name", FAR_TOO_MUCH)
def test_fields_of_absurd_size_are_refused(engine: Engine, name: str) -> None:
    fields = {"text": "A text.", **FAR_TOO_MUCH[name]()}
    with pytest.raises(InvalidInputError) as told:
        engine.remember(fields.pop("text"), **fields)
    assert len(str(told.value)) < 1000
    assert engine.store.status()["total_insights"] == 0


def test_an_episode_of_200_000_characters_is_kept_and_found(engine: Engine) -> None:
    engine.remember(("word " * 39_996) + "xylophone", kind="episode", diff=False)
    assert len(engine.recall("xylophone")) == 1


ASKED: dict[str, Callable[[], dict[str, Any]]] = {
    "20,001 characters": lambda: {"query": "x" * 20_001},
    "a list 100,000 deep as kinds": lambda: {"query": "x", "kinds": nested(100_000)},
    "a list 100,000 deep as a time": lambda: {"query": "x", "since": nested(100_000)},
    "a limit of 100,000 digits": lambda: {"query": "x", "limit": 10**100_000},
    "a score of 100,000 digits": lambda: {"query": "x", "min_score": 10**100_000},
    "a list 100,000 deep as a query": lambda: {"query": nested(100_000)},
    "a tag of a million characters": lambda: {"query": "x", "tags": ["x" * 1_000_000]},
}


@pytest.mark.parametrize("name", ASKED)
def test_questions_of_absurd_size_are_refused(engine: Engine, name: str) -> None:
    options = ASKED[name]()
    with pytest.raises(InvalidInputError) as told:
        engine.recall(options.pop("query"), **options)
    assert len(str(told.value)) < 1000


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'{"content": "x", "metadata": {"a":', b"[[[{"])
def test_files_nested_100_000_deep_are_problems_not_crashes(tmp_path: Path, opening: bytes) -> None:
    deep = opening * 100_000
    assert parse([deep]).problems
    path = tmp_path / "a.jsonl"
    path.write_bytes(deep)
    with pytest.raises(InvalidInputError):
        list(read_conversations(path))


def test_an_author_of_blanks_in_an_export_spoils_no_question(engine: Engine) -> None:
    engine.remember("We chose PostgreSQL.", author="Ada")
    stream = io.StringIO()
    export_to(engine.runtime.store, "default", stream)
    spoilt = stream.getvalue().replace('"author":"Ada"', '"author":"  "')
    assert '"author":"  "' in spoilt
    with combray.open(":memory:", embedder="none") as other:
        import_from(other, "default", spoilt.encode().splitlines(keepends=True), dry_run=False)
        assert [hit.memory.content for hit in other.recall("PostgreSQL")] == ["We chose PostgreSQL."]
    assert read("Who is it?", ["  ", "Ada"]).named == ()


def test_a_peer_that_answers_with_nesting_is_refused() -> None:
    deep = b'{"results": ' + b"[" * 100_000
    with socket.create_server(("127.0.0.1", 0)) as server:
        import threading

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                asked = b""
                # To its end: what is left unread at closing cuts the answer off.
                while not asked.endswith(b"}"):
                    asked += connection.recv(65536)
                head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(deep)}\r\n\r\n"
                connection.sendall(head.encode() + deep)

        threading.Thread(target=answer, daemon=True).start()
        peer = CombrayPeer("p", f"http://127.0.0.1:{server.getsockname()[1]}", "", 5.0)
        with pytest.raises(ModelError, match="peer p: the answer is no"):
            peer.search("who", 5, "work")


def test_a_model_at_a_name_that_no_machine_can_have_is_refused() -> None:
    with pytest.raises(ModelError, match="cannot be reached"):
        models.embedder(f"openai:m@http://{'a' * 70}.example/v1")


def test_a_settings_file_nested_100_000_deep_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "combray.toml"
    path.write_text("db = " + "[" * 100_000)
    with pytest.raises(CombrayError):
        combray.settings.load(file=path)
    path.write_text(json.dumps("x" * 10_000_000))
    with pytest.raises(CombrayError):
        combray.settings.load(file=path)
