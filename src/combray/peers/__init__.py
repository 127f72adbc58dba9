"""Other memory services, asked over HTTP: one file a protocol, chosen by `kind=url` in the setting `peers`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from urllib.parse import urlsplit

from combray.errors import InvalidInputError
from combray.models.catalogue import Offer, is_set
from combray.models.services import is_loopback, usable_key
from combray.models.watched import WatchedPeer
from combray.peers.combray import CombrayPeer
from combray.peers.lightrag import LightRagPeer
from combray.peers.mem0 import Mem0Peer
from combray.peers.posting import key_variable
from combray.runtime import Clock, Peer

KINDS: dict[str, Callable[[str, str, str, float], Peer]] = {
    "combray": CombrayPeer,
    "mem0": Mem0Peer,
    "lightrag": LightRagPeer,
}
ABOUT = {
    "combray": "our own protocol (docs/reference/peer-protocol.md), which fits in front of any service",
    "mem0": "mem0's self-hosted REST server",
    "lightrag": "a LightRAG server: its passages, without its answer",
}
LONGEST_WAIT = 60.0

_SPEC = re.compile(r"(?P<kind>[a-z0-9]+)(?::(?P<name>[a-z][a-z0-9_-]{0,39}))?(?P<plain>\+plain)?=(?P<url>\S+)")
_REMEDY = 'Give a list such as "combray=http://127.0.0.1:8200,mem0:team=https://mem0.example".'


def open_peers(specs: str, timeout: float, clock: Clock) -> tuple[Peer, ...]:
    """The peers of a comma list of `kind=url`, `kind:name=url` or `kind+plain=url`, each behind a breaker.

    Their keys come from the environment, one variable a peer: COMBRAY_PEER_KEY_NAME. Plain HTTP is for this
    machine only, unless `+plain` asks for it. Nothing is connected to yet. Raises InvalidInputError.
    """
    if not 0 < timeout <= LONGEST_WAIT:
        raise InvalidInputError(
            "peer_timeout", f"{timeout!r} is out of range.", "Give more than 0 and at most 60 seconds."
        )
    opened: dict[str, Peer] = {}
    for spec in filter(None, (part.strip() for part in specs.split(","))):
        peer = _open(spec, timeout)
        if peer.name in opened:
            raise InvalidInputError(
                "peers", f"two peers are called {peer.name!r}.", "Name one of them: kind:name=url."
            )
        opened[peer.name] = WatchedPeer(peer, clock)
    return tuple(opened.values())


def offers() -> list[Offer]:
    """Every kind of peer, with the variable of its key when it is called like its kind."""
    variables = {kind: key_variable(kind) for kind in KINDS}
    return [
        Offer("peer", f"{kind}:NAME=URL", ABOUT[kind], key_variable=variable, key_is_set=is_set(variable))
        for kind, variable in variables.items()
    ]


def _open(spec: str, timeout: float) -> Peer:
    read = _SPEC.fullmatch(spec)
    if read is None:
        raise InvalidInputError("peers", f"{spec!r} cannot be read.", _REMEDY)
    if read["kind"] not in KINDS:
        raise InvalidInputError("peers", f"{read['kind']!r} is no kind of peer.", f"Kinds: {', '.join(KINDS)}.")
    _check(read["url"], plain=read["plain"] is not None)
    name = read["name"] or read["kind"]
    key = os.environ.get(key_variable(name), "").strip()
    if not usable_key(key):
        raise InvalidInputError(key_variable(name), "holds characters that no key has.")
    return KINDS[read["kind"]](name, read["url"].rstrip("/"), key, timeout)


def _check(url: str, *, plain: bool) -> None:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise InvalidInputError("peers", f"{url!r} is no address ({error}).", _REMEDY) from None
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise InvalidInputError("peers", f"{url!r} is no address of an HTTP service.", _REMEDY)
    if parts.username is not None or parts.password is not None:
        raise InvalidInputError(
            "peers", "an address holds a password.", f"Put the key into {key_variable('name')} instead."
        )
    if parts.scheme == "http" and not plain and not is_loopback(host):
        raise InvalidInputError(
            "peers",
            f"{url!r} is another machine, without encryption.",
            "Use https, or say kind+plain=url to send questions and key in the clear.",
        )
