"""Events, versions, MCP, the peer protocol, limits, measures, and how a server ends."""

from __future__ import annotations

import json
import signal
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from serving import SECONDS, Served, serving, started

import combray
from combray.engine.store import OpenStore
from combray.errors import StoreError
from combray.server import events, measures
from combray.server.access import Caller, Limits
from combray.server.spaces import Schedule, Spaces, Wish
from combray.stores.sqlite.locks import held


def heard(served: Served, last: str | None = None, namespace: str = "default") -> Generator[dict[str, Any]]:
    """Events as they come; the first is the opening, {}."""
    headers = {"Combray-Namespace": namespace} | ({"Last-Event-ID": last} if last else {})
    with served.client.stream("GET", "/v1/events", headers=headers) as answer:
        assert answer.status_code == 200
        found: dict[str, Any] = {}
        for line in answer.iter_lines():
            name, _, value = line.partition(": ")
            if name and value:
                found[name] = value
            elif not line:
                yield found if "id" in found else {}
                found = {}


def test_a_listener_hears_each_change_once_also_after_it_was_away(served: Served) -> None:
    stream = heard(served)
    assert next(stream) == {}
    first = served.remember("The bell rings.")
    served.client.post("/v1/memories", json={"content": "Elsewhere."}, headers={"Combray-Namespace": "b"})
    one = next(stream)
    assert (one["event"], json.loads(one["data"])["memory_id"]) == ("remember", first)
    assert "bell" not in one["data"]
    stream.close()
    second = served.remember("The horn sounds.")
    # Another process writes, too.
    with combray.open(served.engine.runtime.store.location, embedder="none") as other:
        third = other.remember("The drum beats.").id
    again = heard(served, last=one["id"])
    next(again)
    assert [json.loads(next(again)["data"])["memory_id"] for _ in range(2)] == [second, third]
    again.close()
    refused = served.client.get("/v1/events", headers={"Last-Event-ID": "x"})
    assert refused.status_code == 400


def test_many_lost_events_are_all_given(served: Served) -> None:
    headers = {"Combray-Namespace": "many"}
    for number in range(150):
        served.client.post("/v1/memories", json={"content": f"Number {number}."}, headers=headers)
    stream = heard(served, last="0", namespace="many")
    next(stream)
    numbers = [int(next(stream)["id"]) for _ in range(150)]
    assert numbers == sorted(set(numbers))
    stream.close()


def test_a_long_log_is_never_held_whole() -> None:
    with combray.open(":memory:", embedder="none") as engine:
        with engine.runtime.store.transaction("default") as tx:
            for number in range(1000):
                tx.note("import", "", str(number), 0.0)
        given: list[bytes] = []
        pages = []

        async def look(work: Callable[[], Any]) -> Any:
            found = work()
            pages.append(len(found) if isinstance(found, list) else 0)
            return found

        async def listen() -> None:
            async for each in events.events(engine, 0, look, lambda: len(given) > 1000):
                given.append(each)

        anyio.run(listen)
        assert [each.split(b"\n")[0] for each in given[1:]] == [b"id: %d" % at for at in range(1, 1001)]
        assert max(pages) < 200


def test_of_many_changes_of_one_version_one_wins(served: Served) -> None:
    made = served.remember("The tower stands.")
    path = f"/v1/memories/{made}"
    tag = served.client.get(path).headers["etag"]
    assert tag == '"0"'
    for known in (tag, f'"old", W/{tag}', "*"):
        assert served.client.get(path, headers={"If-None-Match": known}).status_code == 304
    assert served.client.get(path, headers={"If-None-Match": f"W/{tag}0"}).status_code == 200

    def change(number: int) -> int:
        url = f"http://127.0.0.1:{served.port}{path}"
        body = {"source": f"source-{number}"}
        return httpx2.patch(url, json=body, headers={"If-Match": tag}, timeout=SECONDS).status_code

    with ThreadPoolExecutor(8) as pool:
        codes = sorted(pool.map(change, range(16)))
    assert codes == [200] + [412] * 15
    assert served.client.get(path).headers["etag"] == '"1"'
    # The same fields again change nothing, but the version still counts.
    now = served.client.get(path).json()["source"]
    stale = served.client.patch(path, json={"source": now}, headers={"If-Match": tag})
    assert stale.status_code == 412
    assert "has version 1, not 0" in stale.json()["detail"]
    assert served.client.patch(path, json={"author": None}, headers={"If-Match": "*"}).status_code == 200


