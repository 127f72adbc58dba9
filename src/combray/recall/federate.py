"""Search at peers during the local search, and what becomes of their answers."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from combray.errors import ModelError
from combray.language.trivial import internal
from combray.recall.state import Recalling
from combray.runtime import Filter, Peer, PeerHit, Runtime

if TYPE_CHECKING:
    from concurrent.futures import Future

Asked = dict[str, "Future[list[PeerHit]]"]


def ask(state: Recalling, runtime: Runtime, limit: int) -> Asked:
    """Start a search at every peer, or say in details["peers_skipped"] why none is asked."""
    if not runtime.peers:
        return {}
    state.details["peers"] = state.peers
    if internal(state.query):
        state.details["peers_skipped"] = "the question is about one's own doings"
        return {}
    if not _bounded_by_dates_only(state.where):
        state.details["peers_skipped"] = "peers cannot honour the filters of this recall"
        return {}
    return {peer.name: runtime.start(_search(peer, state, limit)) for peer in runtime.peers}


def _search(peer: Peer, state: Recalling, limit: int) -> functools.partial[list[PeerHit]]:
    return functools.partial(peer.search, state.query, limit, state.namespace)


def _bounded_by_dates_only(where: Filter) -> bool:
    """Whether nothing but dates is filtered by: those can be applied to what comes back."""
    return replace(where, since=None, until=None) == Filter(now=where.now)


def collect(state: Recalling, asked: Asked, runtime: Runtime) -> None:
    """Wait for the peers, all of them together no longer than the longest timeout, and keep what they found.

    In the order of the settings, whoever answered first. Each failure is said in `degraded`.
    """
    if not asked:
        return
    from concurrent.futures import wait

    wait(asked.values(), timeout=max(peer.timeout for peer in runtime.peers))
    for name, future in asked.items():
        if not future.done():
            state.degraded.append(f"peer {name}: did not answer in time")
            continue
        try:
            found = future.result()
        except ModelError as error:
            state.degraded.append(str(error))
            continue
        state.peers += [_told(name, hit) for hit in found if _in_time(hit, state.where)]


def _in_time(hit: PeerHit, where: Filter) -> bool:
    """Whether it passes the dates of the filter; without a date of its own it passes only where none is asked."""
    if where.since is None and where.until is None:
        return True
    if hit.when is None:
        return False
    moment = hit.when.timestamp()
    return (where.since is None or moment >= where.since) and (where.until is None or moment < where.until)


def _told(name: str, hit: PeerHit) -> dict[str, Any]:
    return {
        "peer": name,
        "text": hit.text,
        "score": hit.score,
        "id": hit.id,
        "when": None if hit.when is None else hit.when.isoformat(),
        "source": hit.source,
        "trust": "untrusted",
    }
