"""Profiles of tools, the reference server's graph, prompts, resources, HTTP, and the end of a client."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from agent import Agent, connected, process, text
from anyio.from_thread import start_blocking_portal
from listening import started
from mcp import Client

from combray.interfaces.mcp.lines import NOTICE
from combray.interfaces.mcp.profiles import PROFILES

ANA = {"name": "Ana", "entityType": "person", "observations": ["likes tea", "lives in Porto"]}
KNOWS = {"from": "Ana", "to": "Bo", "relationType": "knows"}


@pytest.mark.parametrize("profile", [each for each, tools in PROFILES.items() if "remember" in tools])
def test_what_the_answer_of_remember_asks_for_is_offered(tmp_path: Path, profile: str) -> None:
    with connected(tmp_path / "a.db", profile, embedder="none") as agent:
        for fact in ("I live in Leipzig.", "My sister plays the cello.", "I like green tea."):
            agent.remember(fact, occurred_at="2025-09-03")
        said = text(agent.call("remember", content="I live in Porto now.", occurred_at="2026-02-11"))
        (call,) = re.findall(r"(\w+)\(new='([\w-]+)', old='([\w-]+)'", said)
        assert agent.done(call[0], new=call[1], old=call[2], verdict="supersedes")["verdict"] == "supersedes"


@pytest.mark.parametrize(
    ("profile", "names"),
    [
        ("openclaw", "memory_search memory_get"),
        ("engram", "remember recall think settle_memories add_turn list_memories forget status"),
        (
            "official",
            "create_entities create_relations add_observations delete_entities delete_observations "
            "delete_relations read_graph search_nodes open_nodes",
        ),
    ],
)
def test_a_profile_offers_its_tools_with_title_annotations_and_output_schema(
    tmp_path: Path, profile: str, names: str
) -> None:
    with connected(tmp_path / "a.db", profile, embedder="none") as agent:
        tools = agent.portal.call(agent.client.list_tools).tools
    assert [tool.name for tool in tools] == names.split()
    for tool in tools:
        assert tool.title
        assert tool.annotations
        assert tool.output_schema
        assert tool.output_schema["type"] == "object"


def test_the_default_server_remembers_recalls_and_shows_prompts_and_resources(tmp_path: Path) -> None:
    with process(tmp_path / "a.db") as agent:
        tools = [each.name for each in agent.portal.call(agent.client.list_tools).tools]
        assert tools == ["remember", "recall", "settle_memories", "update_memory", "forget"]
        made = agent.remember("I prefer tea without sugar", category="preference", source="user")
        assert agent.done("recall", query="tea")["results"][0]["content"] == "I prefer tea without sugar"
        prompts = agent.portal.call(agent.client.list_prompts).prompts
        assert [each.name for each in prompts] == ["recall", "review", "remember-session"]
        shown = agent.portal.call(agent.client.get_prompt, "recall", {"topic": "tea"}).messages[0].content
        assert "tea" in shown.text  # type: ignore[union-attr]
        for uri in ("memory://recent", "memory://profile", f"memory://memory/{made}"):
            (content,) = agent.portal.call(agent.client.read_resource, uri).contents
            first, *rest = content.text.splitlines()  # type: ignore[union-attr]
            assert first == NOTICE
            assert "tea without sugar" in "".join(rest)


def test_aliases_of_an_entity_are_remembered(tmp_path: Path) -> None:
    with connected(tmp_path / "a.db") as agent:
        agent.remember("Robert repairs clocks", entities={"Robert": ["Bob"]})
        assert agent.done("recall", query="What does Bob repair?")["results"]


# -- the reference memory server -----------------------------------------------------------------------


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_the_graph_answers_as_the_reference_server_does(tmp_path: Path, embedder: str) -> None:
    with connected(tmp_path / "a.db", "official", embedder=embedder) as agent:
        bo = {"name": "Bo", "entityType": "person", "observations": []}
        assert agent.done("create_entities", entities=[ANA, bo]) == {"entities": [ANA, bo]}
        assert agent.done("create_entities", entities=[ANA]) == {"entities": []}
        assert agent.done("create_relations", relations=[KNOWS]) == {"relations": [KNOWS]}
        assert agent.done("create_relations", relations=[KNOWS]) == {"relations": []}
        added = agent.done(
            "add_observations", observations=[{"entityName": "Ana", "contents": ["likes tea", "x"]}]
        )
        assert added == {"results": [{"entityName": "Ana", "addedObservations": ["x"]}]}
        ana = {**ANA, "observations": ["likes tea", "lives in Porto", "x"]}
        graph = {"entities": [ana, bo], "relations": [KNOWS]}
        assert agent.done("read_graph") == graph
        assert agent.done("search_nodes", query="PORTO") == {"entities": [ana], "relations": [KNOWS]}
        assert agent.done("open_nodes", names=["Bo", "nobody"]) == {"entities": [bo], "relations": [KNOWS]}
        missing = agent.call("add_observations", observations=[{"entityName": "Zed", "contents": ["y"]}])
        assert missing.is_error
        assert text(missing) == "Entity with name Zed not found"
        gone = agent.done("delete_observations", deletions=[{"entityName": "Ana", "observations": ["x"]}])
        assert gone == {"success": True, "message": "Observations deleted successfully"}
        agent.done("delete_relations", relations=[KNOWS])
        assert agent.done("read_graph") == {"entities": [ANA, bo], "relations": []}
        agent.done("create_relations", relations=[KNOWS])
        agent.done("delete_entities", entityNames=["Ana"])
        assert agent.done("read_graph") == {"entities": [bo], "relations": []}
        # What belonged to the deleted entity does not return with a new one of that name.
        agent.done("create_entities", entities=[{**ANA, "observations": ["new"]}])
        assert agent.done("open_nodes", names=["Ana"])["entities"][0]["observations"] == ["new"]


def test_servers_that_write_at_once_lose_no_observation(tmp_path: Path) -> None:
    server = (tmp_path / "a.db", "--tools", "official", "--embedder", "none")
    with process(*server) as one, process(*server) as two:
        one.done("create_entities", entities=[{**ANA, "observations": []}])

        def write(at: int) -> None:
            agent = (one, two)[at % 2]
            agent.done("add_observations", observations=[{"entityName": "Ana", "contents": [f"fact {at}"]}])

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(40)))
        (ana,) = one.done("read_graph")["entities"]
    assert sorted(ana["observations"]) == sorted(f"fact {at}" for at in range(40))


# -- HTTP, and the end ---------------------------------------------------------------------------------


def test_http_answers_on_loopback_and_refuses_foreign_hosts_and_origins(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "combray", "mcp", "--db", str(tmp_path / "a.db"), "--embedder", "none"]

    def start(port: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen([*command, "--http", "--port", str(port)], stderr=subprocess.DEVNULL)

    running, port = started(start)
    url = f"http://127.0.0.1:{port}/mcp"
    try:
        with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(url)) as client:
            agent = Agent(portal, client)
            agent.remember("Lighthouses blink")
            assert agent.done("recall", query="lighthouses")["results"]
        asked: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        accepts = {"Accept": "application/json, text/event-stream"}
        for foreign in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            assert httpx2.post(url, json=asked, headers=accepts | foreign, timeout=180).status_code in (403, 421)
    finally:
        running.send_signal(signal.SIGTERM)
        running.wait(60)
    assert running.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("between", ["", "shell"])
def test_the_server_ends_when_its_client_is_killed(tmp_path: Path, between: str) -> None:
    command = [sys.executable, "-m", "combray", "mcp", "--db", str(tmp_path / "a.db"), "--embedder", "none"]
    if between:
        # The shell waits for the server: a grandchild of the client.
        command = ["sh", "-c", f"{shlex.join(command)}; exit $?"]
    client = (
        "import subprocess, sys, time\n"
        f"command = {command!r}\n"
        "server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "print(server.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    agent = subprocess.Popen([sys.executable, "-c", client], stdout=subprocess.PIPE)
    assert agent.stdout
    server = int(agent.stdout.readline())
    while sys.platform == "linux" and between and not _children(server):
        time.sleep(0.01)  # the shell has not started it yet
    children = [*_children(server), server]
    agent.kill()
    agent.wait()
    for _ in range(1200):
        if not any(map(_runs, children)):
            return
        time.sleep(0.05)
    for each in filter(_runs, children):
        os.kill(each, signal.SIGKILL)
    pytest.fail("the server outlived its client by 60 s")


def _children(process: int) -> list[int]:
    listed = Path(f"/proc/{process}/task/{process}/children")
    return list(map(int, listed.read_text().split())) if listed.exists() else []


def _runs(process: int) -> bool:
    stat = Path(f"/proc/{process}/stat")
    if stat.parent.parent.exists() and sys.platform == "linux":
        return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
