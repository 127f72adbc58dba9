"""Idempotency keys: a repeated request is carried out once, in this process, in the next, and after a kill."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
from serving import Served, serving

import combray
from combray.engine import receipts
from combray.engine.receipts import Receipt, receipted, receipting

SECRET = "The zanzibar ferry leaves at nine."


def keyed(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key}


def count(served: Served) -> int:
    found: int = served.client.get("/v1/memories", params={"limit": 1}).json()["total"]
    return found


def test_a_repeated_write_gives_the_same_ids_and_writes_nothing(served: Served) -> None:
    before = count(served)
    one = {"content": SECRET, "kind": "episode", "session": "s"}
    first, again = (served.client.post("/v1/memories", json=one, headers=keyed("one")) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json()["id"] == first.json()["id"]
    assert again.headers["idempotency-replayed"] == "true"
    assert "idempotency-replayed" not in first.headers
    many = {"items": [{**one, "content": f"{SECRET} Day {number}."} for number in range(3)]}
    batches = [
        served.client.post("/v1/memories/batch", json=many, headers=keyed("many")).json() for _ in range(2)
    ]
    assert [each["id"] for each in batches[0]["results"]] == [each["id"] for each in batches[1]["results"]]
    turn = {"content": SECRET, "author": "user"}
    turns = [served.client.post("/v1/conversations/s/turns", json=turn, headers=keyed("turn")) for _ in range(2)]
    assert turns[0].json()["id"] == turns[1].json()["id"]
    assert count(served) == before + 5


def test_a_key_belongs_to_one_request_and_one_namespace(served: Served) -> None:
    body = {"content": "The mill is old."}
    made = served.client.post("/v1/memories", json=body, headers=keyed("mine")).json()["id"]
    other = served.client.post("/v1/memories", json={"content": "The mill is new."}, headers=keyed("mine"))
    assert other.status_code == 409
    assert "was used for another request" in other.json()["detail"]
    elsewhere = keyed("mine") | {"Combray-Namespace": "elsewhere"}
    there = served.client.post("/v1/memories", json=body, headers=elsewhere)
    assert there.status_code == 201
    assert there.json()["id"] != made


def test_a_repeated_change_with_a_version_is_no_lost_race(served: Served) -> None:
    made = served.remember("The bridge is closed.")
    headers = keyed("change") | {"If-Match": '"0"'}
    path = f"/v1/memories/{made}"
    first, again = (served.client.patch(path, json={"importance": 5}, headers=headers) for _ in range(2))
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.headers["etag"] == again.headers["etag"] == '"1"'
    assert len(served.client.get(f"{path}/history").json()["results"]) == 1


def test_a_refused_request_may_be_sent_again(served: Served) -> None:
    refused = served.client.post("/v1/memories", json={"content": " "}, headers=keyed("again"))
    assert refused.status_code == 422
    assert served.client.post("/v1/memories", json={"content": "Now."}, headers=keyed("again")).status_code == 201


def test_requests_at_once_with_one_key_store_once(served: Served) -> None:
    before = count(served)
    body = {"content": "At once.", "kind": "episode", "session": "s"}

    def send(_number: int) -> httpx2.Response:
        return httpx2.post(
            f"http://127.0.0.1:{served.port}/v1/memories", json=body, headers=keyed("at-once"), timeout=120
        )

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, range(24)))
    assert {each.status_code for each in answers} <= {201, 409}
    assert len({each.json()["id"] for each in answers if each.status_code == 201}) == 1
    assert count(served) == before + 1


def test_two_processes_that_take_the_same_key_store_once(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    combray.open(path, embedder="none").close()
    barrier = threading.Barrier(2)
    ids = []

    def send() -> None:
        with serving(path) as mine:
            barrier.wait(120)
            body = {"content": "Both.", "kind": "episode", "session": "s"}
            ids.append(mine.client.post("/v1/memories", json=body, headers=keyed("both")).json()["id"])
            barrier.wait(120)

    threads = [threading.Thread(target=send) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(120)
    assert len(set(ids)) == 1


def test_counts_of_a_recall_that_are_stored_before_the_write_keep_no_receipt(served: Served) -> None:
    served.remember("The ferry leaves at nine.")
    assert served.client.post("/v1/recall", json={"query": "When does the ferry leave?"}).json()["hits"]
    before = count(served)
    body = {"content": "The ferry is late.", "kind": "episode", "session": "ferry"}
    first, second = (served.client.post("/v1/memories", json=body, headers=keyed("ferry")) for _ in range(2))
    assert (first.json()["id"], first.json()["action"]) == (second.json()["id"], second.json()["action"])
    assert second.headers["idempotency-replayed"] == "true"
    assert count(served) == before + 1


def test_a_receipt_holds_no_text_and_old_ones_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receipts, "BUCKETS", 1)
    monkeypatch.setattr(receipts, "MOST", 3)
    with combray.open(tmp_path / "a.db", embedder="none") as engine:
        runtime = engine.runtime
        store = receipting(runtime.store, runtime.clock)
        for number in range(5):
            with (
                receipted(Receipt.of("me", f"key {number}", SECRET.encode())),
                store.transaction("default") as tx,
            ):
                tx.note("x", "", "", 0.0)
        text = engine.reader.kept("receipts:0")
        known = [Receipt.of("me", f"key {number}", b"").known(text) is not None for number in range(5)]
        assert known == [False, False, True, True, True]
        assert "zanzibar" not in text
