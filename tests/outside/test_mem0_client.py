"""mem0's own `MemoryClient` against `combray serve`, and the same calls on mem0 itself, call by call.

It needs an interpreter with mem0ai, which the suite does not install: see test_mem0_server.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from test_mem0_server import FakeModel

sys.path.append(str(Path(__file__).parents[1] / "server"))
from serving import environment, serving

PYTHON = os.environ.get("COMBRAY_MEM0_PYTHON", "") or (sys.executable if find_spec("mem0") else "")
pytestmark = pytest.mark.skipif(
    not PYTHON, reason="mem0ai is not importable and COMBRAY_MEM0_PYTHON names no interpreter with it"
)
Returned = dict[str, Any]


def returned(folder: Path, *arguments: str) -> Returned:
    """What the calls returned."""
    command = [PYTHON, str(Path(__file__).with_name("mem0_calls.py")), *arguments]
    variables = environment(folder) | {"MEM0_DIR": str(folder)}
    done = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=300)
    assert done.returncode == 0, done.stderr
    found: Returned = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Returned:
    folder = tmp_path_factory.mktemp("client")
    with serving(folder / "a.db", mem0=True) as served:
        return returned(folder, "client", f"http://127.0.0.1:{served.port}")


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Returned]:
    model = ThreadingHTTPServer(("127.0.0.1", 0), FakeModel)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    folder = tmp_path_factory.mktemp("own")
    yield returned(folder, "own", str(folder), f"http://127.0.0.1:{model.server_address[1]}")
    model.shutdown()
    model.server_close()


def texts(found: Any) -> list[str]:
    return sorted(each["memory"] for each in found["results"])


@pytest.mark.parametrize(
    "call", ["add", "get_all", "search", "search_metadata", "get_all_deleted", "get_all_of_bob"]
)
def test_the_same_memories_come_back(ours: Returned, theirs: Returned, call: str) -> None:
    mine = texts(ours[call])
    if call == "search":
        # mem0 fills up to top_k; Combray leaves out what does not answer.
        assert mine[0] in texts(theirs[call])
    else:
        assert mine == texts(theirs[call])


@pytest.mark.parametrize("call", ["add", "get_all", "search"])
def test_each_result_has_mem0s_fields(ours: Returned, theirs: Returned, call: str) -> None:
    wanted = set(theirs[call]["results"][0]) - {"score_details", "attributed_to"}
    assert wanted <= set(ours[call]["results"][0])


def test_a_memory_has_mem0s_fields_and_values(ours: Returned, theirs: Returned) -> None:
    for call in ("get", "updated"):
        assert set(theirs[call]) - {"score"} <= set(ours[call])
        for field in ("memory", "user_id", "metadata", "role", "actor_id"):
            assert ours[call].get(field) == theirs[call].get(field), field


def test_events_are_mem0s(ours: Returned, theirs: Returned) -> None:
    assert [each["event"] for each in ours["add"]["results"]] == ["ADD", "ADD"]
    for call in ("history", "history_deleted"):
        assert set(theirs[call][0]) <= set(ours[call][0])
        for field in ("event", "old_memory", "new_memory", "is_deleted"):
            assert [each[field] for each in ours[call]] == [each[field] for each in theirs[call]], field


@pytest.mark.parametrize("call", ["get_all_unbound", "delete_all_unbound"])
def test_what_no_entity_bounds_is_refused_by_both(ours: Returned, theirs: Returned, call: str) -> None:
    assert theirs[call]["raised"] == "ValueError"
    assert ours[call]["raised"] == "ValidationError"


def test_messages_of_changes_are_mem0s(ours: Returned, theirs: Returned) -> None:
    for call in ("update", "delete", "delete_all"):
        assert ours[call]["message"] == theirs[call]["message"]
    # mem0 itself returns null; its platform, 404.
    assert theirs["get_deleted"] is None
    assert ours["get_deleted"]["raised"] == "MemoryNotFoundError"


def test_what_only_the_client_has(ours: Returned) -> None:
    assert ours["page"]["count"] == 2
    assert len(ours["page"]["results"]) == 1
    named = {(each["type"], each["name"], each["total_memories"]) for each in ours["users"]["results"]}
    assert named == {("user", "bob", 1), ("user", "carl", 2), ("agent", "desk", 2)}
    assert "1 memories" in ours["batch_update"]["message"]
    assert texts(ours["get_all_of_carl"]) == ["Tom owns billing"]
    assert texts(ours["get_all_of_bob_deleted"]) == []
    assert ours["delete_users"]["message"] == "Entity deleted successfully."
    assert texts(ours["get_all_of_carl_deleted"]) == []
    assert "raised" not in ours["reset"]
    assert texts(ours["get_all_of_run"]) == []
