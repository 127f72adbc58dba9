"""A walk over every route: it works, or says why."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from serving import Served

from combray.server.description import description, streams
from combray.server.problems import MEDIA_TYPE
from combray.server.routes import PREFIX, Route, routes
from combray.verbs import CALLS

NOT_OVER_HTTP = {
    "index": "reads folders of the server's machine",
    "watch": "reads folders of the server's machine",
    "documents.drop": "belongs to index",
    "backup": "writes a file of the server's machine",
    "documents.watch": "gives a handle of the process",
    "conversation.prefetched": "gives a handle of the process",
    "conversation.wait": "waits for work of the process",
    "audit.record_read": "records reads made in the process",
    "vectors.start_worker": "the server's schedule does it",
    "vectors.stop_worker": "the server's schedule does it",
    "extraction.wake": "a turn that is stored does it",
    "extraction.stop_worker": "the server does it when it ends",
}
"""Verb without a route -> why."""
BODIES: dict[str, dict[str, Any]] = {
    "remember": {"content": "The lamp is green."},
    "remember_many": {
        "items": [{"content": "The door is blue."}, {"content": "The roof is red.", "importance": 4}]
    },
    "update": {"importance": 4},
    "forget": {"ids": ["ID"], "dry_run": True},
    "restore": {"ids": ["ID"]},
    "erase": {"ids": ["ID"], "dry_run": True},
    "settle": {"new": "ID", "old": "OTHER", "verdict": "both"},
    "recall": {"query": "well"},
    "views.recall": {"query": "well"},
    "search": {"query": "well"},
    "search-memory": {"query": "well"},
    "think": {"question": "How deep is the well?"},
    "context": {"query": "well", "session": "s"},
    "memory-search": {"query": "well"},
    "conversation.add": {"content": "Hello there.", "author": "user"},
    "conversation.add_many": {"turns": [{"content": "Good day.", "author": "user"}]},
    "link": {"source": "ID", "target": "OTHER", "reason": "both are in the garden"},
    "alias": {"name": "Kubernetes", "others": ["k8s"]},
    "entities.merge": {"other": "kube", "into": "Kubernetes"},
    "entities.separate": {"name": "Kubernetes", "alias": "kube"},
    "import": {"lines": ['{"content": "The fence is white."}'], "dry_run": False},
    "store.import_file": {"name": "a.md", "data": "VGhlIGhlZGdlIGlzIGhpZ2gu", "dry_run": False},
    "consolidate": {"dry_run": True},
    "consolidation.undo": {"run_id": "0000"},
    "vectors.catch_up": {"most": 1},
}
REFUSED = {
    "documents_read": (422, "path"),
    "release": (422, "not in quarantine"),
    "consolidation_undo_merge": (422, ""),
    "consolidation_undo": (404, "no run"),
    "consolidation_changes": (404, "no run"),
    "worker": (422, "embedder: is not set"),
    "vectors_reembed": (422, "embedder: is not set"),
}
"""Operation that cannot succeed on this store -> status and words of the answer."""


def test_every_verb_has_a_route_or_a_reason() -> None:
    assert {name for name, each in CALLS.items() if not each.http} == NOT_OVER_HTTP.keys()
    placed = [(each.method, each.path) for each in routes()]
    assert len(placed) == len(set(placed))
    assert len({each.operation for each in routes()}) == len(placed)


@pytest.mark.parametrize("route", routes(), ids=lambda route: route.operation)
def test_a_route_works_or_says_why(route: Route, served: Served) -> None:
    ids = [served.remember(text) for text in ("The well is deep.", "The gate is open.")]

    def filled(value: Any) -> Any:
        if isinstance(value, list):
            return [filled(each) for each in value]
        return {"ID": ids[0], "OTHER": ids[1]}.get(value, value) if isinstance(value, str) else value

    path = PREFIX + route.path.format(memory_id=ids[0], session="s", run_id="0000")
    query = {"path": "notes.md"} if route.operation == "documents_read" else {}
    body = {name: filled(value) for name, value in BODIES.get(route.verb.name, {}).items()}
    if route.path.endswith("/restore"):
        body = {} if route.in_path else body
    sent = None if route.in_query else body
    answer = served.client.request(route.method, path, params=query, json=sent)
    if answer.is_success:
        assert route.operation not in REFUSED
        if not streams(route):
            conforms(route, answer.json(), answer.status_code)
        return
    status, words = REFUSED.get(route.operation, (0, ""))
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == MEDIA_TYPE
    assert words in answer.json()["detail"]


DESCRIBED = description()


def conforms(route: Route, found: Any, status: int) -> None:
    """Check an answer against the description."""
    operation = DESCRIBED["paths"][PREFIX + route.path][route.method.lower()]
    shape = operation["responses"][str(status)]["content"]["application/json"]["schema"]
    jsonschema.validate(found, {**shape, "components": DESCRIBED["components"]})


def test_the_description_is_served_and_names_every_path(served: Served) -> None:
    found = served.client.get("/v1/openapi.json").json()
    assert found == json.loads(json.dumps(DESCRIBED))
    assert found["openapi"] == "3.1.0"
    assert {PREFIX + each.path for each in routes()} <= found["paths"].keys()
    page = served.client.get("/v1/docs")
    assert page.status_code == 200
    assert "https://" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_operations_without_a_verb_answer(served: Served) -> None:
    assert served.client.get("/health").json() == {"status": "ok"}
    assert served.client.get("/ready").json() == {"status": "ready"}
    assert (
        'combray_requests_total{method="GET",route="/health",status="200"}' in served.client.get("/metrics").text
    )
