"""What extraction has cost, kept in the store: the calls and tokens of a day, and what became of all answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from combray.records import dataclass
from combray.runtime import Reader, Writer

_KEPT = "extraction"


class Spending(msgspec.Struct, frozen=True):
    """Calls and tokens of one day (ISO 8601), then totals of a namespace.

    `calls` and `tokens` count repairs and calls that failed. `facts` are new ones, `known` those that repeat a
    known fact, `superseded` memories that were replaced, `unsupported` facts that the turns do not state,
    `quarantined` those that look like prompt injection, `malformed` parts of answers that could not be read.
    """

    day: str = ""
    calls_today: int = 0
    tokens_today: int = 0
    calls: int = 0
    failures: int = 0
    tokens: int = 0
    read: int = 0
    facts: int = 0
    known: int = 0
    superseded: int = 0
    unsupported: int = 0
    quarantined: int = 0
    malformed: int = 0

    def plus(self, day: str, counts: Mapping[str, int]) -> Spending:
        """Return the ledger with more counts; those of today begin anew on another day."""
        today = self.on(day)
        found = {name: getattr(today, name) + count for name, count in counts.items()}
        found["calls_today"] = today.calls_today + counts.get("calls", 0)
        found["tokens_today"] = today.tokens_today + counts.get("tokens", 0)
        return msgspec.structs.replace(today, **found)

    def on(self, day: str) -> Spending:
        """Return the ledger as it is on a day."""
        if day == self.day:
            return self
        return msgspec.structs.replace(self, day=day, calls_today=0, tokens_today=0)


def ledger(reader: Reader) -> Spending:
    """Return the ledger of a namespace."""
    kept = reader.kept(_KEPT)
    try:
        return msgspec.json.decode(kept, type=Spending) if kept else Spending()
    except msgspec.MsgspecError:
        # It counts and decides nothing: a damaged one begins anew.
        return Spending()


def enter(tx: Writer, day: str, counts: Mapping[str, int]) -> None:
    """Add counts to the ledger."""
    tx.keep(_KEPT, msgspec.json.encode(ledger(tx).plus(day, counts)).decode())


@dataclass(frozen=True, slots=True)
class DayBudget:
    """What a day may cost in one namespace; 0: no limit. `price`: of a million tokens, None if unknown."""

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    price: float | None = None

    @classmethod
    def of(cls, settings: Mapping[str, Any], price: float | None) -> DayBudget:
        """Return the budget of the settings."""
        calls, tokens = int(settings.get("extract_calls", 0)), int(settings.get("extract_tokens", 0))
        return cls(calls, tokens, float(settings.get("extract_cost", 0.0)), price)

    def money(self, tokens: int) -> float | None:
        """Return the price of tokens, None if it is unknown."""
        return None if self.price is None else round(tokens * self.price / 1e6, 6)

    def exhausted(self, spent: Spending, tokens: int = 0) -> str:
        """Return why no call of so many tokens may follow, or ""."""
        then = spent.tokens_today + tokens
        if self.calls and spent.calls_today >= self.calls:
            return f"the budget of today is spent: {spent.calls_today} calls (extract_calls={self.calls})"
        if self.tokens and then > self.tokens:
            return f"the budget of today is spent: {spent.tokens_today} tokens (extract_tokens={self.tokens})"
        if self.cost and self.price is None:
            return "extract_cost needs the price of the model. Set prices"
        if self.cost and (self.money(then) or 0.0) > self.cost:
            paid = self.money(spent.tokens_today)
            return f"the budget of today is spent: {paid} (extract_cost={self.cost:g})"
        return ""
