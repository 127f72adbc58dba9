"""Two servers on one PostgreSQL database give the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import httpx2
import pytest
from serving import SECONDS, started

from combray.testing.postgres import Server

TEXTS = (
    "Ana owns the billing service.",
    "Bob is on call in March.",
    "The deploy freeze starts on Friday.",
    "The billing service moved to the new cluster.",
    "Carla reviews every change of the schema.",
    "The staging database is restored each night.",
)
QUESTIONS = ("Who owns billing?", "Who is on call?", "When does the freeze start?", "What happens each night?")


@pytest.fixture(scope="module")
def two(postgres_server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[httpx2.Client]]:
    """Clients of two processes on one schema, which all tests of the file share."""
    url = f"{postgres_server.url()}&schema=two_servers"
    folder = tmp_path_factory.mktemp("two")
    with ExitStack() as stack:
        clients = []
        for number in range(2):
            process, port = started(folder / f"{number}.db", "--db", url)
            stack.callback(process.wait, SECONDS)
            stack.callback(process.terminate)
            client = httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=SECONDS)
            clients.append(stack.enter_context(client))
        yield clients


def answer(client: httpx2.Client, question: str) -> list[tuple[str, float]]:
    found = client.post("/v1/recall", json={"query": question, "limit": 5}).json()
    return [(each["memory"]["content"], each["score"]) for each in found["hits"]]


def keyed(client: httpx2.Client, content: str, key: str) -> httpx2.Response:
    headers = {"Idempotency-Key": key}
    while True:
        made = client.post("/v1/memories", json={"content": content}, headers=headers)
        # The other process has the lock, or the request with this key.
        if made.status_code not in (409, 503):
            return made


def test_two_servers_on_one_database_agree(two: list[httpx2.Client]) -> None:
    ids: list[Any] = []
    for place, text in enumerate(TEXTS):
        here, there = two[place % 2], two[1 - place % 2]
        ids.append(here.post("/v1/memories", json={"content": text}).json()["id"])
        assert there.get(f"/v1/memories/{ids[-1]}").json()["content"] == text
    for question in QUESTIONS:
        first, second = (answer(each, question) for each in two)
        assert first == second
        assert first
    lists = [each.get("/v1/memories").json() for each in two]
    assert [each["id"] for each in lists[0]["memories"]] == [each["id"] for each in lists[1]["memories"]]
    assert two[0].request("POST", "/v1/memories/erase", json={"ids": [ids[0]]}).status_code == 200
    assert two[1].get(f"/v1/memories/{ids[0]}").status_code == 404
    assert TEXTS[0] not in [content for content, _ in answer(two[1], QUESTIONS[0])]


def test_a_key_sent_to_both_is_stored_once(two: list[httpx2.Client]) -> None:
    text = "The spare badge hangs beside the fuse box."
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda client: keyed(client, text, "badge"), two))
    assert [each.status_code for each in both] == [201, 201]
    assert both[0].json()["id"] == both[1].json()["id"]
    assert sorted("idempotency-replayed" in each.headers for each in both) == [False, True]
    changed = two[0].patch(f"/v1/memories/{both[0].json()['id']}", json={"importance": 5})
    assert changed.headers["etag"] == two[1].get(f"/v1/memories/{both[0].json()['id']}").headers["etag"]