def test_null_clears_a_field(served: Served) -> None:
    made = served.remember("The shop closes early.", author="Ann")
    path = f"/v1/memories/{made}"
    served.client.patch(path, json={"expires_at": "2030-01-01"})
    assert served.client.get(path).json()["expires_at"] is not None
    found = served.client.patch(path, json={"expires_at": None, "author": None}).json()
    assert (found["expires_at"], found["author"]) == (None, None)


def test_deleted_is_hidden_and_can_be_restored(served: Served) -> None:
    made = served.remember("The kettle whistles.")
    path = f"/v1/memories/{made}"
    assert served.client.delete(path).json()["status"] == "forgotten"
    assert served.client.post("/v1/recall", json={"query": "kettle"}).json()["hits"] == []
    assert served.client.post(f"{path}/restore", json={}).json()["status"] == "active"
    assert served.client.post("/v1/recall", json={"query": "kettle"}).json()["hits"]


async def _tools(url: str, namespace: str) -> list[str]:
    web = httpx2.AsyncClient(headers={"Combray-Namespace": namespace}, timeout=SECONDS)
    transport: Any = streamable_http_client(url, http_client=web)
    async with Client(transport) as client:
        await client.call_tool("remember", {"content": f"Kites fly over {namespace}"})
        return [each.name for each in (await client.list_tools()).tools]


def test_mcp_is_served_with_the_namespace_of_the_header(served: Served) -> None:
    url = f"http://127.0.0.1:{served.port}/mcp"
    for namespace in ("hills", "coast"):
        assert "recall" in anyio.run(_tools, url, namespace)
        headers = {"Combray-Namespace": namespace}
        found = served.client.get("/v1/memories", headers=headers).json()["memories"]
        assert [each["content"] for each in found] == [f"Kites fly over {namespace}"]


def test_an_impossible_namespace_for_mcp_is_refused_and_the_others_are_served(served: Served) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    for _ in range(2):
        wrong = served.client.post("/mcp", json=call, headers=accept | {"Combray-Namespace": "x" * 300})
        assert wrong.status_code == 422
        assert "namespace" in wrong.json()["detail"]
    for name in ("hills", "valley"):
        answer = served.client.post("/mcp", json=call, headers=accept | {"Combray-Namespace": name})
        assert answer.status_code == 200


class _Keyed:
    """Access of one key, as the header says."""

    def authenticate(self, scope: Any) -> Caller:
        key = dict(scope["headers"]).get(b"authorization", b"").decode()
        role, _, names = key.removeprefix("Bearer ").partition(":")
        return Caller(key, role or "admin", frozenset(names.split(",")) if names else None)


