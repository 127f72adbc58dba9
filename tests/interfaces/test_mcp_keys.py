"""Keys for HTTP: who gets in, what a key sees, and what is never shown."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from agent import Agent, environment
from anyio.from_thread import start_blocking_portal
from listening import started
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from shell import Shell

import combray
from combray import InvalidInputError
from combray.interfaces.mcp import http
from combray.interfaces.mcp.http import Keys, McpByCaller
from combray.interfaces.mcp.server import server_for

ANA, BO = "ana-0123456789abcdefghij", "bo-9876543210abcdefghij"
LINES = f"# keys\n\n{ANA} ana,shared\n{BO} bo\n"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ACCEPTS = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("keys")
    file, log = folder / "keys", folder / "log"
    file.write_text(LINES, encoding="utf-8")
    program = [sys.executable, "-m", "combray", "mcp", "--db", str(folder / "a.db"), "--embedder", "none"]
    program += ["--http", "--host", "0.0.0.0", "--keys", str(file), "--tools", "full"]

    def start(port: int) -> subprocess.Popen[bytes]:
        with log.open("wb") as written:
            return subprocess.Popen([*program, "--port", str(port)], stderr=written, env=environment(folder))

    running, port = started(start)
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        running.send_signal(signal.SIGTERM)
        running.wait(60)
    said = log.read_text(encoding="utf-8")
    assert ANA not in said
    assert BO not in said


def test_a_file_of_keys_may_have_a_byte_order_mark_and_must_be_utf8(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_bytes(b"\xef\xbb\xbf" + f"{ANA} ana\n".encode())
    assert Keys.of_file(file).holder(ANA) is not None
    file.write_bytes(f"{ANA} größe\n".encode("latin-1"))
    with pytest.raises(InvalidInputError, match="is not UTF-8 text"):
        Keys.of_file(file)


@contextmanager
def holding(url: str, key: str) -> Iterator[Agent]:
    web = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=180)
    transport: Any = streamable_http_client(url, http_client=web)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(transport)) as client:
        yield Agent(portal, client)


@pytest.mark.parametrize(
    ("header", "challenge"),
    [
        (None, 'Bearer realm="combray"'),
        ("Bearer wrong-0123456789abcdefghij", 'error="invalid_token"'),
        (f"Basic {ANA}", "Bearer"),
        (f"Bearer {ANA}x", 'error="invalid_token"'),
    ],
)
def test_without_a_valid_key_nothing_is_answered(url: str, header: str | None, challenge: str) -> None:
    headers = ACCEPTS | ({"Authorization": header} if header else {})
    answer = httpx2.post(url, json=PING, headers=headers, timeout=180)
    assert answer.status_code == 401
    assert challenge in answer.headers["www-authenticate"]
    assert ANA not in answer.text


def test_a_key_sees_its_namespaces_only(url: str) -> None:
    with holding(url, ANA) as ana, holding(url, BO) as bo:
        made = ana.remember("Kites fly at the beach")
        bo.remember("Boats swim in the harbour")
        assert ana.done("recall", query="kites")["results"]
        assert ana.done("list_memories")["total"] == 1
        assert [each["content"] for each in bo.done("list_memories")["results"]] == ["Boats swim in the harbour"]
        assert "no memory" in bo.refused("forget", id=made)
        resource = f"memory://memory/{made}"
        with pytest.raises(Exception, match="no memory"):
            bo.portal.call(bo.client.read_resource, resource)


def test_other_machines_need_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell(tmp_path, monkeypatch)
    db = str(tmp_path / "x.db")
    for host in ("0.0.0.0", "192.0.2.1", "example.org"):
        refused = shell.run("mcp", "--http", "--host", host, "--db", db)
        assert refused.exit_code == 2
        assert "--keys" in refused.stderr
    assert not Path(db).exists()
    monkeypatch.setenv("COMBRAY_MCP_KEYS", "short work")
    refused = shell.run("mcp", "--http", "--host", "0.0.0.0", "--db", db)
    assert refused.exit_code != 0
    assert "at least 20" in refused.stderr
    assert "short" not in refused.stderr


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (f"{ANA}", "line 1 names no namespace"),
        (f"\n{ANA} a\n{ANA} b", "line 3 repeats a key"),
        ("# nothing", "has no key"),
        (f"{ANA} no/namespace\x00", "namespace"),
    ],
)
def test_a_wrong_line_is_named_and_no_key_shown(lines: str, problem: str) -> None:
    with pytest.raises(InvalidInputError) as raised:
        Keys.read(lines, "keys")
    assert problem in str(raised.value)
    assert ANA not in str(raised.value)


def test_a_key_is_kept_as_its_hash() -> None:
    keys = Keys.read(LINES, "keys")
    assert ANA not in repr(keys)
    holder = keys.holder(ANA)
    assert holder is not None
    assert keys.namespaces[holder] == ("ana", "shared")
    assert keys.holder(ANA[:-1]) is None


def test_servers_of_many_namespaces_are_not_all_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MOST_KEPT", 2, raising=False)
    kept: weakref.WeakSet[Any] = weakref.WeakSet()
    made: list[str] = []

    def make(names: tuple[str, ...], reads: bool) -> Any:
        server = server_for(engine.within(names[0]), names, read_only=reads)
        kept.add(server)
        made.append(names[0])
        return server

    async def ask(app: McpByCaller, name: str) -> None:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app)) as client:
            answer = await client.post("http://x/", json=PING, headers=ACCEPTS | {"Combray-Namespace": name})
        assert answer.status_code == 200

    async def ask_all(names: str) -> None:
        app = McpByCaller(
            make, lambda scope: ((dict(scope["headers"])[b"combray-namespace"].decode(),), False, "")
        )
        async with app.running():
            for name in names:
                await ask(app, name)
            await anyio.sleep(0.05)
            gc.collect()
            assert len(kept) == 2

    with combray.open(":memory:", embedder="none") as engine:
        anyio.run(ask_all, "abacba")
    assert "".join(made) == "abcba"
