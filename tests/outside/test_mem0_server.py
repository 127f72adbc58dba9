"""A real mem0 as a peer: its `Memory` over its own vector store, behind a small REST layer, with a fake model.

Installing mem0 takes longer than the suite may, so this needs an environment of its own:

    python -m venv FOLDER && FOLDER/bin/pip install mem0ai
    COMBRAY_MEM0_PYTHON=FOLDER/bin/python pytest tests/outside
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import combray
from combray.peers.protocols import Mem0Peer

PYTHON = os.environ.get("COMBRAY_MEM0_PYTHON", "")
pytestmark = pytest.mark.skipif(
    not PYTHON, reason="COMBRAY_MEM0_PYTHON names no interpreter with mem0ai (see the docstring of this file)"
)
DIMENSIONS = 64


class FakeModel(BaseHTTPRequestHandler):
    """OpenAI's /embeddings: a text's vector is the sum of one place for each of its words."""

    def do_POST(self) -> None:
        """Answer one request."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        rows = [{"object": "embedding", "index": at, "embedding": vector(text)} for at, text in enumerate(texts)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        body = json.dumps({"object": "list", "data": rows, "model": "fake", "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent."""


def vector(text: str) -> list[float]:
    """A unit vector of the words of a text."""
    row = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()):
        row[hashlib.sha256(word.encode()).digest()[0] % DIMENSIONS] += 1.0
    length = sum(value * value for value in row) ** 0.5 or 1.0
    return [value / length for value in row]


@pytest.fixture(scope="module")
def mem0(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running mem0 with three memories of one user and one of another."""
    model = ThreadingHTTPServer(("127.0.0.1", 0), FakeModel)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    folder = tmp_path_factory.mktemp("mem0")
    command = [PYTHON, str(Path(__file__).with_name("mem0_server.py")), str(folder)]
    command += [f"http://127.0.0.1:{model.server_address[1]}"]
    environment = {**os.environ, "MEM0_DIR": str(folder)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as server:
        assert server.stdin
        assert server.stdout
        url = f"http://127.0.0.1:{int(server.stdout.readline())}"
        for user, text in (
            ("work", "Priya owns the billing service"),
            ("work", "The office closes at six"),
            ("work", "Kafka retention is seven days"),
            ("private", "Priya owns a billing secret"),
        ):
            said = json.dumps({"messages": [{"role": "user", "content": text}], "user_id": user}).encode()
            urllib.request.urlopen(urllib.request.Request(f"{url}/memories", said), timeout=60).read()
        yield url
        server.stdin.close()
        server.wait(120)
    model.shutdown()
    model.server_close()


def test_its_hits_are_read(mem0: str) -> None:
    hits = Mem0Peer("mem0", mem0, "", 60.0).search("Who owns the billing service?", 2, "work")
    assert hits[0].text == "Priya owns the billing service"
    assert len(hits) == 2
    assert 0 < hits[1].score <= hits[0].score
    assert hits[0].id
    assert hits[0].when is not None


def test_another_user_is_another_namespace(mem0: str) -> None:
    texts = {hit.text for hit in Mem0Peer("mem0", mem0, "", 60.0).search("billing", 10, "work")}
    assert "Priya owns a billing secret" not in texts
    assert Mem0Peer("mem0", mem0, "", 60.0).search("billing", 10, "nobody") == []


@pytest.mark.parametrize(("question", "peers"), [("Who owns the billing service?", 1), ("what do I prefer?", 0)])
def test_a_recall_shows_them_beside_its_own_hits(
    mem0: str, question: str, peers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMBRAY_PEERS", f"mem0={mem0}")
    monkeypatch.setenv("COMBRAY_PEER_TIMEOUT", "30")
    with combray.open(":memory:", namespace="work", preset="engram", embedder="none", worker=False) as engine:
        engine.remember("The billing service is written in Go")
        found = engine.recall(question).details.get("peers", [])
        assert (len(found) > 0) == bool(peers)
