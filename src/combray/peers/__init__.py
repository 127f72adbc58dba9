"""Peers: other memory services, queried over HTTP. Their protocols are in `protocols.py`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from combray.errors import InvalidInputError
from combray.models.breaker import MOST_FAILURES, watched
from combray.models.services import Offer, check_address, is_set, usable_key
from combray.peers.protocols import CombrayPeer, LightRagPeer, Mem0Peer, key_variable
from combray.runtime import Clock, Peer
from combray.values import is_loopback

KINDS: dict[str, Callable[[str, str, str, float], Peer]] = {
    "combray": CombrayPeer,
    "mem0": Mem0Peer,
    "lightrag": LightRagPeer,
}
ABOUT = {
    "combray": "combray serve, or any service with the protocol of docs/reference/peer-protocol.md",
    "mem0": "mem0's self-hosted REST server",
    "lightrag": "a LightRAG server: its passages, not its answer",
}
LONGEST_WAIT = 60.0

_SPEC = re.compile(r"(?P<kind>[a-z0-9]+)(?::(?P<name>[a-z][a-z0-9_-]{0,39}))?(?P<plain>\+plain)?=(?P<url>\S+)")
_REMEDY = 'Use a list such as "mem0:team=https://mem0.example,lightrag=http://127.0.0.1:9621".'


def open_peers(specs: str, timeout: float, clock: Clock) -> tuple[Peer, ...]:
    """Open the peers of a comma-separated list of `kind=url`, `kind:name=url` or `kind+plain=url`.

    Each has its key in the variable COMBRAY_PEER_KEY_NAME, and a circuit breaker. Plain HTTP is allowed for
    this machine only, unless `+plain` permits it. Nothing is connected yet. Raises InvalidInputError.
    """
    if not 0 < timeout <= LONGEST_WAIT:
        raise InvalidInputError(
            "peer_timeout", f"{timeout!r} is out of range.", "Use more than 0 and at most 60 seconds."
        )
    opened: dict[str, Peer] = {}
    for spec in filter(None, (part.strip() for part in specs.split(","))):
        peer = _open(spec, timeout)
        if peer.name in opened:
            raise InvalidInputError(
                "peers", f"two peers are named {peer.name!r}.", "Name one of them: kind:name=url."
            )
        opened[peer.name] = watched(peer, "search", clock, label="peer ", most=MOST_FAILURES)
    return tuple(opened.values())


def offers() -> list[Offer]:
    """Return every kind of peer, with the key variable of a peer named after its kind."""
    variables = {kind: key_variable(kind) for kind in KINDS}
    return [
        Offer("peer", f"{kind}:NAME=URL", ABOUT[kind], key_variable=variable, key_is_set=is_set(variable))
        for kind, variable in variables.items()
    ]


def _open(spec: str, timeout: float) -> Peer:
    read = _SPEC.fullmatch(spec)
    if read is None:
        raise InvalidInputError("peers", f"{spec!r} cannot be parsed.", _REMEDY)
    if read["kind"] not in KINDS:
        raise InvalidInputError(
            "peers", f"{read['kind']!r} is not a kind of peer.", f"Kinds: {', '.join(KINDS)}."
        )
    url = read["url"]
    parts = check_address("peers", url, _REMEDY, key_variable("name"))
    if parts.scheme == "http" and not read["plain"] and not is_loopback(parts.hostname or ""):
        raise InvalidInputError(
            "peers",
            f"{url!r} is on another machine and unencrypted.",
            "Use https, or kind+plain=url to send queries and key unencrypted.",
        )
    name = read["name"] or read["kind"]
    key = os.environ.get(key_variable(name), "").strip()
    if not usable_key(key):
        raise InvalidInputError(key_variable(name), "has characters that are invalid in a key.")
    return KINDS[read["kind"]](name, url.rstrip("/"), key, timeout)
