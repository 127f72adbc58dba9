"""What the audit costs: recall and single writes with and without it in one run, one entry, a check of the log.

`python -m bench.audit [--memories 10000] [--queries 100] [--writes 300] [--megabytes 100]`
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

import combray
from bench.speed.texts import Text, clauses, questions, sources, texts
from combray import Engine
from combray.audit.chain import FileChain
from combray.audit.log import AuditKey, AuditLog
from combray.audit.reading import verify

TRIES = 6


def seconds(work: Callable[[], object]) -> float:
    """Return the wall time of a call."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def compared(name: str, works: Sequence[tuple[Callable[[], object], Callable[[], object]]], tries: int) -> None:
    """Print the medians with and without the audit. The two take turns, so neither profits from the other."""
    taken: tuple[list[float], list[float]] = ([], [])
    for number, pair in enumerate(works):
        best: list[list[float]] = [[], []]
        for turn in range(tries):
            for side in (0, 1) if (number + turn) % 2 else (1, 0):
                best[side].append(seconds(pair[side]))
        for side in (0, 1):
            # The best of a few: what else runs on the machine only ever makes it slower.
            taken[side].append(min(best[side]))
    on, off = map(median, taken)
    print(f"{name}: p50 {on * 1e3:.3f} ms with, {off * 1e3:.3f} without, ratio {on / off:.3f}")


def recall_cost(folder: Path, made: Sequence[Text], queries: int) -> None:
    """Compare recalls of one store."""
    with combray.open(str(folder / "a.db")) as audited:
        audited.remember_many([each.text for each in made], diff=False)
        plain = Engine(replace(audited.runtime, audit=None), "default", audited._at.preset, audited.settings)
        asked = questions(made, queries + 20)
        works = [(partial(audited.recall, each), partial(plain.recall, each)) for each in asked]
        for warm in works[:20]:
            _ = [work() for work in warm]
        compared(f"recall, {len(made)} memories", works[20:], TRIES)


def write_cost(folder: Path, made: Sequence[Text], durability: str) -> None:
    """Compare single writes into two stores."""
    engines = []
    for audited in ("true", "false"):
        os.environ["COMBRAY_AUDIT"] = audited
        path = str(folder / f"{durability}-{audited}.db")
        engines.append(combray.open(path, embedder="none", durability=durability))
    del os.environ["COMBRAY_AUDIT"]
    on, off = engines
    works = [(partial(on.remember, each.text), partial(off.remember, each.text)) for each in made]
    compared(f"one write, durability {durability}", works, 1)
    for engine in engines:
        engine.close()


def log_cost(folder: Path, megabytes: int) -> None:
    """Time an entry, and the check of a long log."""
    path = str(folder / "long.audit")
    log = AuditLog(FileChain(path), clock=time.time, key=AuditKey(f"{path}-key"))
    ids = [f"018f3406-9e00-7074-a0e8-{n:012}" for n in range(10)]
    entry = partial(log.record, "recall", "default", ids=ids, query="x")
    taken = [seconds(entry) for _ in range(2000)]
    print(f"one entry of 10 ids: p50 {median(taken) * 1e6:.0f} µs")
    for _ in range(int(megabytes * 1e6 * len(taken) / Path(path).stat().st_size)):
        entry()
    started = time.perf_counter()
    report = verify(log)
    print(f"verify: {megabytes} MB, {report.entries} entries in {time.perf_counter() - started:.1f} s")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--writes", type=int, default=300)
    parser.add_argument("--megabytes", type=int, default=100)
    chosen = parser.parse_args()
    made = list(texts(clauses(sources(None)), chosen.memories))
    with tempfile.TemporaryDirectory() as name:
        recall_cost(Path(name), made, chosen.queries)
        for durability in ("normal", "full"):
            write_cost(Path(name), made[: chosen.writes], durability)
        log_cost(Path(name), chosen.megabytes)


if __name__ == "__main__":
    main()
