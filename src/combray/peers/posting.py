"""Requests to peers: the HTTP client of model services, with answers validated against a type."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import msgspec

from combray.models.breaker import NEVER, Breaker
from combray.models.http import Client
from combray.records import dataclass

MOST_BYTES = 1_000_000
MOST_CHARACTERS = 8_000
"""Of one result's text. The longest memory, see docs/reference/presets.md."""

T = TypeVar("T")


def key_variable(peer: str) -> str:
    """Return the environment variable of a peer's key."""
    return "COMBRAY_PEER_KEY_" + peer.upper().replace("-", "_")


@dataclass(frozen=True)
class PostedPeer:
    """A peer behind an HTTP client. Its key is sent in `header`, after `prefix`."""

    name: str
    url: str
    key: str
    timeout: float
    header: ClassVar[str] = "X-API-Key"
    prefix: ClassVar[str] = ""

    @cached_property
    def client(self) -> Client:
        """The client. Nothing is connected yet.

        A call is one attempt of `timeout` seconds, because a recall cannot wait for retries. It uses no proxy.
        `peers.open_peers` adds the breaker.
        """
        return Client(
            f"peer {self.name}",
            self.url,
            key=self.key,
            key_variable=key_variable(self.name),
            headers={self.header: self.prefix + self.key} if self.key else {},
            patience=self.timeout,
            most_bytes=MOST_BYTES,
            breaker=Breaker(f"peer {self.name}", most=NEVER),
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
