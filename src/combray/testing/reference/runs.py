"""Runs, pairs in doubt and leases of the reference store: dicts by namespace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from combray.runtime import Doubt, Lease, Run


@dataclass(slots=True)
class Ledger:
    """What consolidation keeps beside the memories. Values are never changed in place."""

    runs: dict[tuple[str, str], Run] = field(default_factory=dict)
    parts: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    doubts: dict[tuple[str, int, int], Doubt] = field(default_factory=dict)
    leases: dict[tuple[str, str], Lease] = field(default_factory=dict)

    def copy(self) -> Ledger:
        """Another ledger with the same contents."""
        return Ledger(dict(self.runs), dict(self.parts), dict(self.doubts), dict(self.leases))

    def latest(self, namespace: str, limit: int) -> list[Run]:
        """Runs of a namespace, newest first."""
        mine = [run for (where, _), run in self.runs.items() if where == namespace]
        return sorted(mine, key=lambda run: (run.started, run.id), reverse=True)[:limit]

    def put_run(self, namespace: str, run: Run, parts: Sequence[str]) -> None:
        """Store or replace a run, with more parts of its plan."""
        place = (namespace, run.id)
        self.runs[place] = run
        self.parts[place] = (*self.parts.get(place, ()), *parts)

    def take_part(self, namespace: str, run: str) -> str | None:
        """The first part left, removed."""
        first, *rest = self.parts.get((namespace, run), ()) or (None,)
        self.parts[namespace, run] = tuple(part for part in rest if part is not None)
        return first

    def pairs(self, namespace: str) -> list[Doubt]:
        """Pairs in doubt of a namespace, by keys."""
        return [doubt for (where, _, _), doubt in sorted(self.doubts.items()) if where == namespace]

    def put_pairs(self, namespace: str, doubts: Sequence[Doubt]) -> None:
        """Store or replace pairs."""
        for each in doubts:
            self.doubts[namespace, each.first, each.second] = each

    def drop_pairs(self, namespace: str, run: str) -> int:
        """Remove the pairs that a run wrote last."""
        gone = [place for place, doubt in self.doubts.items() if place[0] == namespace and doubt.run == run]
        for place in gone:
            del self.doubts[place]
        return len(gone)

    def forget(self, key: int) -> None:
        """Remove the pairs of an erased memory."""
        for place in [place for place in self.doubts if key in place[1:]]:
            del self.doubts[place]
