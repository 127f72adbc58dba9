"""A peer that keeps failing is left alone for a while."""

from __future__ import annotations

from combray.errors import ModelError
from combray.models.breaker import COOL_DOWN, Breaker
from combray.models.breaker import MOST_FAILURES as MOST_ERRORS
from combray.models.usage import Usage
from combray.runtime import Clock, Health, Peer, PeerHit

__all__ = ["COOL_DOWN", "MOST_ERRORS", "Circuit"]


class Circuit:
    """Passes calls on to a peer, behind a breaker: five errors in a row disable it (Engram's public code:
    "disabled after 5") until a cool-down of 60 s (the page's recovery interval) is over.
    """

    def __init__(self, peer: Peer, clock: Clock) -> None:
        self._peer = peer
        self._breaker = Breaker(clock=clock)
        self.usage = Usage()

    @property
    def name(self) -> str:
        """The peer's name."""
        return self._peer.name

    @property
    def timeout(self) -> float:
        """The peer's timeout, in seconds."""
        return self._peer.timeout

    def health(self) -> Health:
        """How the peer has fared in this process."""
        return self._breaker.health(self.usage)

    def search(self, query: str, limit: int, namespace: str) -> list[PeerHit]:
        """Ask the peer. Raises ModelError: its own, or that it is disabled."""
        refusal = self._breaker.refusal()
        if refusal:
            raise ModelError(f"peer {self.name}: {refusal}")
        try:
            found = self._peer.search(query, limit, namespace)
        except ModelError as error:
            self.usage.call(failed=True)
            self._breaker.failed(str(error).removeprefix(f"peer {self.name}: "))
            raise
        except BaseException:
            self._breaker.given_up()
            raise
        self.usage.call(failed=False)
        self._breaker.passed()
        return found