def test_a_caller_of_some_namespaces_gets_these_only(tmp_path: Path) -> None:
    with serving(tmp_path / "a.db", access=_Keyed()) as mine:
        for name in ("a", "b"):
            body = {"content": f"The hut of {name}."}
            assert (
                mine.client.post("/v1/memories", json=body, headers={"Combray-Namespace": name}).status_code
                == 201
            )
        of_a = {"Authorization": "Bearer write:a", "Combray-Namespace": "a"}

        def status(method: str, path: str, body: Any = None, **more: str) -> int:
            return mine.client.request(method, path, json=body, headers=of_a | more).status_code

        assert status("GET", "/v1/memories") == 200
        assert status("GET", "/v1/memories?namespaces=a&namespaces=b") == 403
        assert status("POST", "/v1/recall", {"query": "hut", "namespaces": ["b"]}) == 403
        assert status("GET", "/v1/memories", **{"Combray-Namespace": "b"}) == 403
        assert status("POST", "/v1/memories/erase", {"ids": ["x"]}) == 403
        for path in ("/v1/audit", "/v1/namespaces", "/metrics"):
            assert status("GET", path) == 403
        assert status("POST", "/v1/memories", {"content": "x"}, Authorization="Bearer read:a") == 403
        shown = mine.client.get("/v1/status", headers=of_a).json()
        assert {"namespaces", "location"}.isdisjoint(shown)
        asked = {"query": "hut", "namespace": "theirs"}
        found = mine.client.post("/v1/search", json=asked, headers={"Authorization": "Bearer read:a"}).json()
        assert [each["text"] for each in found["results"]] == ["The hut of a."]
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        accept = {"Accept": "application/json, text/event-stream"}
        reading = mine.client.post("/mcp", json=call, headers=accept | {"Authorization": "Bearer read:a"}).json()
        assert [each["name"] for each in reading["result"]["tools"]] == ["recall"]
        elsewhere = accept | {"Authorization": "Bearer read:a", "Combray-Namespace": "b"}
        assert mine.client.post("/mcp", json=call, headers=elsewhere).status_code == 403


