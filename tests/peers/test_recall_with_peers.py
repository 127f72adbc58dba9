"""Recall beside other memory services, real ones on this machine: what is asked, shown, and survives failure."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import pytest
from peer_servers import Service, closed_port, serving

import combray
from combray.interfaces.mcp.calls import Calls
from combray.testing.fakes import FakeClock

FACT = "Redis is used for session caching"
QUESTION = "what do we know about Redis?"

Open = Callable[..., combray.Engine]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Open an engine on an empty store with these peers."""
    engines: list[combray.Engine] = []

    def open_(peers: str, timeout: float = 60.0) -> combray.Engine:
        monkeypatch.setenv("COMBRAY_PEERS", peers)
        monkeypatch.setenv("COMBRAY_PEER_TIMEOUT", str(timeout))
        engine = combray.open(":memory:", preset="engram", embedder="none", clock=FakeClock())
        engine.remember(FACT, category="fact")
        engines.append(engine)
        return engine

    yield open_
    for engine in engines:
        engine.close()


def of_peers(answer: combray.Answer) -> list[tuple[str, str]]:
    return [(each["peer"], each["text"]) for each in answer.details["peers"]]


def test_results_of_peers_stand_beside_the_answer_and_not_in_it(opened: Open) -> None:
    """ "federated providers (mem0, LightRAG, etc.) are queried in parallel and their results merged"."""
    mem0 = Service({"results": [{"memory": "Redis runs on port 6379", "id": "m1", "score": 0.9}]})
    ours = Service(
        {"results": [{"text": "Redis is ours", "id": "c1", "when": "2024-04-01"}, {"text": FACT + "."}]}
    )
    with serving(mem0), serving(ours):
        engine = opened(f"mem0={mem0.url},combray:team={ours.url}")
        answer = engine.recall(QUESTION)
        engine.close()
    assert [hit.memory.content for hit in answer] == [FACT]
    # The copy of the memory's own text is gone: "deduplicated by content hash".
    assert answer.details["peers"] == [
        {
            "peer": "mem0",
            "text": "Redis runs on port 6379",
            "score": 0.9,
            "id": "m1",
            "when": None,
            "source": "",
            "trust": "untrusted",
        },
        {
            "peer": "team",
            "text": "Redis is ours",
            "score": 0.0,
            "id": "c1",
            "when": "2024-04-01T00:00:00+00:00",
            "source": "",
            "trust": "untrusted",
        },
    ]
    assert answer.details["grouped"] == (
        f"[fact] {FACT}\n[mem0, untrusted] Redis runs on port 6379\n[team, untrusted] Redis is ours"
    )
    assert mem0.asked[0][2]["user_id"] == "default"


def test_nothing_of_a_peer_is_stored_or_counted(opened: Open) -> None:
    with serving(Service({"results": [{"text": "Redis is ours", "id": "c1"}]})) as service:
        engine = opened(f"combray={service.url}")
        before = engine.reader.revision()
        engine.recall(QUESTION)
        assert engine.reader.revision() == before
        engine.remember("Another thing")
        assert engine.store.status()["total_insights"] == 2


def test_an_agent_sees_what_peers_gave_as_untrusted(opened: Open) -> None:
    """ "Federated providers … their results merged": an agent over MCP sees no details of the library."""
    mem0 = Service({"results": [{"memory": "Redis runs\non port 6379", "id": "m1", "score": 0.9}]})
    with serving(mem0):
        told = Calls(opened(f"mem0={mem0.url}")).recall(QUESTION)
    (block,) = told.content
    assert block.type == "text"
    assert block.text.splitlines()[-1] == "from mem0 (untrusted): Redis runs on port 6379"
    assert told.structured_content is not None
    assert told.structured_content["peers"][0]["id"] == "m1"


def test_an_answer_that_only_peers_have_says_so(opened: Open) -> None:
    with serving(Service({"results": [{"text": "Kafka is theirs"}]})) as service:
        answer = opened(f"combray={service.url}").recall("zookeeper quorum")
    assert len(answer) == 0
    assert answer.reason.endswith("; peers gave 1: see details")
    assert answer.details["grouped"] == "[combray, untrusted] Kafka is theirs"


@pytest.mark.parametrize(
    "question", ["what did I say about Redis", "which decision on Redis", "quyết định về Redis", "Redis 的决定"]
)
def test_internal_questions_stay_here(opened: Open, question: str) -> None:
    """ "classified as domain (not internal)"; notes 5.2: "INTERNAL words (decision, error, …, "what did i"…)"."""
    with serving(Service()) as service:
        answer = opened(f"combray={service.url}").recall(question)
    assert service.asked == []
    assert "own doings" in answer.details["peers_skipped"]


def test_filters_that_a_peer_cannot_honour_keep_it_out(opened: Open) -> None:
    with serving(Service()) as service:
        engine = opened(f"combray={service.url}")
        assert "filters" in engine.recall(QUESTION, categories=["fact"]).details["peers_skipped"]
        assert "filters" in engine.recall(QUESTION, trusts=["owner"]).details["peers_skipped"]
        assert service.asked == []
        assert "peers_skipped" not in engine.recall(QUESTION, since="2020-01-01").details
    assert len(service.asked) == 1


