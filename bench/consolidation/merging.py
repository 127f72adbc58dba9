"""How often consolidation merges what is not the same, on pairs of facts written and labelled by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from bench.quality.systems import shared_embedder
from combray import presets, settings, wiring
from combray.engine import Engine

PAIRS = Path(__file__).parent / "merges.jsonl"
_NOW = 1_735_689_600.0
_DAY = 86_400.0


class Pair(msgspec.Struct, frozen=True):
    """Two facts, whether they say the same, and what sets them apart if not."""

    first: str
    second: str
    same: bool
    kind: str


@dataclass
class Merging:
    """Pairs merged rightly and wrongly, those of one meaning left apart, and what else was done to the others."""

    pairs: int
    right: int = 0
    wrong: list[Pair] = field(default_factory=list)
    missed: list[Pair] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)

    @property
    def false_share(self) -> float:
        """Share of the merges that are wrong; 0 without any."""
        merges = self.right + len(self.wrong)
        return len(self.wrong) / merges if merges else 0.0

    @property
    def false_rate(self) -> float:
        """Share of the pairs of two meanings that were merged."""
        different = self.pairs - self.right - len(self.missed)
        return len(self.wrong) / different if different else 0.0


def load(path: Path = PAIRS) -> list[Pair]:
    """The labelled pairs."""
    return [msgspec.json.decode(line, type=Pair) for line in path.read_bytes().splitlines()]


def merge(pairs: Sequence[Pair], embedder: str) -> Merging:
    """Each pair in a namespace of its own, the second fact a day after the first; one run of consolidation."""
    now = [_NOW]
    model = shared_embedder(embedder)
    runtime = wiring.build(":memory:", settings.load({"embedder": "none"}), clock=lambda: now[0], model=model)
    found = Merging(len(pairs))
    with Engine(runtime, "pair", presets.load("default"), {"max_memories": 0}) as first:
        for place, pair in enumerate(pairs):
            engine = first.within(f"pair {place}")
            now[0] = _NOW
            engine.remember_many([{"content": pair.first, "kind": "fact"}], diff=False)
            now[0] = _NOW + _DAY
            engine.remember_many([{"content": pair.second, "kind": "fact"}], diff=False)
            _count(found, pair, list(engine.consolidation.run().counts), bool(engine.consolidation.waiting()))
    return found


def _count(found: Merging, pair: Pair, operations: Collection[str], waits: bool) -> None:
    if "merge" in operations:
        if pair.same:
            found.right += 1
        else:
            found.wrong.append(pair)
        return
    if pair.same:
        found.missed.append(pair)
    outcome = "superseded" if "supersede" in operations else "waits for the judge" if waits else "left apart"
    found.others[outcome] += 1
