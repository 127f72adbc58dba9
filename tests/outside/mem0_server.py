"""A small REST layer around mem0's `Memory`: POST /memories and POST /search, as mem0's own server has them.

Run by the interpreter that has mem0: `python mem0_server.py FOLDER MODEL_URL`. Prints its port and serves until
its input ends. Every model call goes to MODEL_URL, an OpenAI-compatible service.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

os.environ |= {"MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": sys.argv[2]}

from mem0 import Memory

FOLDER, MODEL = sys.argv[1:3]
DIMENSIONS = 64
MEMORY = Memory.from_config(
    {
        "vector_store": {
            "provider": "qdrant",
            "config": {"path": f"{FOLDER}/qdrant", "embedding_model_dims": DIMENSIONS, "on_disk": True},
        },
        "embedder": {
            "provider": "openai",
            "config": {"model": "fake", "openai_base_url": MODEL, "embedding_dims": DIMENSIONS},
        },
        "llm": {"provider": "openai", "config": {"model": "fake", "openai_base_url": MODEL}},
        "history_db_path": f"{FOLDER}/history.db",
    }
)
ONE_AT_A_TIME = threading.Lock()


def answered(path: str, asked: dict[str, Any]) -> Any:
    """What mem0's own server returns for the two requests."""
    if path == "/memories":
        return MEMORY.add(asked["messages"], user_id=asked["user_id"], infer=False)
    return MEMORY.search(asked["query"], filters={"user_id": asked["user_id"]}, top_k=asked["top_k"])


class Handler(BaseHTTPRequestHandler):
    """Answers in JSON; an error is a 500 with its text."""

    def do_POST(self) -> None:
        """Answer one request."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            with ONE_AT_A_TIME:
                status, said = 200, answered(self.path, asked)
        except Exception as error:  # noqa: BLE001 - the test shows it
            status, said = 500, {"detail": repr(error)}
        body = json.dumps(said, default=str).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent."""


SERVER = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=SERVER.serve_forever, daemon=True).start()
print(SERVER.server_address[1], flush=True)
sys.stdin.read()
