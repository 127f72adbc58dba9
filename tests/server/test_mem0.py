"""The paths of mem0's server and platform, and what they keep apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from click.testing import CliRunner
from serving import Served, serving

import combray
from combray.interfaces.cli import combray as shell
from combray.server.access import KeyedAccess
from combray.server.app import Serving
from combray.server.keys import KeyRing
from combray.server.mem0 import mem0_routes
from combray.transfer.scopes import entities_of, tag_of


@pytest.fixture(scope="module")
def mem0(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("mem0") / "a.db", mem0=True) as found:
        yield found


def stored(served: Served, text: str, **more: Any) -> str:
    """Store a text by the server's own surface; its id."""
    answer = served.client.post("/memories", json={"messages": [{"role": "user", "content": text}], **more})
    assert answer.status_code == 200, answer.text
    found: str = answer.json()["results"][0]["id"]
    return found


def texts(answer: httpx2.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [each["memory"] for each in answer.json()["results"]]


def test_off_unless_turned_on(served: Served) -> None:
    assert served.client.get("/memories", params={"user_id": "ann"}).status_code == 404
    assert served.client.get("/v1/ping/").status_code in (307, 404)


def test_the_setting_turns_it_on(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[bool] = []

    def serve(engine: combray.Engine, serving: Serving, *_: Any) -> None:
        wanted.append(serving.mem0)
        engine.close()

    monkeypatch.setattr("combray.server.app.serve", serve)
    command = ["serve", "--embedder", "none", "--db", str(tmp_path / "a.db")]
    assert CliRunner().invoke(shell, command).exit_code == 0
    monkeypatch.setenv("COMBRAY_MEM0_API", "true")
    assert CliRunner().invoke(shell, command).exit_code == 0
    assert wanted == [False, True]


def test_the_servers_own_surface(mem0: Served) -> None:
    client = mem0.client
    one = stored(mem0, "Ann drinks tea with milk.", user_id="own", metadata={"topic": "drinks"})
    assert texts(client.get("/memories", params={"user_id": "own"})) == ["Ann drinks tea with milk."]
    assert texts(client.post("/search", json={"query": "What does Ann drink?", "user_id": "own"})) == [
        "Ann drinks tea with milk."
    ]
    found = client.get(f"/memories/{one}").json()
    assert (found["memory"], found["user_id"], found["metadata"]) == (
        "Ann drinks tea with milk.",
        "own",
        {"topic": "drinks"},
    )
    changed = client.put(f"/memories/{one}", json={"text": "Ann drinks coffee."})
    assert changed.json()["message"] == "Memory updated successfully!"
    client.delete(f"/memories/{one}").raise_for_status()
    assert client.get(f"/memories/{one}").status_code == 404
    events = client.get(f"/memories/{one}/history").json()
    assert [(each["event"], each["old_memory"], each["new_memory"]) for each in events] == [
        ("ADD", None, "Ann drinks tea with milk."),
        ("UPDATE", "Ann drinks tea with milk.", "Ann drinks coffee."),
        ("DELETE", "Ann drinks coffee.", None),
    ]


def test_entities_do_not_cross(mem0: Served) -> None:
    client = mem0.client
    for user in ("kim", "Kim", "kim:", "k im", "金"):
        stored(mem0, "My locker is number twelve.", user_id=user)
    stored(mem0, "My locker is number thirteen now, not twelve.", user_id="kim")
    for user in ("Kim", "kim:", "k im", "金"):
        assert texts(client.get("/memories", params={"user_id": user})) == ["My locker is number twelve."]
        found = client.post("/search", json={"query": "locker number", "user_id": user, "top_k": 50})
        assert {each["user_id"] for each in found.json()["results"]} == {user}
    assert client.delete("/memories", params={"user_id": "kim"}).status_code == 200
    assert texts(client.get("/memories", params={"user_id": "kim"})) == []
    assert texts(client.get("/memories", params={"user_id": "Kim"})) == ["My locker is number twelve."]


def test_a_filter_must_be_bound_by_an_entity(mem0: Served) -> None:
    client = mem0.client
    stored(mem0, "A secret of nobody else.", user_id="bound")
    unbound: list[dict[str, Any]] = [
        {},
        {"categories": {"in": ["general"]}},
        {"NOT": [{"user_id": "x"}]},
        {"user_id": {"ne": "x"}},
        {"user_id": "*"},
        {"OR": [{"user_id": "x"}, {"categories": "general"}]},
        {"AND": [{"OR": [{"user_id": "x"}, {"created_at": {"gte": "2020-01-01"}}]}]},
        {"user_id": "x", "OR": []},
    ]
    for filters in unbound:
        for path, body in (("/v3/memories/", {}), ("/v3/memories/search/", {"query": "secret"})):
            answer = client.post(path, json={"filters": filters, **body})
            assert answer.status_code == 422, filters
            assert "secret of nobody" not in answer.text
    for params in ({}, {"filters": "{}"}, {"user_id": ""}, {"filters": "{'categories': 'general'}"}):
        for path in ("/memories", "/v1/memories/"):
            assert client.delete(path, params=params).status_code == 422, params
    assert texts(client.get("/memories", params={"user_id": "bound"})) == ["A secret of nobody else."]


def test_filters_of_the_platform(mem0: Served) -> None:
    stored(mem0, "Deploys run on Mondays.", user_id="f", agent_id="ops", metadata={"team": "web", "rank": 3})
    stored(mem0, "Backups run at night.", user_id="f", run_id="r1", metadata={"team": "data", "rank": 7})
    stored(mem0, "Nothing of this user.", user_id="g", metadata={"team": "web"})

    def of(filters: dict[str, Any]) -> list[str]:
        return sorted(texts(mem0.client.post("/v3/memories/", json={"filters": filters})))

    both = ["Backups run at night.", "Deploys run on Mondays."]
    assert of({"user_id": "f"}) == both
    assert of({"user_id": "f", "agent_id": "ops"}) == ["Deploys run on Mondays."]
    assert of({"AND": [{"user_id": "f"}, {"metadata": {"team": "data"}}]}) == ["Backups run at night."]
    assert of({"OR": [{"user_id": "f"}, {"user_id": "g"}]}) == [*both, "Nothing of this user."]
    assert of({"user_id": {"in": ["f"]}, "rank": {"gte": 5}}) == ["Backups run at night."]
    assert of({"AND": [{"user_id": "f"}, {"NOT": [{"run_id": "r1"}]}]}) == ["Deploys run on Mondays."]
    assert of({"user_id": "f", "created_at": {"lt": "2020-01-01"}}) == []


def test_pages_follow_one_another(mem0: Served) -> None:
    for at in range(5):
        stored(mem0, f"Invoice {at} went to customer {at * 7}.", user_id="pages")

    def page(number: int) -> dict[str, Any]:
        params = {"page": number, "page_size": 2}
        answer = mem0.client.post("/v3/memories/", json={"filters": {"user_id": "pages"}}, params=params)
        found: dict[str, Any] = answer.json()
        return found

    found = [page(number) for number in (1, 2, 3, 4)]
    assert [len(each["results"]) for each in found] == [2, 2, 1, 0]
    assert len({memory["id"] for each in found for memory in each["results"]}) == 5
    assert [each["next"] is None for each in found] == [False, False, True, True]
    assert found[0]["count"] == 5


def test_bad_requests_are_refused(mem0: Served) -> None:
    client = mem0.client
    said = [
        client.post("/memories", json={"messages": [{"role": "user", "content": "x"}]}),
        client.post("/memories", json={"messages": [], "user_id": "a"}),
        client.post("/memories", json={"messages": [{"role": "user", "content": None}], "user_id": "a"}),
        client.post("/memories", json={"messages": "x", "user_id": "a" * 200}),
        client.post("/memories", json={"messages": "x", "user_id": 7}),
        client.post("/search", json={"query": "", "user_id": "a"}),
        client.post("/search", json={"query": "x", "user_id": "a", "top_k": 0}),
        client.post("/search", json={"query": "x", "user_id": "a", "threshold": "much"}),
        client.post("/search", json={"query": "x", "filters": ["a"]}),
        client.post("/search", json={"query": "x", "filters": {"user_id": {"near": "a"}}}),
        client.post("/search", json={"query": "x", "filters": {"user_id": {"in": "abc"}}}),
        client.post("/v3/memories/", json={"filters": {"user_id": "a"}}, params={"page": "-1"}),
        client.put("/v1/batch/", json={"memories": [{"text": "x"}]}),
        client.delete("/v1/memories/", params={"filters": "[" * 10_000}),
    ]
    assert [each.status_code for each in said] == [422] * len(said)
    assert all(each.json()["detail"] for each in said)
    nested: Any = {"user_id": "a"}
    for _ in range(50):
        nested = {"AND": [nested]}
    assert client.post("/search", json={"query": "x", "filters": nested}).status_code == 422
    assert client.delete("/v2/entities/planet/mars/").status_code == 404


def test_reset_takes_what_is_for_an_entity(tmp_path: Any) -> None:
    with serving(tmp_path / "a.db", mem0=True) as served:
        plain = served.remember("The roof was repaired in May.")
        stored(served, "I play the violin.", user_id="ann")
        assert served.client.get("/v1/entities/").json()["results"] == [
            {"id": "user:ann", "type": "user", "name": "ann", "total_memories": 1}
        ]
        assert served.client.post("/reset").status_code == 200
        assert texts(served.client.get("/memories", params={"user_id": "ann"})) == []
        assert served.client.get(f"/v1/memories/{plain}").json()["status"] == "active"


def test_ids_and_tags_are_one_to_one() -> None:
    for value in ("ann", "Ann", "a:b", "auth0|12", "ann@example.org", "金", "a_b-c.d", ":41nn", "a b"):
        assert entities_of([tag_of("user_id", value)])["user_id"] == value
    names = {tag_of("user_id", value) for value in ("Ann", "ann", ":41nn", ":41NN")}
    assert len({each.casefold() for each in names}) == 4


def test_every_path_asks_for_key_role_and_namespace(tmp_path: Any) -> None:
    ring = KeyRing(tmp_path / "keys.json")
    reader = ring.create("reader", "read", ("team",)).text
    writer = ring.create("writer", "write", ("team",)).text
    other = ring.create("other", "admin", ("elsewhere",)).text
    with serving(tmp_path / "a.db", access=KeyedAccess(ring), mem0=True) as served:
        team = {"X-API-Key": writer}
        said = {"messages": [{"role": "user", "content": "The vault code is 9731."}], "user_id": "ann"}
        one = served.client.post("/memories", json=said, headers=team).json()["results"][0]["id"]
        for method, path in every_path():
            url = path.format(memory_id=one, kind="user", name="ann")
            body = {
                "query": "vault",
                "filters": {"user_id": "ann"},
                "memories": [{"memory_id": one, "text": "x"}],
            }

            def ask(headers: dict[str, str], url: str = url, method: str = method, body: Any = body) -> Any:
                if method == "GET":
                    return served.client.request(method, url, headers=headers, params={"user_id": "ann"})
                return served.client.request(method, url, headers=headers, json=body | {"messages": "x"})

            assert ask({}).status_code == 401, path
            foreign = ask({"Authorization": f"Token {other}"})
            assert "9731" not in foreign.text, path
            crossed = ask({"Authorization": f"Token {other}", "Combray-Namespace": "team"})
            assert crossed.status_code == 403, path
            if (method, path) not in READS:
                assert ask({"Authorization": f"Token {reader}"}).status_code == 403, path
        assert served.client.post("/reset", headers=team).status_code == 403
        found = served.client.get(f"/memories/{one}", headers=team).json()
        assert found["memory"] == "The vault code is 9731."


READS = {
    ("GET", "/v1/ping/"),
    ("POST", "/v3/memories/search/"),
    ("POST", "/search"),
    ("POST", "/v3/memories/"),
    ("GET", "/memories"),
    ("GET", "/v1/memories/{memory_id}/"),
    ("GET", "/memories/{memory_id}"),
    ("GET", "/v1/memories/{memory_id}/history/"),
    ("GET", "/memories/{memory_id}/history"),
    ("GET", "/v1/entities/"),
}


def every_path() -> list[tuple[str, str]]:
    found = mem0_routes(None)  # type: ignore[arg-type]
    return [
        (method, each.path)  # type: ignore[attr-defined]
        for each in found
        for method in sorted(each.methods - {"HEAD"})  # type: ignore[attr-defined]
    ]
