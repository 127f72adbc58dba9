"""Service tiers: which capabilities are available now, and why. Source: docs/reference/service-tiers.md."""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec
from msgspec.structs import replace

TierName = Literal["FULL", "STANDARD", "BASIC", "READONLY"]


class Tier(msgspec.Struct, frozen=True):
    """A service tier.

    FULL: embedder, graph and language model. STANDARD: no language model. BASIC: keywords and graph only.
    READONLY: no writes; `why` names missing models too. `since`: unix seconds since it was first observed.
    `degraded`: it is lower than the configured tier.
    """

    name: TierName
    why: str
    since: float
    degraded: bool = False

    def without_vector(self, failure: str) -> Tier:
        """Return the tier of one answer whose query could not be embedded because of `failure`."""
        if self.name == "READONLY":
            return replace(self, why=f"{self.why}; {failure}", degraded=True)
        return replace(self, name="BASIC", why=failure, degraded=True)


class ServiceTier(Protocol):
    """Determines the service tier."""

    def now(self, *, check: bool = False) -> Tier:
        """Return the tier. `check`: probe the store now, even if no check is due."""
