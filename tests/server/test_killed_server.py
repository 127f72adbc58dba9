"""kill -9 of `combray serve` in mid-load: nothing acknowledged is lost, no Idempotency-Key is stored twice.

COMBRAY_KILLS sets the number of kills.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
from ports import free_port
from serving import SECONDS, started

import combray

KILLS = int(os.environ.get("COMBRAY_KILLS", "3"))
CLIENTS = 8
LONGEST_LIFE = 0.5
TOPICS = ("harbour", "orchard", "library", "bakery", "station", "museum", "garden", "bridge")


@dataclass
class Load:
    """Clients that write until they are stopped. Each sends a request until it is answered."""

    port: int
    acknowledged: dict[str, str] = field(default_factory=dict)
    repeated: int = 0
    wrong: list[str] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def write(self, part: int) -> None:
        place = 0
        with httpx2.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=SECONDS) as client:
            while not self.stopped.is_set() and not self.wrong:
                text = f"The {TOPICS[part]} keeper wrote down the number {place * CLIENTS + part}."
                if found := self.sent(client, text, f"{part}-{place}"):
                    self.acknowledged[text] = found
                place += 1

    def sent(self, client: httpx2.Client, text: str, key: str) -> str:
        """Send one text until it is acknowledged: its id. Only the key keeps it from being stored twice."""
        body = {"content": text, "kind": "episode", "session": key}
        while True:
            try:
                answer = client.post("/v1/memories", json=body, headers={"Idempotency-Key": key})
            except httpx2.HTTPError:
                if self.stopped.is_set():
                    # The server was not started again.
                    return ""
                time.sleep(0.02)
                continue
            if answer.status_code != 201:
                self.wrong.append(f"{key}: {answer.status_code} {answer.text}")
                return ""
            self.repeated += "idempotency-replayed" in answer.headers
            found: str = answer.json()["id"]
            return found

    def goes_on(self) -> None:
        """Wait until more is acknowledged."""
        before, until = len(self.acknowledged), time.monotonic() + SECONDS
        while len(self.acknowledged) <= before and not self.wrong:
            assert time.monotonic() < until, "the clients do not go on"
            time.sleep(0.01)


def everything(engine: combray.Engine) -> dict[str, str]:
    found: dict[str, str] = {}
    cursor: str | None = ""
    while cursor is not None:
        page = engine.list(limit=1000, after=cursor)
        found |= {each.id: each.content for each in page}
        cursor = page.cursor
    return found


def test_killed_servers_lose_nothing_and_store_nothing_twice(tmp_path: Path) -> None:
    rng = random.Random(20261128)
    load = Load(free_port())
    process, _ = started(tmp_path / "a.db", port=load.port)
    threads = [threading.Thread(target=load.write, args=(part,)) for part in range(CLIENTS)]
    for each in threads:
        each.start()
    try:
        for _ in range(KILLS):
            load.goes_on()
            time.sleep(rng.uniform(0, LONGEST_LIFE))
            process.kill()
            process.wait(SECONDS)
            process, _ = started(tmp_path / "a.db", port=load.port)
        load.goes_on()
    finally:
        load.stopped.set()
        for each in threads:
            each.join()
        process.terminate()
        process.wait(SECONDS)
    assert load.wrong == []
    with combray.open(tmp_path / "a.db", embedder="none", worker=False) as engine:
        stored = everything(engine)
    assert {id: stored.get(id) for id in load.acknowledged.values()} == {
        id: text for text, id in load.acknowledged.items()
    }
    assert [text for text, count in Counter(stored.values()).items() if count > 1] == []
    assert len(load.acknowledged) > KILLS
    print(f"{KILLS} kills, {len(load.acknowledged)} acknowledged writes, {load.repeated} answered from a receipt")
