"""Make the golden files with the tools themselves: `python make.py NAME`.

The interpreter must have the tool:

    mem0       mem0ai 2.2.1, with qdrant-client 1.20.0
    langgraph  langgraph-checkpoint-sqlite 3.1.2
    graphiti   graphiti-core 0.31.2: its models; a graph itself needs a database server
    letta      letta 0.16.8: its models, without a server

The vault of Obsidian and basic-memory is written by hand and compared with the sources of basic-memory 0.24.1.
The OKF bundle is written by hand from the specification.
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


def graphiti() -> None:
    """Graphiti's `SearchResults`, as its models write them."""
    from datetime import UTC, datetime

    from graphiti_core.edges import EntityEdge
    from graphiti_core.nodes import CommunityNode, EntityNode, EpisodeType, EpisodicNode
    from graphiti_core.search.search_config import SearchResults

    ana, lisbon, fact, chat, gone = (
        f"{at}" * 8 + f"-{at * 4}-4{at * 3}-8{at * 3}-" + f"{at}" * 12 for at in "12349"
    )
    made = datetime(2026, 2, 1, 8, tzinfo=UTC)
    common = {"group_id": "g1", "created_at": made}
    results = SearchResults(
        nodes=[
            EntityNode(
                uuid=ana,
                name="Ana",
                labels=["Person"],
                summary="A nurse in Lisbon.",
                attributes={"shift": "night"},
                **common,
            ),
            EntityNode(uuid=lisbon, name="Lisbon", labels=["City"], name_embedding=[0.3, 0.4], **common),
        ],
        edges=[
            EntityEdge(
                uuid=fact,
                source_node_uuid=ana,
                target_node_uuid=lisbon,
                name="LIVES_IN",
                fact="Ana lived in Lisbon.",
                fact_embedding=[0.1, 0.2],
                episodes=[chat, gone],
                valid_at=datetime(2020, 5, 1, tzinfo=UTC),
                invalid_at=datetime(2026, 1, 10, tzinfo=UTC),
                expired_at=made,
                attributes={"rented": True},
                **common,
            )
        ],
        episodes=[
            EpisodicNode(
                uuid=chat,
                name="chat",
                source=EpisodeType.message,
                source_description="chat",
                content="I left Lisbon in January.",
                valid_at=datetime(2026, 2, 1, 7, 59, tzinfo=UTC),
                entity_edges=[fact],
                episode_metadata={"channel": "web"},
                **common,
            )
        ],
        communities=[CommunityNode(uuid="5" * 8, name="Lisbon", summary="People of Lisbon.", **common)],
    )
    (HERE / "graphiti.json").write_text(results.model_dump_json(indent=1) + "\n", encoding="utf-8")


def letta() -> None:
    """An agent file as `AgentFileSchema` writes it, with the envelopes of `letta.system`."""
    from datetime import UTC, datetime

    from letta.schemas.agent_file import AgentFileSchema, AgentSchema, BlockSchema, MessageSchema
    from letta.schemas.letta_message_content import TextContent
    from letta.system import get_heartbeat, package_function_response, package_user_message
    from openai.types.chat.chat_completion_message_tool_call import ChatCompletionMessageToolCall

    zone, number = "UTC", iter(range(100))

    def message(role: str, text: str, **more: Any) -> MessageSchema:
        at = next(number)
        parts = [TextContent(text=text)] if text else []
        made = datetime(2026, 2, 1, 8, at, tzinfo=UTC)
        return MessageSchema(
            id=f"message-{at}", role=role, content=parts, agent_id="agent-0", created_at=made, **more
        )

    def call(name: str, **given: Any) -> ChatCompletionMessageToolCall:
        function = {"name": name, "arguments": json.dumps(given)}
        return ChatCompletionMessageToolCall(id=f"call-{name}", type="function", function=function)

    agent = AgentSchema(
        id="agent-0",
        name="helper",
        system="You are helpful.",
        block_ids=["block-0", "block-1"],
        tags=["home"],
        in_context_message_ids=["message-0", "message-1"],
        messages=[
            message("system", "You are helpful."),
            message("user", package_user_message("My cat is called Mia.", zone)),
            message(
                "assistant", "The user has a cat.", tool_calls=[call("send_message", message="What a name!")]
            ),
            message("tool", package_function_response(True, "None", zone), tool_call_id="call-send_message"),
            message("user", get_heartbeat(zone, "Automated timer")),
            message("assistant", "", tool_calls=[call("web_search", query="cats")]),
            message("tool", package_function_response(True, "Cats sleep.", zone), tool_call_id="call-web_search"),
            message("user", "She is three."),
        ],
    )
    blocks = [
        BlockSchema(
            id="block-0",
            label="human",
            value="The user has a cat called Mia.",
            limit=5000,
            description="What is known of the user",
        ),
        BlockSchema(id="block-1", label="persona", value=""),
    ]
    empty: dict[str, Any] = {name: [] for name in ("groups", "files", "sources", "tools", "mcp_servers")}
    file = AgentFileSchema(agents=[agent], blocks=blocks, created_at=datetime(2026, 2, 2, tzinfo=UTC), **empty)
    (HERE / "letta.af").write_text(file.model_dump_json(indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    {"mem0": mem0, "langgraph": langgraph, "graphiti": graphiti, "letta": letta}[sys.argv[1]]()
