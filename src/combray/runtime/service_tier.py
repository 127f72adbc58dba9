"""Service tiers: which parts of Combray are available, and why (docs/reference/service-tiers.md)."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from combray.runtime.models import Clock, Embedder, Health, LanguageModel, Peer, Reranker
from combray.runtime.store import Store

TierName = Literal["FULL", "STANDARD", "BASIC", "READONLY"]

NAMES: tuple[TierName, ...] = ("READONLY", "BASIC", "STANDARD", "FULL")
"""Lowest first."""
INTERVAL = 60.0
"""Seconds between two looks at a store that could not be written (the page: "checked every 60 seconds")."""
DOWN_AFTER = 3
"""Failures in a row within 300 s after which a model counts as down (notes 5.2)."""


class Tier(msgspec.Struct, frozen=True):
    """What is open: FULL (embedder, graph, language model), STANDARD (no language model), BASIC (keywords and
    graph only) or READONLY (nothing can be written; `why` tells of models too).

    `since`: unix seconds when it was first seen so. `degraded`: it is lower than what was configured.
    """

    name: TierName
    why: str
    since: float
    degraded: bool = False

    def without_vector(self, failure: str) -> Tier:
        """The tier of one answer whose query could not be embedded, and the failure that was the reason."""
        if self.name == "READONLY":
            return replace(self, why=f"{self.why}; {failure}", degraded=True)
        return replace(self, name="BASIC", why=failure, degraded=True)


class _Part(msgspec.Struct, frozen=True):
    """Something that is not open, the tier that is left without it, and whether it was there before."""

    leaves: TierName
    why: str
    lost: bool


class ServiceTier:
    """Looks at the store and the models. Safe for threads.

    Models tell by what their calls have met: nothing is called to find out. A store is looked at only after a
    write has failed, every 60 s, so that `now` costs microseconds at any other time.
    """

    def __init__(
        self, store: Store, embedder: Embedder | None, language_model: LanguageModel | None, clock: Clock
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._language_model = language_model
        self._clock = clock
        self._lock = threading.Lock()
        self._checked = clock()
        self._trouble = ""
        self._since: tuple[TierName, float] | None = None

    def now(self, *, check: bool = False) -> Tier:
        """The tier. `check`: look at the store now, whether that is due or not."""
        now = self._clock()
        self._look_at_store(now, check=check)
        parts = list(self._missing())
        name = _lowest([part.leaves for part in parts])
        configured = _lowest([part.leaves for part in parts if not part.lost])
        telling = [part for part in parts if part.lost or part.leaves == name]
        with self._lock:
            if self._since is None or self._since[0] != name:
                self._since = (name, now)
            since = self._since[1]
        why = "; ".join(part.why for part in telling) or "embedder, graph and language model are open"
        return Tier(name, why, since, name != configured)

    def _look_at_store(self, now: float, *, check: bool) -> None:
        trouble = self._store.unwritable
        if not trouble and not check:
            self._trouble = ""
            return
        with self._lock:
            # The write that failed just now was the look.
            fresh = trouble != self._trouble
            due = check or (not fresh and now - self._checked >= INTERVAL)
            if fresh or due:
                self._checked, self._trouble = now, trouble
        if due:
            self._trouble = self._store.probe()

    def _missing(self) -> Iterator[_Part]:
        if self._store.unwritable:
            yield _Part("READONLY", self._store.unwritable, lost=True)
        elif not self._store.writable:
            yield _Part("READONLY", "the store was opened read-only", lost=False)
        if self._embedder is None:
            yield _Part("BASIC", "no embedder is configured", lost=False)
        elif problem := down(self._embedder):
            yield _Part("BASIC", problem, lost=True)
        if self._language_model is None:
            yield _Part("STANDARD", "no language model is configured", lost=False)
        elif problem := down(self._language_model):
            yield _Part("STANDARD", problem, lost=True)


_UNKNOWN = Health()


def health(model: Any) -> Health:
    """How a model or peer has fared; one that cannot tell has not failed yet."""
    tell = getattr(model, "health", None)
    return _UNKNOWN if tell is None else tell()


def down(model: Embedder | LanguageModel) -> str:
    """Why a model counts as down, in words; "" if it does not.

    Its calls are refused, or three in a row have failed within 300 s. One that nobody has called since then
    counts as open again: the next call is the try.
    """
    fared = health(model)
    if fared.state != "open" and fared.in_a_row < DOWN_AFTER:
        return ""
    again = f"; tried again in {fared.retry_in:.0f} s" if fared.state == "open" else ""
    return f"{model.name} is down, the last failure: {fared.reason}{again}"


def _lowest(names: list[TierName]) -> TierName:
    return min(names, key=NAMES.index, default="FULL")


def fared(
    models: Mapping[str, Embedder | Reranker | LanguageModel | None],
    peers: Sequence[Peer],
    prices: Mapping[str, float],
) -> list[dict[str, Any]]:
    """What each model (by kind) and peer has done in this process, for people and programs.

    `cost` is tokens times the price of a million, of the model's name or of the name without its dimensions;
    None where there is no price, or the model does not count its tokens.
    """
    open_now: list[tuple[str, Any]] = [(kind, model) for kind, model in models.items() if model is not None]
    open_now += [("peer", peer) for peer in peers]
    lines = []
    for kind, model in open_now:
        told = health(model)
        price = prices.get(model.name, prices.get(model.name.rpartition(":")[0]))
        lines.append(
            {
                "kind": kind,
                "name": model.name,
                "state": told.state,
                "calls": told.calls,
                "failures": told.failures,
                "tokens": told.tokens,
                "cost": None if price is None or not told.tokens else round(told.tokens * price / 1e6, 6),
                "last_failure": told.reason,
            }
        )
    return lines
