"""What each kind of peer is asked, what is read from its answer, and what is told when it fails."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Any

import pytest
from peer_servers import Service, closed_port, serving

from combray.errors import ModelError
from combray.peers.protocols import MOST_BYTES, MOST_CHARACTERS, CombrayPeer, LightRagPeer, Mem0Peer, moment
from combray.runtime import PeerHit

NINE = datetime(2026, 3, 1, 9, tzinfo=UTC)


def asked(service: Service, **options: Any) -> list[PeerHit]:
    """Ask a peer of our own kind."""
    settings: dict[str, Any] = {"name": "team", "url": service.url, "key": "", "timeout": 60.0} | options
    return CombrayPeer(**settings).search("who owns it", 5, "work")


# -- the three protocols -----------------------------------------------------------------------------


def test_our_own_protocol() -> None:
    """The request and the answer of docs/reference/peer-protocol.md."""
    given = {"id": "42", "text": "Bob owns it.", "score": 0.71, "when": "2026-03-01T09:00:00Z", "source": "wiki"}
    with serving(Service({"results": [given, {"text": "More"}, {"text": "  "}], "version": 1})) as service:
        hits = asked(service, key="secret")
    assert hits == [PeerHit("Bob owns it.", 0.71, "42", NINE, "wiki"), PeerHit("More")]
    path, headers, body = service.asked[0]
    assert (path, headers["authorization"]) == ("/v1/search", "Bearer secret")
    assert body == {"query": "who owns it", "limit": 5, "namespace": "work"}


def test_no_key_no_header() -> None:
    with serving(Service()) as service:
        assert asked(service) == []
    assert "authorization" not in service.asked[0][1]


@pytest.mark.parametrize("bare", [False, True])
def test_mem0(bare: bool) -> None:
    """Answers of the server's versions: {"results": […]} and a bare list."""
    results = [
        {"id": "a1", "memory": "Likes tea", "score": 0.5, "hash": "x", "created_at": "2026-03-01T09:00:00Z"}
    ]
    with serving(Service(results if bare else {"results": results, "relations": []})) as service:
        hits = Mem0Peer("mem0", service.url, "secret", 60.0).search("tea", 3, "work")
    assert hits == [PeerHit("Likes tea", 0.5, "a1", NINE)]
    path, headers, body = service.asked[0]
    assert (path, headers["x-api-key"]) == ("/search", "secret")
    assert body == {"query": "tea", "user_id": "work", "limit": 3, "top_k": 3}


def test_lightrag_gives_passages_and_no_made_up_answer() -> None:
    references = [
        {"reference_id": "1", "file_path": "ops.md", "content": ["Bob owns it.", "Since May."]},
        {"reference_id": "2", "file_path": "old.md", "content": ["Eve owned it."]},
    ]
    with serving(Service({"response": "everything", "references": references})) as service:
        hits = LightRagPeer("lightrag", service.url, "secret", 60.0).search("who", 2, "work")
    assert hits == [
        PeerHit("Bob owns it.", id="1", source="ops.md"),
        PeerHit("Since May.", id="1", source="ops.md"),
    ]
    path, headers, body = service.asked[0]
    assert (path, headers["x-api-key"]) == ("/query", "secret")
    assert body["only_need_context"] is True
    assert "namespace" not in body


def test_lightrag_without_passages_gives_its_context_and_nothing_when_it_has_none() -> None:
    known = {"response": "-----Context----- Bob", "references": [{"reference_id": "1", "file_path": "ops.md"}]}
    with serving(Service(known)) as service:
        peer = LightRagPeer("lightrag", service.url, "", 60.0)
        assert peer.search("who", 5, "work") == [PeerHit("-----Context----- Bob")]
        service.body = {"response": "Sorry, I'm not able to answer.", "references": []}
        assert peer.search("who", 5, "work") == []


def test_more_than_the_limit_and_long_texts_are_cut() -> None:
    with serving(Service({"results": [{"text": "x" * 9000}] * 7})) as service:
        hits = asked(service)
    assert [len(hit.text) for hit in hits] == [MOST_CHARACTERS] * 5


def test_times_as_peers_write_them() -> None:
    assert moment("2026-03-01T09:00:00") == NINE
    assert moment("2026-03-01T10:00:00+01:00") == NINE
    assert moment("last Tuesday") is None
    assert moment(None) is None


# -- failures ----------------------------------------------------------------------------------------

BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"body": b"<html>"}, "peer team: the answer is not JSON"),
    ({"body": b""}, "not JSON"),
    ({"body": {"results": [{"id": "no text"}]}}, "not of the expected shape .*`text`"),
    ({"body": {"results": "none"}}, "peer team: the answer is not of the expected shape"),
    ({"body": b"[" * 100_000}, "not JSON"),
    ({"status": 500}, "peer team: status 500"),
    ({"status": 401}, "status 401: check COMBRAY_PEER_KEY_TEAM"),
    ({"status": 302, "headers": {"Location": "/v2/search"}}, "redirects to another address"),
    ({"body": b" " * (MOST_BYTES + 1)}, "more than 1,000,000 bytes"),
    ({"headers": {"Content-Encoding": "gzip"}, "body": b"\x1f\x8b\x08\x00junk"}, "not JSON"),
]


@pytest.mark.parametrize(("settings", "message"), BROKEN)
def test_a_bad_answer_names_the_peer_and_the_problem(settings: dict[str, Any], message: str) -> None:
    with serving(Service(**settings)) as service, pytest.raises(ModelError, match=message):
        asked(service)
    assert len(service.asked) == 1


def test_an_answer_of_the_largest_size_is_read() -> None:
    body = b'{"results": []}'
    with serving(Service(body + b" " * (MOST_BYTES - len(body)))) as service:
        assert asked(service) == []


def test_nobody_listens() -> None:
    with pytest.raises(ModelError, match="peer team: "):
        asked(Service(url=closed_port()))


def test_a_peer_that_does_not_answer_is_given_up() -> None:
    """It answers only when the test lets it, which is after it was given up."""
    with serving(Service(waits_for=threading.Event())) as service:
        with pytest.raises(ModelError, match=r"peer team: no answer within 0\.2 s"):
            asked(service, timeout=0.2)
        assert service.waits_for is not None
        assert not service.waits_for.is_set()
        assert service.has_been_asked(1) == 1


def test_text_that_no_json_can_hold_is_an_error_of_the_peer() -> None:
    with serving(Service()) as service, pytest.raises(ModelError, match="peer team"):
        CombrayPeer("team", service.url, "", 60.0).search("\ud800", 5, "work")
