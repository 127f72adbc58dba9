"""The setting `peers`: what it may say, and what is refused."""

from __future__ import annotations

import pytest

import combray
from combray.errors import InvalidInputError
from combray.peers import open_peers
from combray.testing.fakes import FakeClock


def opened(specs: str, timeout: float = 3.0) -> list[tuple[str, float]]:
    return [(peer.name, peer.timeout) for peer in open_peers(specs, timeout, FakeClock())]


def test_names_come_from_the_kind_or_are_given() -> None:
    specs = "combray=http://127.0.0.1:8200, mem0:team=https://mem0.example ,lightrag=http://localhost:9621/"
    assert opened(specs, 2.5) == [("combray", 2.5), ("team", 2.5), ("lightrag", 2.5)]
    assert opened("") == []


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        ("mem0", "'mem0' cannot be parsed"),
        ("graphiti=http://127.0.0.1", "'graphiti' is not a kind of peer. Kinds: combray, mem0, lightrag"),
        ("mem0=ftp://127.0.0.1", "not the address of an HTTP service"),
        ("mem0=http://", "not the address of an HTTP service"),
        ("mem0=https://h/?key=1", "not the address of an HTTP service"),
        ("mem0=http://127.0.0.1:99999", "is not a valid address"),
        ("mem0=https://user:word@h", "the address contains a password"),
        ("mem0=http://mem0.example", "another machine and unencrypted"),
        ("mem0=http://10.0.0.5:8888", "another machine and unencrypted"),
        ("mem0=http://localhost.example", "another machine and unencrypted"),
        ("mem0=https://a,mem0=https://b", "two peers are named 'mem0'"),
    ],
)
def test_what_cannot_be_used_is_refused(specs: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        opened(specs)


def test_plain_http_to_another_machine_must_be_asked_for() -> None:
    assert opened("mem0+plain=http://10.0.0.5:8888") == [("mem0", 3.0)]
    assert opened("combray=http://[::1]:8200") == [("combray", 3.0)]


@pytest.mark.parametrize("timeout", [0.0, -1.0, 61.0, float("nan")])
def test_the_timeout_is_bounded(timeout: float) -> None:
    with pytest.raises(InvalidInputError, match="peer_timeout"):
        opened("mem0=https://a", timeout)


def test_a_wrong_setting_is_told_when_the_store_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_PEERS", "mem0")
    with pytest.raises(InvalidInputError, match="peers: 'mem0' cannot be parsed"):
        combray.open(":memory:", preset="engram", embedder="none")
