"""Requests to peers: the HTTP client of model services, with answers validated against a type."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from combray.models.breaker import NEVER, Breaker
from combray.models.http import Client

MOST_BYTES = 1_000_000
MOST_CHARACTERS = 8_000
"""Of one result's text. The longest memory, see docs/reference/presets.md."""

T = TypeVar("T")


def key_variable(peer: str) -> str:
    """Return the environment variable of a peer's key."""
    return "COMBRAY_PEER_KEY_" + peer.upper().replace("-", "_")


def connect(peer: str, url: str, timeout: float, key: str, header: str, prefix: str = "") -> Client:
    """Return a client for a peer, with its key in `header`. Nothing is connected yet.

    A call is one attempt of `timeout` seconds, because a recall cannot wait for retries. It uses no proxy.
    `WatchedPeer` is the breaker.
    """
    return Client(
        f"peer {peer}",
        url,
        key=key,
        key_variable=key_variable(peer),
        headers={header: prefix + key} if key else {},
        patience=timeout,
        most_bytes=MOST_BYTES,
        breaker=Breaker(f"peer {peer}", most=NEVER),
        retries=0,
        proxied=False,
    )


def post(client: Client, path: str, body: Mapping[str, Any], shape: type[T]) -> T:
    """POST `body` as JSON and convert the answer to `shape`. Unknown fields are ignored. Raises ModelError."""

    def read(answer: Any) -> T:
        try:
            return msgspec.convert(answer, shape)
        except msgspec.ValidationError as error:
            raise client.error(f"the answer is not of the expected shape ({error})") from error

    given: T = client.post(path, body, read=read)
    return given


def moment(text: str | None) -> datetime | None:
    """Parse an ISO 8601 time, in UTC if it has no zone. Return None for anything else."""
    try:
        read = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return read if read.tzinfo is not None else read.replace(tzinfo=UTC)
