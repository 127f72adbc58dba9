"""A peer that keeps failing is left alone for a while."""

from __future__ import annotations

import threading

from combray.errors import ModelError
from combray.runtime import Clock, Peer, PeerHit

MOST_ERRORS = 5
"""Errors in a row after which a peer is disabled (Engram's public code: "disabled after 5")."""
COOL_DOWN = 60.0
"""Seconds until a disabled peer is tried again (the page's recovery interval)."""


class Circuit:
    """Passes calls on to a peer; after five errors in a row refuses them until the cool-down is over.

    Then one call is let through: if it works the peer is back, if not the next cool-down begins. Only that
    one call is tried, however many threads ask meanwhile.
    """

    def __init__(self, peer: Peer, clock: Clock) -> None:
        self._peer = peer
        self._clock = clock
        self._lock = threading.Lock()
        self._errors = 0
        self._retry_at = 0.0
        self._trying = False

    @property
    def name(self) -> str:
        """The peer's name."""
        return self._peer.name

    @property
    def timeout(self) -> float:
        """The peer's timeout, in seconds."""
        return self._peer.timeout

    def search(self, query: str, limit: int, namespace: str) -> list[PeerHit]:
        """Ask the peer. Raises ModelError: its own, or that it is disabled."""
        self._admit()
        try:
            found = self._peer.search(query, limit, namespace)
        except BaseException:
            with self._lock:
                self._errors += 1
                self._trying = False
                self._retry_at = self._clock() + COOL_DOWN
            raise
        with self._lock:
            self._errors = 0
            self._trying = False
        return found

    def _admit(self) -> None:
        with self._lock:
            if self._errors < MOST_ERRORS:
                return
            left = self._retry_at - self._clock()
            if left > 0 or self._trying:
                raise ModelError(
                    f"peer {self.name}: not asked, since {self._errors} calls in a row failed; "
                    f"tried again in {max(0, round(left))} s"
                )
            self._trying = True