def test_dates_filter_what_peers_give(opened: Open) -> None:
    results = [
        {"text": "on the day", "when": "2024-04-30T10:00:00Z"},
        {"text": "a day late", "when": "2024-05-01T00:00:00Z"},
        {"text": "who knows when"},
    ]
    with serving(Service({"results": results})) as service:
        answer = opened(f"combray={service.url}").recall("news of Redis yesterday")
    assert of_peers(answer) == [("combray", "on the day")]
    assert service.asked[0][2]["query"] == "news of Redis"


def test_a_hanging_peer_costs_its_timeout_and_nothing_else(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service answers only when the block ends, after recall has come back with what others gave."""
    waited: list[float | None] = []

    def wait(asked: Collection[futures.Future[Any]], timeout: float | None = None) -> object:
        # The time is over as soon as one has answered.
        waited.append(timeout)
        return plain(asked, 2 * 60.0, futures.FIRST_COMPLETED)

    plain = futures.wait
    monkeypatch.setattr(futures, "wait", wait)
    slow = Service(waits_for=threading.Event())
    with serving(slow), serving(Service({"results": [{"text": "quick"}]})) as quick:
        answer = opened(f"combray:slow={slow.url},combray={quick.url}").recall(QUESTION)
        assert slow.waits_for is not None
        assert not slow.waits_for.is_set()
    assert waited == [60.0]
    assert [hit.memory.content for hit in answer] == [FACT]
    assert of_peers(answer) == [("combray", "quick")]
    assert answer.details["degraded"] == ("peer slow: did not answer in time",)


def test_recall_waits_no_longer_than_the_timeout(opened: Open) -> None:
    slow = Service(waits_for=threading.Event())
    with serving(slow):
        answer = opened(f"combray:slow={slow.url}", timeout=0.2).recall(QUESTION)
        assert slow.waits_for is not None
        assert not slow.waits_for.is_set()
    (said,) = answer.details["degraded"]
    # Recall and the call to the peer give up at the same moment: either may be the first to say so.
    assert said in ("peer slow: did not answer in time", "peer slow: no answer within 0.2 s")


def test_each_failure_is_told_in_the_order_of_the_setting(opened: Open) -> None:
    down, broken = Service(status=500), Service(b"<html>")
    with serving(down), serving(broken):
        specs = f"combray:a={closed_port()},combray:b={down.url},mem0:c={broken.url}"
        answer = opened(specs).recall(QUESTION)
    assert [said[:7] for said in answer.details["degraded"]] == ["peer a:", "peer b:", "peer c:"]
    assert "status 500" in answer.details["degraded"][1]
    assert len(answer) == 1
    assert any("peer b" in step.note for step in answer.trace)


def test_five_failures_and_a_minute(opened: Open) -> None:
    """notes 5.1.4: "disabled after 5 consecutive errors"; one call after the cool-down brings the peer back."""
    with serving(Service(status=500)) as service:
        engine = opened(f"combray={service.url}")
        for _ in range(5):
            assert "status 500" in engine.recall(QUESTION).details["degraded"][0]
        assert "not called, because 5 calls in a row failed" in engine.recall(QUESTION).details["degraded"][0]
        assert len(service.asked) == 5
        service.status, service.body = 200, {"results": [{"text": "back"}]}
        clock = engine.runtime.clock
        assert isinstance(clock, FakeClock)
        clock.pass_(seconds=60)
        assert of_peers(engine.recall(QUESTION)) == [("combray", "back")]


def test_the_same_answer_whoever_is_quicker(opened: Open) -> None:
    first = Service({"results": [{"text": "one"}]}, waits_for=threading.Event())
    with serving(first), serving(Service({"results": [{"text": "two"}, {"text": "one"}]})) as second:
        assert first.waits_for is not None
        threading.Timer(0.1, first.waits_for.set).start()
        answer = opened(f"combray:a={first.url},combray:b={second.url}").recall(QUESTION)
    assert of_peers(answer) == [("a", "one"), ("b", "two")]


SCRIPT = """
import os, sys, combray
os.environ["COMBRAY_PEERS"], os.environ["COMBRAY_PEER_TIMEOUT"] = "combray=" + sys.argv[1], "0.2"
engine = combray.open(":memory:", preset="engram", embedder="none")
engine.runtime.start(lambda: __import__("threading").Event().wait())
print(engine.recall("what do we know about Redis?").details["degraded"])
"""


def test_a_hanging_peer_does_not_hold_up_the_end_of_the_program(tmp_path: Path) -> None:
    """One call that never ends is still open when the program ends; it must not wait for it."""
    with serving(Service(waits_for=threading.Event())) as service:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, service.url],
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
            cwd=tmp_path,
        )
    assert done.returncode == 0, done.stderr
    assert "did not answer" in done.stdout or "no answer within" in done.stdout


def test_without_peers_nothing_is_said_of_them(opened: Open) -> None:
    details = opened("").recall(QUESTION).details
    assert "peers" not in details
    assert details["degraded"] == ()
