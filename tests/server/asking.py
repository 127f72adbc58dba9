"""Requests as a server sees them, without a server."""

from __future__ import annotations

from typing import Any

import pytest

from combray.server.access import KeyedAccess, Refused

HOST = (b"host", b"127.0.0.1:8765")
HERE = ("127.0.0.1", 50_000)
THERE = ("203.0.113.9", 50_000)


def scope(*headers: tuple[bytes, bytes], client: tuple[str, int] | None = HERE) -> dict[str, Any]:
    named = {name for name, _ in headers}
    return {"type": "http", "client": client, "headers": [*([] if b"host" in named else [HOST]), *headers]}


def bearer(text: str) -> tuple[bytes, bytes]:
    return b"authorization", f"Bearer {text}".encode()


def refused(access: KeyedAccess, *headers: tuple[bytes, bytes], client: tuple[str, int] | None = HERE) -> Refused:
    with pytest.raises(Refused) as caught:
        access.authenticate(scope(*headers, client=client))
    return caught.value


def host(value: str) -> tuple[bytes, bytes]:
    return b"host", value.encode("latin-1")
