"""One JSON question to a peer, one answer: bounded in time and size, checked against its shape."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from combray.errors import ModelError

if TYPE_CHECKING:
    import httpx2

MOST_BYTES = 1_000_000
MOST_CHARACTERS = 8_000
"""Of one result's text: as long as a memory may be (Mnemon 5.1)."""

T = TypeVar("T")


def post(
    peer: str, url: str, body: Mapping[str, Any], headers: Mapping[str, str], timeout: float, shape: type[T]
) -> T:
    """POST `body` as JSON and read the answer as `shape` (msgspec; unknown fields are ignored).

    Redirects are not followed: they would carry question and key to somebody else. The answer may have
    1,000,000 bytes and take `timeout` seconds in all. Raises ModelError that names the peer and the problem.
    """
    import httpx2

    deadline = time.monotonic() + timeout
    try:
        request = _client().build_request("POST", url, json=dict(body), headers=_plain(headers), timeout=timeout)
        response = _client().send(request, stream=True, follow_redirects=False)
        try:
            answer = _read(peer, response, deadline, timeout)
        finally:
            response.close()
    except httpx2.TimeoutException:
        raise _late(peer, timeout) from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        raise ModelError(f"peer {peer}: {error or type(error).__name__}") from error
    try:
        return msgspec.json.decode(answer, type=shape)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise ModelError(f"peer {peer}: the answer is not of the expected shape ({error})") from error


def _read(peer: str, response: httpx2.Response, deadline: float, timeout: float) -> bytes:
    if response.is_redirect:
        raise ModelError(f"peer {peer}: sends us elsewhere ({response.status_code}); name the final address")
    if response.status_code != 200:
        raise ModelError(f"peer {peer}: answers with status {response.status_code}")
    parts: list[bytes] = []
    length = 0
    for part in response.iter_raw():
        length += len(part)
        if length > MOST_BYTES:
            raise ModelError(f"peer {peer}: answers with more than {MOST_BYTES:,} bytes")
        if time.monotonic() > deadline:
            raise _late(peer, timeout)
        parts.append(part)
    return b"".join(parts)


def _late(peer: str, timeout: float) -> ModelError:
    return ModelError(f"peer {peer}: did not answer within {timeout:g} s")


def _plain(headers: Mapping[str, str]) -> dict[str, str]:
    # Unpacked, a small answer could be of any size.
    return {**headers, "Accept": "application/json", "Accept-Encoding": "identity"}


@functools.cache
def _client() -> httpx2.Client:
    """Shared by all peers and threads: building one reads the certificates, which takes longer than a call."""
    import httpx2

    # A proxy of the environment would see what is meant for this machine; a .netrc would add passwords.
    return httpx2.Client(trust_env=False)


def moment(text: str | None) -> datetime | None:
    """A time as peers write it, ISO 8601, aware; None for anything else."""
    try:
        read = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return read if read.tzinfo is not None else read.replace(tzinfo=UTC)
