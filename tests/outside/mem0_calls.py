"""The same calls on mem0's `MemoryClient`, mem0's own `Memory` and Combray's; prints what each returned as JSON.

Run by the interpreter that has mem0: `python mem0_calls.py client SERVER_URL` or `… own FOLDER MODEL_URL`; by the
one that has Combray: `… combray FOLDER`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

MODE, *REST = sys.argv[1:]
DIMENSIONS = 64
MESSAGES = [
    {"role": "system", "content": "You are helpful."},
    {"role": "user", "content": "Priya owns the billing service", "name": "priya"},
    {"role": "assistant", "content": "The office closes at six"},
]
RETURNED: dict[str, Any] = {}


def note(name: str, call: Callable[[], Any]) -> Any:
    """Call, and note what came back or what was raised."""
    try:
        RETURNED[name] = call()
    except Exception as error:  # noqa: BLE001 - the test compares it
        RETURNED[name] = {"raised": type(error).__name__, "said": str(error)}
    return RETURNED[name]


def main() -> None:
    """Call everything that both have, then what only the client has."""
    memory = {"client": client, "own": own, "combray": combray}[MODE]()
    added = note("add", lambda: memory.add(MESSAGES, user_id="ann", metadata={"team": "web"}, infer=False))
    memory.add("Bob likes chess", user_id="bob", infer=False)
    one = added["results"][0]["id"]
    note("get", lambda: memory.get(one))
    note("get_all", lambda: memory.get_all(filters={"user_id": "ann"}))
    note("search", lambda: memory.search("Who owns the billing service?", filters={"user_id": "ann"}, top_k=5))
    note("search_metadata", lambda: memory.search("billing", filters={"user_id": "ann", "team": "data"}))
    note("get_all_unbound", lambda: memory.get_all(filters={"team": "web"}))
    note("update", lambda: memory.update(one, text="Priya and Tom own the billing service"))
    note("updated", lambda: memory.get(one))
    note("history", lambda: memory.history(one))
    note("delete", lambda: memory.delete(one))
    note("history_deleted", lambda: memory.history(one))
    note("get_deleted", lambda: memory.get(one))
    note("delete_all_unbound", memory.delete_all)
    note("delete_all", lambda: memory.delete_all(user_id="ann"))
    note("get_all_deleted", lambda: memory.get_all(filters={"user_id": "ann"}))
    note("get_all_of_bob", lambda: memory.get_all(filters={"user_id": "bob"}))
    if MODE == "client":
        of_the_client(memory)
    else:
        of_the_library(memory)
    print(json.dumps(RETURNED, default=str))


def of_the_library(memory: Any) -> None:
    """Call what only the library has."""
    parts = [{"role": "user", "content": [{"type": "text", "text": "Eve paints"}]}]
    missing = "00000000-0000-4000-8000-000000000000"
    note("add_parts", lambda: memory.add(parts, user_id="eve", agent_id="a1", run_id="r1", infer=False))
    note("add_text", lambda: memory.add("Eve dances", user_id="eve", infer=False))
    note("add_one", lambda: memory.add({"role": "user", "content": "Eve cooks"}, run_id="r2", infer=False))
    note("add_unbound", lambda: memory.add("Nobody's", infer=False))
    note("get_all_of_eve", lambda: memory.get_all(filters={"user_id": "eve"}))
    note("get_all_of_agent", lambda: memory.get_all(filters={"user_id": "eve", "agent_id": "a1"}))
    note("get_all_of_run2", lambda: memory.get_all(filters={"run_id": "r2"}, top_k=1))
    one = RETURNED["add_text"]["results"][0]["id"]
    note("update_metadata", lambda: memory.update(one, metadata={"mood": "glad"}))
    memory.update(one, metadata={"place": "hall"})
    note("get_metadata", lambda: memory.get(one))
    note("update_nothing", lambda: memory.update(one))
    note("update_data", lambda: memory.update(one, data="Eve dances tango"))
    note("get_data", lambda: memory.get(one))
    note("search_unbound", lambda: memory.search("Eve"))
    note("search_empty", lambda: memory.search("", filters={"user_id": "eve"}))
    note("get_missing", lambda: memory.get(missing))
    note("update_missing", lambda: memory.update(missing, text="x"))
    note("delete_missing", lambda: memory.delete(missing))
    note("history_missing", lambda: memory.history(missing))
    note("delete_all_of_agent", lambda: memory.delete_all(agent_id="a1"))
    note("get_all_of_eve_left", lambda: memory.get_all(filters={"user_id": "eve"}))
    note("chat", lambda: memory.chat("hello"))
    note("reset", memory.reset)
    note("get_all_after_reset", lambda: memory.get_all(filters={"user_id": "eve"}))
    memory.close()


def of_the_client(memory: Any) -> None:
    """Call what only the client has."""
    ids = [each["id"] for each in memory.add(MESSAGES, user_id="carl", agent_id="desk")["results"]]
    note("page", lambda: memory.get_all(filters={"AND": [{"user_id": "carl"}]}, page=2, page_size=1))
    note("users", memory.users)
    note("batch_update", lambda: memory.batch_update([{"memory_id": ids[0], "text": "Tom owns billing"}]))
    note("batch_delete", lambda: memory.batch_delete([{"memory_id": ids[1]}]))
    note("get_all_of_carl", lambda: memory.get_all(filters={"user_id": "carl"}))
    note("delete_all_filters", lambda: memory.delete_all(filters={"user_id": "bob"}))
    note("get_all_of_bob_deleted", lambda: memory.get_all(filters={"user_id": "bob"}))
    note("delete_users", lambda: memory.delete_users(agent_id="desk"))
    note("get_all_of_carl_deleted", lambda: memory.get_all(filters={"user_id": "carl"}))
    memory.add("Dora sings", run_id="r1")
    note("reset", memory.reset)
    note("get_all_of_run", lambda: memory.get_all(filters={"run_id": "r1"}))


def client() -> Any:
    """mem0's client against a server."""
    os.environ["MEM0_TELEMETRY"] = "False"
    from mem0 import MemoryClient

    return MemoryClient(api_key=os.environ.get("MEM0_API_KEY", "any"), host=REST[0])


def combray() -> Any:
    """Combray's own, of the same configuration."""
    from combray.compat.mem0 import Memory

    store = {"provider": "qdrant", "config": {"path": f"{REST[0]}/qdrant"}}
    return Memory.from_config({"vector_store": store, "combray": {"embedder": "none"}})


def own() -> Any:
    """mem0 itself, with a model at MODEL_URL."""
    os.environ |= {"MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": REST[1]}
    from mem0 import Memory

    embedder = {"model": "fake", "openai_base_url": REST[1], "embedding_dims": DIMENSIONS}
    store = {"path": f"{REST[0]}/qdrant", "embedding_model_dims": DIMENSIONS, "on_disk": True}
    return Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": store},
            "embedder": {"provider": "openai", "config": embedder},
            "llm": {"provider": "openai", "config": {"model": "fake", "openai_base_url": REST[1]}},
            "history_db_path": f"{REST[0]}/history.db",
        }
    )


main()
