"""Every path and every tool of a server with keys: without a key, with another role, with another namespace."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from serving import Served, serving, started
from test_every_route import BODIES

from combray.interfaces.mcp.profiles import PROFILES
from combray.server.access import KeyedAccess, Limits
from combray.server.app import application
from combray.server.keys import KeyRing, ring_path
from combray.server.routes import PREFIX, Route, routes
from combray.server.spaces import Schedule, Spaces
from combray.verbs.declaration import ADMIN, READ, WRITE

ROLES = (READ, WRITE, ADMIN)
PUBLIC = {"/health", "/ready", f"{PREFIX}/openapi.json", f"{PREFIX}/docs", "/"}
OF_EXPLORER = {"/explorer/{name}", f"{PREFIX}/session", f"{PREFIX}/caller"}
"""Files of the explorer, which hold no data, the exchange of its token (`server/explorer.py`), and who calls."""
OWN = [
    ("POST", f"{PREFIX}/search", READ),
    ("GET", f"{PREFIX}/events", READ),
    ("GET", "/metrics", ADMIN),
]
"""Paths that are no verbs, and their rights."""
TEXT = "Zanzibar is the password of the vault."


@dataclass
class Team:
    """A server with a key of each role in namespace `ours`, one of all, and one of `theirs`."""

    served: Served
    ring: KeyRing
    keys: dict[str, str]

    def ask(
        self, method: str, path: str, who: str | None, namespace: str = "ours", **more: Any
    ) -> httpx2.Response:
        headers = {"Combray-Namespace": namespace} | more.pop("headers", {})
        headers |= {"Authorization": f"Bearer {self.keys[who]}"} if who else {}
        return self.served.client.request(method, path, headers=headers, **more)


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    db = tmp_path_factory.mktemp("team") / "a.db"
    ring = KeyRing(ring_path(str(db)))
    made = {role: ring.create(role, role, ("ours",)).text for role in ROLES}
    made["theirs"] = ring.create("theirs", ADMIN, ("theirs",)).text
    made["root"] = ring.create("root", ADMIN, None).text
    with serving(db, access=KeyedAccess(ring)) as served:
        yield Team(served, ring, made)


def filled(route: Route, memory_id: str = "x") -> str:
    return PREFIX + re.sub(r"\{memory_id\}", memory_id, route.path).replace("{", "").replace("}", "")


@pytest.mark.parametrize("route", routes(), ids=lambda route: route.operation)
def test_a_path_needs_a_key_of_the_role_and_the_namespace(route: Route, team: Team) -> None:
    path, rights = filled(route), route.verb.rights
    assert team.ask(route.method, path, None).status_code == 401
    for role in ROLES:
        answer = team.ask(route.method, path, role)
        lets_in = ROLES.index(role) >= ROLES.index(rights) and not route.verb.whole
        assert (answer.status_code == 403) != lets_in, (role, answer.text)
        assert answer.status_code != 401
    there, nowhere = (team.ask(route.method, path, "read", namespace) for namespace in ("theirs", "nowhere"))
    assert there.status_code == nowhere.status_code == 403
    assert there.text.replace("theirs", "nowhere") == nowhere.text


@pytest.mark.parametrize(("method", "path", "rights"), OWN)
def test_a_path_beside_the_verbs_needs_a_key(method: str, path: str, rights: str, team: Team) -> None:
    body: dict[str, Any] = {"json": {"query": "x", "namespace": "theirs"}} if method == "POST" else {}
    assert team.ask(method, path, None, **body).status_code == 401
    if rights == ADMIN:
        assert team.ask(method, path, "write").status_code == 403
        # The measures are those of the whole store.
        assert team.ask(method, path, "admin").status_code == 403
        assert team.ask(method, path, "root").status_code == 200
    elif method == "GET":
        assert team.ask(method, path, "admin", "theirs").status_code == 403


def test_every_other_path_is_public_on_purpose(team: Team) -> None:
    app = team.served.client
    for path in PUBLIC:
        assert app.get(path).status_code == 200
    named = (
        {path for _, path, _ in OWN} | PUBLIC | OF_EXPLORER | {"/mcp"} | {PREFIX + each.path for each in routes()}
    )
    made = application(Spaces(team.served.engine, Limits()), KeyedAccess(team.ring), Schedule())
    assert {getattr(each, "path", "") for each in made.routes} <= named


def test_whose_key_it_is_is_said_to_whoever_has_one(team: Team) -> None:
    assert team.served.client.get(f"{PREFIX}/caller").status_code == 401
    assert team.ask("GET", f"{PREFIX}/caller", "read").json()["role"] == "read"
    assert team.ask("GET", f"{PREFIX}/caller", "theirs", "theirs").json()["namespaces"] == ["theirs"]


def test_ids_of_another_namespace_are_unknown(team: Team) -> None:
    made = team.ask("POST", f"{PREFIX}/memories", "theirs", "theirs", json={"content": TEXT}).json()["id"]
    for route in routes():
        if "{memory_id}" not in route.path or route.verb.whole:
            continue
        body = {"importance": 1} if route.method == "PATCH" else {}
        answer = team.ask(route.method, filled(route, made), "admin", json=body)
        assert answer.status_code in (404, 422), (route.operation, answer.text)
        assert "anzibar" not in answer.text
        unknown = "0" * len(made)
        same = team.ask(route.method, filled(route, unknown), "admin", json=body)
        assert same.text.replace(unknown, made) == answer.text
    found = team.ask("POST", f"{PREFIX}/recall", "admin", json={"query": TEXT}).json()
    assert found["hits"] == []
    kept = team.ask("GET", f"{PREFIX}/memories/{made}", "theirs", "theirs").json()
    assert kept["content"] == TEXT


IN_BODIES: list[tuple[str, str, dict[str, Any]]] = [
    *(
        (each.method, each.path, BODIES[each.verb.name])
        for each in routes()
        if not each.in_path and re.search(r'"(ID|OTHER)"', json.dumps(BODIES.get(each.verb.name, {})))
    ),
    *(
        ("POST", "/memories", {"content": "Mine.", "diff": False, name: ["ID"]})
        for name in ("evidence", "supersedes", "keep_both")
    ),
    ("POST", "/memories/batch", {"items": [{"content": "Mine.", "supersedes": ["ID"]}]}),
    ("POST", "/conversations/s/turns/batch", {"turns": [{"content": "Mine.", "evidence": ["ID"]}]}),
    ("POST", "/context", {"query": TEXT, "exclude": ["ID"]}),
    ("POST", "/recall", {"query": TEXT, "where": {"id": "ID"}}),
    ("POST", "/recall", {"query": TEXT, "filter": {"evidence": "ID"}}),
]
"""Requests with the id of a memory in the body."""


@pytest.mark.parametrize(
    ("method", "path", "body"), IN_BODIES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_ids_in_a_body_are_unknown_in_another_namespace(
    method: str, path: str, body: dict[str, Any], team: Team
) -> None:
    def asked(memory_id: str) -> httpx2.Response:
        text = json.dumps(body).replace("OTHER", memory_id).replace("ID", memory_id)
        return team.ask(
            method, PREFIX + path, "admin", content=text, headers={"Content-Type": "application/json"}
        )

    made = team.ask("POST", f"{PREFIX}/memories", "theirs", "theirs", json={"content": TEXT}).json()["id"]
    unknown = f"{made[:-12]}{'0' * 12}"
    before = team.ask("GET", f"{PREFIX}/memories/{made}/history", "theirs", "theirs").text
    answers = [asked(made), asked(unknown)]
    said = [re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d[\d.:T+-]*Z?", "", each.text) for each in answers]
    assert answers[0].status_code == answers[1].status_code
    # What is stored differs in its neighbours.
    assert said[0] == said[1] or answers[0].status_code == 201
    assert "anzibar" not in answers[0].text.replace(TEXT, "")
    assert team.ask("GET", f"{PREFIX}/memories/{made}/history", "theirs", "theirs").text == before


async def tools(client: Any) -> dict[str, bool]:
    """Whether each offered tool only reads."""
    listed = (await client.list_tools()).tools
    return {each.name: bool(each.annotations and each.annotations.read_only_hint) for each in listed}


async def every_tool(memory_id: str, client: Any) -> str:
    """What every offered tool says, called with an id for each argument that can hold one."""
    said = ""
    for each in (await client.list_tools()).tools:
        given = {
            name: [memory_id] if schema.get("type") == "array" else memory_id
            for name, schema in each.input_schema["properties"].items()
            if name in each.input_schema.get("required", ())
            or name in ("id", "supersedes", "keep_both", "include")
        }
        said += str(await client.call_tool(each.name, given))
    return said


async def _with_client(port: int, key: str, work: Any) -> Any:
    web = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=120)
    transport: Any = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=web)
    async with Client(transport) as client:
        return await work(client)


@pytest.mark.parametrize("profile", PROFILES)
def test_tools_of_mcp_know_the_role_and_the_namespace(profile: str, tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "k.json")
    keys = {role: ring.create(role, role, ("ours",)).text for role in ROLES}
    with serving(tmp_path / "a.db", access=KeyedAccess(ring), tools=profile) as served:
        theirs = served.engine.within("theirs")
        made = theirs.remember(TEXT, entities=["Zanzibar"])
        before = theirs.history(made.id)
        reading = anyio.run(_with_client, served.port, keys["read"], tools)
        assert reading
        assert all(reading.values())
        writing = anyio.run(_with_client, served.port, keys["write"], tools)
        assert reading.keys() <= writing.keys()
        assert profile == "openclaw" or not all(writing.values())
        for role in ("read", "write"):
            said = anyio.run(_with_client, served.port, keys[role], partial(every_tool, made.id))
            assert "password" not in said
        assert theirs.history(made.id) == before
        assert theirs.get(made.id).status == "active"


def test_mcp_needs_a_key_and_a_namespace_of_it(team: Team) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    for headers, status in (
        (accept, 401),
        (accept | {"Authorization": "Bearer cmb_x"}, 401),
        (accept | {"Authorization": f"Bearer {team.keys['read']}", "Combray-Namespace": "theirs"}, 403),
    ):
        answer = team.served.client.post("/mcp", json=call, headers=headers)
        assert answer.status_code == status
        assert ("www-authenticate" in answer.headers) == (status == 401)


def test_the_audit_names_the_key(team: Team) -> None:
    team.ask("POST", f"{PREFIX}/memories", "write", json={"content": "The pond is frozen."})
    team.ask("POST", f"{PREFIX}/recall", "read", json={"query": "pond"})

    async def remember(client: Any) -> None:
        await client.call_tool("remember", {"content": "The pond has thawed."})

    anyio.run(_with_client, team.served.port, team.keys["admin"], remember)
    entries = team.ask("GET", f"{PREFIX}/audit", "root").json()["results"]
    seen = {(each["operation"], each["actor"]) for each in entries}
    assert {("remember", "key:write"), ("recall", "key:read"), ("remember", "key:admin")} <= seen


def test_a_key_is_revoked_while_the_server_runs(team: Team) -> None:
    issued = team.ring.create("eve", READ, ("ours",))
    team.keys["eve"] = issued.text
    assert team.ask("GET", f"{PREFIX}/memories", "eve").status_code == 200
    other = KeyRing(team.ring.path)
    assert next(each for each in other.listed() if each.name == "eve").used is not None or team.ring._uses
    other.revoke("eve")
    answer = team.ask("GET", f"{PREFIX}/memories", "eve")
    assert (answer.status_code, answer.headers["www-authenticate"]) == (
        401,
        'Bearer realm="combray", error="invalid_token"',
    )


def test_a_stream_ends_when_its_key_is_revoked(team: Team) -> None:
    headers = {"Authorization": f"Bearer {team.ring.create('listener', READ, ('ours',)).text}"}
    with team.served.client.stream("GET", f"{PREFIX}/events?namespace=ours", headers=headers) as answer:
        lines = answer.iter_lines()
        assert next(lines) == "retry: 2000"
        team.ring.revoke("listener")
        assert team.ask("POST", f"{PREFIX}/memories", "write", json={"content": "The pump is loud."}).is_success
        # What comes after the opening is nothing, and the server closes the connection.
        assert not [line for line in lines if line.startswith("data")]


def test_the_rate_of_a_key_counts_every_protocol(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "k.json")
    ann, bob = ({"Authorization": f"Bearer {ring.create(each, READ, None).text}"} for each in ("ann", "bob"))
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    # One request, and the next after twenty minutes.
    with serving(tmp_path / "a.db", Limits(rate=1 / 1200), access=KeyedAccess(ring)) as served:
        assert served.client.get(f"{PREFIX}/memories", headers=ann).status_code == 200
        for answer in (
            served.client.post("/mcp", json=call, headers=ann),
            served.client.post(f"{PREFIX}/search", json={"query": "x"}, headers=ann),
            served.client.get(f"{PREFIX}/memories", headers=ann),
        ):
            assert answer.status_code == 429
            assert int(answer.headers["retry-after"]) > 1000
        assert served.client.get(f"{PREFIX}/memories", headers=bob).status_code == 200


def test_pages_of_a_listed_origin_may_read_answers_and_no_other(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "k.json")
    key = {"Authorization": f"Bearer {ring.create('ann', READ, None).text}"}
    ours, evil = {"Origin": "https://app.example"}, {"Origin": "https://evil.example"}
    asks = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"}
    allowed = "access-control-allow-origin"
    with serving(tmp_path / "a.db", access=KeyedAccess(ring, origins=[ours["Origin"]])) as served:
        answer = served.client.options(f"{PREFIX}/memories", headers=ours | asks)
        assert (answer.status_code, answer.headers[allowed]) == (200, ours["Origin"])
        for headers, status in ((ours | key, 200), (ours, 401)):
            answer = served.client.get(f"{PREFIX}/memories", headers=headers)
            assert (answer.status_code, answer.headers[allowed]) == (status, ours["Origin"])
        assert allowed not in served.client.options(f"{PREFIX}/memories", headers=evil | asks).headers
        answer = served.client.get(f"{PREFIX}/memories", headers=evil | key)
        assert answer.status_code == 403
        assert allowed not in answer.headers
    with serving(tmp_path / "a.db", access=KeyedAccess(ring)) as served:
        answer = served.client.options(f"{PREFIX}/memories", headers=ours | asks)
        assert answer.status_code == 405
        assert allowed not in answer.headers


def test_a_server_for_other_machines_starts_with_a_key_only(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    with pytest.raises(AssertionError, match=r"Make one with: combray keys create"):
        started(db, "--host", "0.0.0.0")
    ring = KeyRing(ring_path(str(db)))
    key = {"Authorization": f"Bearer {ring.create('ann', WRITE, ('team',)).text}", "Combray-Namespace": "team"}
    process, port = started(db, "--host", "0.0.0.0")
    try:
        url = f"http://127.0.0.1:{port}{PREFIX}/memories"
        assert httpx2.get(url, timeout=120).status_code == 401
        assert httpx2.post(url, json={"content": "x"}, headers=key, timeout=120).status_code == 201
    finally:
        process.terminate()
        process.wait(120)
    assert [each.used is not None for each in ring.listed()] == [True]
