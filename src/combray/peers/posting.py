"""One JSON question to a peer, one answer: the client of all model services, checked against a shape."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from combray.models.breaker import NEVER, Breaker
from combray.models.http import Client

MOST_BYTES = 1_000_000
MOST_CHARACTERS = 8_000
"""Of one result's text: as long as a memory may be (Mnemon 5.1)."""

T = TypeVar("T")


def key_variable(peer: str) -> str:
    """The environment variable of a peer's key."""
    return "COMBRAY_PEER_KEY_" + peer.upper().replace("-", "_")


def connect(peer: str, url: str, timeout: float, key: str, header: str, prefix: str = "") -> Client:
    """A client for a peer, with its key, if there is one, in that header. Nothing is connected to yet.

    One try a call, in `timeout` seconds: a recall does not wait for a second one. The answer may have 1,000,000
    bytes. No proxy of the environment is used. `WatchedPeer` is the breaker.
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
    """POST `body` as JSON and read the answer as `shape` (msgspec; unknown fields are ignored).

    Raises ModelError that names the peer and the problem.
    """

    def read(answer: Any) -> T:
        try:
            return msgspec.convert(answer, shape)
        except msgspec.ValidationError as error:
            raise client.error(f"the answer is not of the expected shape ({error})") from error

    given: T = client.post(path, body, read=read)
    return given


def moment(text: str | None) -> datetime | None:
    """A time as peers write it, ISO 8601, aware; None for anything else."""
    try:
        read = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return read if read.tzinfo is not None else read.replace(tzinfo=UTC)
