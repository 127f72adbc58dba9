"""Make the golden files with the tools themselves: `python make.py mem0` or `python make.py langgraph`.

Run by an interpreter that has `mem0ai` (2.2.1 made what is here) or `langgraph-checkpoint-sqlite` (3.1.2).
The files of Zep and Graphiti, Letta, Obsidian, basic-memory and the OKF bundle are written by hand from their
specifications: those tools need a database server, an account or a desktop.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


class Model(BaseHTTPRequestHandler):
    """OpenAI's /embeddings with eight numbers for a text."""

    def do_POST(self) -> None:
        """Answer one request."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        rows = [
            {"object": "embedding", "index": at, "embedding": [byte / 255 for byte in _digest(text)]}
            for at, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        body = json.dumps({"object": "list", "data": rows, "model": "fake", "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent."""


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:8]


def mem0() -> None:
    """mem0's local Qdrant with its history, and what `get_all` returns."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    folder = HERE / "of_mem0"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    os.environ |= {"MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none", "MEM0_DIR": str(folder / "settings")}
    from mem0 import Memory

    model = {"model": "fake", "openai_base_url": url}
    memory = Memory.from_config(
        {
            "vector_store": {
                "provider": "qdrant",
                "config": {"path": str(folder / "qdrant"), "embedding_model_dims": 8, "on_disk": True},
            },
            "embedder": {"provider": "openai", "config": {**model, "embedding_dims": 8}},
            "llm": {"provider": "openai", "config": model},
            "history_db_path": str(folder / "history.db"),
        }
    )
    talk = [
        {"role": "user", "content": "Priya owns the billing service", "name": "priya"},
        {"role": "assistant", "content": "The office closes at six"},
    ]
    memory.add(talk, user_id="ann", metadata={"team": "web"}, infer=False)
    memory.add("Bob likes chess", user_id="Bob", agent_id="desk", infer=False)
    gone = memory.add("Bob hates chess", user_id="Bob", infer=False)["results"][0]["id"]
    memory.delete(gone)
    one = memory.get_all(filters={"user_id": "Bob"})["results"][0]["id"]
    memory.update(one, text="Bob likes chess and go")
    every = [each for user in ("ann", "Bob") for each in memory.get_all(filters={"user_id": user})["results"]]
    (folder / "export.json").write_text(json.dumps({"results": every}, indent=1), encoding="utf-8")
    memory.close()
    memory.vector_store.client.close()
    server.shutdown()
    shutil.rmtree(folder / "settings", ignore_errors=True)


def langgraph() -> None:
    """The SQLite file of a LangGraph store."""
    import sqlite3

    from langgraph.store.sqlite import SqliteStore

    path = HERE / "langgraph.sqlite"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    store = SqliteStore(connection, ttl={"default_ttl": None, "refresh_on_read": True})
    store.setup()
    store.put(("users", "ann"), "tea", {"text": "Ann drinks tea."})
    store.put(("users", "ann"), "job", {"role": "nurse", "since": 2021})
    store.put(("users", "ann"), "trip", {"text": "Ann is in Rome.", "mood": "glad"}, ttl=60 * 24 * 36500)
    connection.close()


if __name__ == "__main__":
    {"mem0": mem0, "langgraph": langgraph}[sys.argv[1]]()
