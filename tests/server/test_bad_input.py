"""Requests that cannot be answered: a 4xx and a sentence that helps, nothing half-written, no traceback."""

from __future__ import annotations

import base64
import json
import socket
from typing import Any

import pytest
from serving import Served

from combray import errors
from combray.errors import CombrayError, InvalidInputError
from combray.server.problems import MEDIA_TYPE, STATUSES, problem_of

JSON = {"Content-Type": "application/json"}
DEEP = b'{"content":' + b"[" * 50_000 + b"]" * 50_000 + b"}"


@pytest.mark.parametrize(
    ("body", "headers", "status", "words"),
    [
        (b'{"content": "x', JSON, 400, "The body is not JSON in UTF-8"),
        (b'{"content": "\xff"}', JSON, 400, "The body is not JSON in UTF-8"),
        (b'{"content": "\\ud800"}', JSON, 400, "The body is not JSON in UTF-8"),
        (b'{"content": 1e400}', JSON, 400, "The body is not JSON"),
        (b'{"content": NaN}', JSON, 400, "The body is not JSON"),
        (DEEP, JSON, 400, "nested too deeply"),
        (b"[1]", JSON, 400, "must be a JSON object"),
        (b'{"content": "x", "colour": "red"}', JSON, 400, "'colour' is not an argument of this path"),
        (b'{"text": "x"}', JSON, 400, "'text' is not an argument of this path"),
        (b"", JSON, 422, "content: is missing. Give a text."),
        (b'{"content": 7}', JSON, 422, "content: must be a text, got 7."),
        (b'{"content": "x", "importance": "5"}', JSON, 422, "importance: must be a whole number, got '5'."),
        (b'{"content": "x", "importance": true}', JSON, 422, "importance: must be a whole number, got True."),
        (b'{"content": "x", "importance": 9}', JSON, 422, "importance: must be between 1 and 5, got 9."),
        (b'{"content": "x", "tags": "a"}', JSON, 422, "tags: must be a list, each a text"),
        (b'{"content": "x", "category": "rumour"}', JSON, 422, "category: must be one of"),
        (b'{"content": "  "}', JSON, 422, "content"),
        (b"content=x", {"Content-Type": "application/x-www-form-urlencoded"}, 415, "The body must be JSON"),
        (b'{"content": "x"}', {**JSON, "Idempotency-Key": "a b"}, 400, "Idempotency-Key must have"),
        (b'{"content": "x"}', {**JSON, "Idempotency-Key": "k" * 256}, 400, "Idempotency-Key must have"),
        (b'{"content": "x"}', {**JSON, "Combray-Namespace": "x" * 201}, 422, "namespace"),
        (b'{"content": "x"}', {**JSON, "Combray-Namespace": "\xe9"}, 400, "must be ASCII"),
        (b" " * 1_000_001, JSON, 413, "larger than 1000000 bytes"),
    ],
)
def test_a_body_that_cannot_be_taken(
    body: bytes, headers: dict[str, str], status: int, words: str, served: Served
) -> None:
    before = served.engine.reader.revision()
    raw = {name.encode(): value.encode("latin-1") for name, value in headers.items()}
    answer = served.client.post("/v1/memories", content=body, headers=raw)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == MEDIA_TYPE
    found = answer.json()
    assert words in found["detail"]
    assert found["status"] == status
    assert found.keys() <= {"type", "title", "status", "detail", "argument", "remedy"}
    assert served.engine.reader.revision() == before


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/v1/memories?limit=0", 422, "limit: must be between 1 and 1000, got '0'."),
        ("/v1/memories?limit=many", 422, "limit: must be a whole number, got 'many'."),
        ("/v1/memories?limit=1&limit=2", 400, "limit is given 2 times"),
        ("/v1/memories?colour=red", 400, "'colour' is not an argument"),
        ("/v1/memories?filter=red", 422, "filter: is not JSON"),
        ("/v1/memories?filter=%7B%22colour%22:1%7D", 422, "filter: 'colour' is not a field"),
        ("/v1/memories?order=colour", 422, "order: 'colour' is not known"),
        ("/v1/memories?namespace=%FF", 400, "not UTF-8"),
        ("/v1/memories?namespace=a&namespace=b", 400, "names several namespaces"),
        ("/v1/memories/unknown", 404, "no memory 'unknown'"),
        ("/v1/memories/%00", 404, "no memory"),
        ("/v1/nowhere", 404, "There is nothing at this path"),
        ("/v1/recall", 405, "GET is not possible at this path"),
        ("/v1/events?colour=red", 400, "'colour' is not an argument"),
    ],
)
def test_a_path_that_cannot_be_answered(path: str, status: int, words: str, served: Served) -> None:
    answer = served.client.get(path)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == MEDIA_TYPE
    assert words in answer.json()["detail"]