def test_a_peer_asks_the_server(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served.remember("The quarterly rollout belongs to Zora.")
    monkeypatch.setenv("COMBRAY_PEERS", f"combray:team=http://127.0.0.1:{served.port}")
    with combray.open(tmp_path / "mine.db", embedder="none", preset="engram") as engine:
        engine.remember("The rollout is on Monday.")
        peers = engine.recall("Who owns the quarterly rollout?").details.get("peers", [])
    assert [each["text"] for each in peers if "Zora" in each["text"]]


def test_limits_are_answered_with_what_to_do(tmp_path: Path) -> None:
    limits = Limits(body=100, requests=0, rate=0.3, seconds=0.2)
    with serving(tmp_path / "a.db", limits) as small:
        assert small.client.post("/v1/memories", json={"content": "x" * 100}).status_code == 413
        busy = small.client.get("/v1/status")
        assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")
        codes = [small.client.get("/v1/status").status_code for _ in range(12)]
        assert codes[-1] == 429
        # A body that does not come.
        with socket.create_connection(("127.0.0.1", small.port)) as raw:
            head = "POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            raw.sendall(f"{head}Content-Length: 50\r\n\r\n{{".encode())
            assert raw.recv(100).startswith(b"HTTP/1.1 408")


def test_a_request_that_takes_too_long_writes_nothing(tmp_path: Path) -> None:
    with serving(tmp_path / "a.db", Limits(seconds=1e-9)) as slow:
        answer = slow.client.post(
            "/v1/memories", content=b'{"content": "x"}', headers={"Content-Type": "application/json"}
        )
        assert answer.status_code in (408, 503)
        assert len(slow.engine.list()) == 0


def test_metrics_count_requests_and_memories(served: Served) -> None:
    served.remember("The pump is loud.")
    served.client.get("/v1/memories/unknown")
    text = served.client.get("/metrics").text
    assert 'combray_requests_total{method="GET",route="/v1/memories/{memory_id}",status="404"}' in text
    assert 'combray_request_seconds_bucket{route="/v1/memories/{memory_id}",le="+Inf"}' in text
    assert 'combray_memories{namespace="default"}' in text


@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_an_answer_has_no_tag_of_a_version_that_it_does_not_show(
    method: str, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = served.remember(f"The {method} of the pump.")
    body = None if method == "GET" else {"importance": 4}
    assert served.client.request(method, f"/v1/memories/{made}", json=body).headers["ETag"]
    own = Spaces.carry_out

    async def carry_out(spaces: Spaces, wish: Wish) -> tuple[Any, bool]:
        found = await own(spaces, wish)
        served.engine.update(made, importance=5)
        return found

    monkeypatch.setattr(Spaces, "carry_out", carry_out)
    answer = served.client.request(method, f"/v1/memories/{made}", json=body)
    assert answer.json()["importance"] < 5
    assert "ETag" not in answer.headers


def test_words_that_are_no_methods_are_counted_together(served: Served) -> None:
    for number in range(3):
        assert served.client.request(f"WORD{number}", "/v1/memories").status_code == 405
    text = served.client.get("/metrics").text
    assert 'combray_requests_total{method="other",route="/v1/memories",status="405"} 3' in text
    assert "WORD" not in text


def test_a_failure_of_the_store_does_not_end_the_schedule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, failed = OpenStore.namespaces, threading.Event()

    def failing(store: OpenStore) -> list[str]:
        if not failed.is_set():
            failed.set()
            raise StoreError("the disk is away")
        return own(store)

    monkeypatch.setattr(OpenStore, "namespaces", failing)
    with serving(tmp_path / "a.db", schedule=Schedule(consolidate_every=0.02)) as mine:
        consolidates(mine)
    assert failed.is_set()
    assert not held(str(tmp_path / "a.db"), encrypted=False)


def consolidates(served: Served) -> None:
    served.remember("The pump is loud.")
    until = time.monotonic() + SECONDS
    while not served.client.get("/v1/consolidation/runs").json()["results"]:
        assert time.monotonic() < until, "consolidation does not run"
        time.sleep(0.02)


def test_consolidation_runs_at_its_interval(tmp_path: Path) -> None:
    with serving(tmp_path / "a.db", schedule=Schedule(consolidate_every=0.05)) as mine:
        consolidates(mine)


def test_a_signal_ends_streams_and_keeps_what_was_answered(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    process, port = started(db)
    stored: list[str] = []
    stop = threading.Event()

    def write(worker: int) -> None:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=SECONDS) as client:
            number = 0
            while not stop.is_set():
                try:
                    answer = client.post(
                        "/v1/memories", json={"content": f"Writer {worker} wrote {number} lines."}
                    )
                except httpx2.HTTPError:
                    return
                if answer.status_code in (200, 201):
                    stored.append(answer.json()["id"])
                number += 1

    threads = [threading.Thread(target=write, args=(each,)) for each in range(4)]
    with httpx2.stream("GET", f"http://127.0.0.1:{port}/v1/events", timeout=SECONDS) as listening:
        assert listening.status_code == 200
        for each in threads:
            each.start()
        while len(stored) < 20:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        assert process.wait(SECONDS) in (0, -signal.SIGTERM)
    stop.set()
    for each in threads:
        each.join(SECONDS)
    with combray.open(db, embedder="none") as engine:
        assert {engine.get(each).id for each in stored} == set(stored)


class _Spans:
    """A tracer that keeps the names of spans, as they begin and end."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    @contextmanager
    def start_as_current_span(self, name: str, **_how: object) -> Iterator[Any]:
        self.seen.append(f"{name} begins")
        yield SimpleNamespace(set_attribute=lambda key, value: self.seen.append(f"{key} {value}"))
        self.seen.append(f"{name} ends")

    def start_span(self, name: str) -> Any:
        self.seen.append(name)
        return SimpleNamespace(end=lambda: self.seen.append(f"{name} ends"))


def test_a_request_is_traced_with_its_stages(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    spans = _Spans()
    monkeypatch.setattr(measures, "_tracer", spans)
    served.remember("The oven is warm.")
    # The span ends after the answer has been sent.
    until = time.monotonic() + SECONDS
    while spans.seen[-1] != "POST /v1/memories ends" and time.monotonic() < until:
        time.sleep(0.01)
    assert spans.seen[0] == "POST /v1/memories begins"
    assert spans.seen[-2:] == ["http.response.status_code 201", "POST /v1/memories ends"]
    assert spans.seen.index("Validate") < spans.seen.index("Validate ends") < spans.seen.index("Write")
