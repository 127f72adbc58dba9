"""Determines the service tier from the store and the health of the models."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from combray.runtime import Clock, Embedder, Health, LanguageModel, Runtime, ServiceTier, Store, Tier, TierName

NAMES: tuple[TierName, ...] = ("READONLY", "BASIC", "STANDARD", "FULL")
"""Lowest first."""
INTERVAL = 60.0
"""Seconds between checks of a store that could not be written. Source: docs/reference/service-tiers.md."""
DOWN_AFTER = 3
"""Consecutive failures within 300 s after which a model counts as down. Source: as above."""


class _Part(msgspec.Struct, frozen=True):
    """A missing capability, the tier without it, and whether it was configured (`lost`)."""

    leaves: TierName
    why: str
    lost: bool


class TierMonitor:
    """Implements `runtime.ServiceTier`. Safe for threads.

    Models report the health that their calls have shown; none is called for this. The store is probed only after
    a failed write, every 60 s, so `now` takes microseconds otherwise.
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
        """Return the tier. `check`: probe the store now, even if no check is due."""
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
            # The write that just failed counts as a check.
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


def health(model: Any) -> Health:
    """Return the health of a model or peer. One that does not report it counts as healthy."""
    report = getattr(model, "health", None)
    return Health() if report is None else report()


def down(model: Embedder | LanguageModel) -> str:
    """Return why a model counts as down, or "".

    It does if its calls are refused, or three in a row failed within the last 300 s. After that time it counts
    as available, and the next call is the trial.
    """
    now = health(model)
    if now.state != "open" and now.in_a_row < DOWN_AFTER:
        return ""
    again = f"; tried again in {now.retry_in:.0f} s" if now.state == "open" else ""
    return f"{model.name} is down, the last failure: {now.reason}{again}"


def _lowest(names: list[TierName]) -> TierName:
    return min(names, key=NAMES.index, default="FULL")


def model_usage(runtime: Runtime, prices: Mapping[str, float]) -> list[dict[str, Any]]:
    """Return state, counts and cost of each model (by kind) and peer in this process.

    `cost` is tokens times the price of a million, by the model's name with or without its dimensions. It is None
    if there is no price or no token count.
    """
    kinds = ("embedder", "reranker", "judge", "language_model")
    open_now = [(kind, model) for kind in kinds if (model := getattr(runtime, kind)) is not None]
    open_now += [("peer", peer) for peer in runtime.peers]
    lines = []
    for kind, model in open_now:
        now = health(model)
        price = prices.get(model.name, prices.get(model.name.rpartition(":")[0]))
        lines.append(
            {
                "kind": kind,
                "name": model.name,
                "state": now.state,
                "calls": now.calls,
                "failures": now.failures,
                "tokens": now.tokens,
                "cost": None if price is None or not now.tokens else round(now.tokens * price / 1e6, 6),
                "last_failure": now.reason,
            }
        )
    return lines


def tier_monitor(runtime: Runtime) -> ServiceTier:
    """Return the runtime's tier monitor, or a new one if it has none."""
    return runtime.service_tier or TierMonitor(
        runtime.store, runtime.embedder, runtime.language_model, runtime.clock
    )