def test_cursors_are_followed_and_forged_ones_refused(served: Served) -> None:
    where: dict[str, str | int] = {"filter": json.dumps({"tags": "paged"}), "limit": 2, "order": "recorded_at"}
    made = [served.remember(f"Page number {number} is here.", tags=["paged"]) for number in range(5)]
    seen: list[str] = []
    answer = served.client.get("/v1/memories", params=where)
    while True:
        found = answer.json()
        seen += [each["id"] for each in found["memories"]]
        if found["cursor"] is None:
            assert "link" not in answer.headers
            break
        cursor = found["cursor"]
        answer = served.client.get(answer.links["next"]["url"])
    assert seen == made
    plain: list[Any] = json.loads(base64.urlsafe_b64decode(cursor + "=="))
    forged = ["x", "=", "é", cursor[:-3], cursor + "AAAA", cursor[::-1]]
    for place, value in ((0, "0" * 16), (1, 10**30), (1, [1]), (1, "\ud800"), (2, 5), (3, None)):
        changed = [*plain[:place], value, *plain[place + 1 :]]
        forged.append(base64.urlsafe_b64encode(json.dumps(changed).encode()).decode().rstrip("="))
    for each in forged:
        refused = served.client.get("/v1/memories", params={**where, "after": each})
        assert refused.status_code == 422, (each, refused.text)
        assert refused.json()["argument"] == "after"
    other = served.client.get("/v1/memories", params={"after": cursor})
    assert other.status_code == 422
    assert "the cursor of another list" in other.json()["detail"]


def test_a_batch_is_stored_as_a_whole_or_not_at_all(served: Served) -> None:
    items: list[Any] = [{"content": f"Batch item {number} is good."} for number in range(300)]
    for bad, words in (
        ({"content": " "}, "content"),
        ({"content": "x", "colour": 1}, "items[300]"),
        ("text", "items: must be a list, each an object, got 'text'."),
        ({}, "items[300].content: is missing"),
    ):
        before = served.engine.reader.revision()
        answer = served.client.post("/v1/memories/batch", json={"items": [*items, bad]})
        assert answer.status_code == 422, answer.text
        assert words in answer.json()["detail"]
        assert served.engine.reader.revision() == before
    assert served.client.post("/v1/memories/batch", json={"items": items, "batch": 5}).status_code == 400
    done = served.client.post("/v1/memories/batch", json={"items": items})
    assert done.status_code == 200
    assert len(done.json()["results"]) == 300


def test_large_bodies_are_refused_unread_and_in_parts(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.port)) as raw:
        head = "POST /v1/memories/batch HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        raw.sendall(f"{head}Content-Length: 10000001\r\n\r\n".encode())
        assert raw.recv(100).startswith(b"HTTP/1.1 413")

    def parts() -> Any:
        yield b'{"content": "'
        yield from [b"x" * 100_000] * 11

    answer = served.client.post("/v1/memories", content=parts(), headers=JSON)
    assert answer.status_code == 413


def test_a_connection_that_closes_leaves_nothing(served: Served) -> None:
    before = served.engine.reader.revision()
    with socket.create_connection(("127.0.0.1", served.port)) as raw:
        head = "POST /v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        raw.sendall(f'{head}Content-Length: 500\r\n\r\n{{"content": "half'.encode())
    assert served.client.get("/ready").status_code == 200
    assert served.engine.reader.revision() == before


def test_a_browser_that_was_sent_here_is_refused(served: Served) -> None:
    for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Host": "["}):
        answer = served.client.get("/v1/memories", headers=headers)
        assert answer.status_code == 403, headers
        assert answer.headers["content-type"] == MEDIA_TYPE
        assert served.client.post("/mcp", headers=headers, json={}).status_code == 403
    same = {"Origin": f"http://127.0.0.1:{served.port}"}
    assert served.client.get("/v1/memories", headers=same).status_code == 200


def test_nothing_of_another_namespace_is_in_an_error(served: Served) -> None:
    made = served.client.post(
        "/v1/memories",
        json={"content": "The zanzibar secret.", "slot": "a.b"},
        headers={"Combray-Namespace": "other"},
    ).json()["id"]
    for method, path, body in (
        ("GET", f"/v1/memories/{made}", None),
        ("GET", f"/v1/memories/{made[:8]}", None),
        ("PATCH", f"/v1/memories/{made}", {"importance": 1}),
        ("DELETE", f"/v1/memories/{made}", None),
        ("POST", "/v1/memories/erase", {"ids": [made]}),
        ("POST", "/v1/links", {"source": made, "target": made}),
        ("POST", "/v1/settle", {"new": made, "old": made, "verdict": "both"}),
    ):
        answer = served.client.request(method, path, json=body)
        assert answer.status_code == 404, (path, answer.text)
        assert "zanzibar" not in answer.text


def test_every_exception_has_a_status_and_no_path_is_shown() -> None:
    named = {
        value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, CombrayError)
    }
    assert named == STATUSES.keys()
    busy = problem_of(errors.StoreBusyError("/srv/a.db: is locked. Try again."), {}, "/srv/a.db")
    assert (busy.status, busy.detail, busy.headers) == (
        503,
        "the store: is locked. Try again.",
        {"Retry-After": "1"},
    )
    wrong = problem_of(InvalidInputError("where", "is red.", "Use blue."), {"where": "filter"}, "")
    assert wrong.detail == "filter: is red. Use blue."
    assert wrong.more["argument"] == "filter"
    assert wrong.more["remedy"] == "Use blue."
