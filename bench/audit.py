"""What the audit costs: recall and single writes with and without it in one run, one entry, a check of the log.

`python -m bench.audit [--memories 10000] [--queries 100] [--writes 300] [--megabytes 100]`
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

import combray
from combray import Engine
from combray.audit.chain import FileChain
from combray.audit.key import Key
from combray.audit.log import AuditLog
from combray.audit.verify import verify

NAMES = ("Alice", "Bob", "Chandra", "Dilek", "Emeka", "Fatima", "Goran", "Hoa")
PLACES = ("Berlin", "Hanoi", "Lagos", "Quito", "Osaka", "Tunis", "Oslo", "Lima")
DEEDS = ("moved to", "opened an office in", "wrote a report about", "met customers in", "flew home from")


TRIES = 6


def texts(count: int) -> list[str]:
    return [
        f"{NAMES[n % 8]} {DEEDS[n % 5]} {PLACES[n // 8 % 8]} for project {n % 997} on day {n % 31}, note {n}"
        for n in range(count)
    ]


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def recall_cost(folder: Path, memories: int, queries: int) -> None:
    with combray.open(str(folder / "a.db")) as audited:
        audited.remember_many(texts(memories), diff=False)
        plain = Engine(replace(audited.runtime, audit=None), "default", audited._at.preset, audited.settings)
        asked = [f"Who {DEEDS[n % 5]} {PLACES[n % 8]} for project {n * 7 % 997}?" for n in range(queries)]
        for query in asked[:20]:
            audited.recall(query)
            plain.recall(query)
        with_audit, without = [], []
        for query in asked:
            taken: dict[int, list[float]] = {id(audited): [], id(plain): []}
            for number in range(TRIES):
                # Turn about, so that neither profits from what the other has just read.
                for engine in (audited, plain) if number % 2 else (plain, audited):
                    taken[id(engine)].append(seconds(partial(engine.recall, query)))
            # The best of a few: what else runs on the machine only ever makes it slower.
            with_audit.append(min(taken[id(audited)]))
            without.append(min(taken[id(plain)]))
        on, off = median(with_audit), median(without)
        print(
            f"recall, {memories} memories, {queries} queries: p50 {on * 1e3:.3f} ms with, {off * 1e3:.3f} without"
        )
        print(f"ratio of p50: {on / off:.3f}")


def write_cost(folder: Path, writes: int, durability: str) -> None:
    engines = {}
    for audited in ("true", "false"):
        os.environ["COMBRAY_AUDIT"] = audited
        path = str(folder / f"{durability}-{audited}.db")
        engines[audited] = combray.open(path, embedder="none", durability=durability)
    del os.environ["COMBRAY_AUDIT"]
    taken: dict[str, list[float]] = {audited: [] for audited in engines}
    for number, text in enumerate(texts(writes)):
        # Turn about, as above.
        for audited in engines if number % 2 else reversed(engines):
            taken[audited].append(seconds(partial(engines[audited].remember, text)))
    for engine in engines.values():
        engine.close()
    on, off = (median(each) for each in taken.values())
    print(f"one write, durability {durability}: p50 {on * 1e3:.2f} ms with, {off * 1e3:.2f} without")
    print(f"ratio of p50: {on / off:.3f}")


def log_cost(folder: Path, megabytes: int) -> None:
    path = str(folder / "long.audit")
    log = AuditLog(FileChain(path), clock=time.time, key=Key(f"{path}-key"))
    ids = [f"018f3406-9e00-7074-a0e8-{n:012}" for n in range(10)]
    taken = [seconds(partial(log.record, "recall", "default", ids=ids, query="x")) for _ in range(2000)]
    print(f"one entry of 10 ids: p50 {median(taken) * 1e6:.0f} µs")
    line = Path(path).stat().st_size / len(taken)
    for _ in range(int(megabytes * 1e6 / line)):
        log.record("recall", "default", ids=ids, query="x")
    started = time.perf_counter()
    report = verify(log)
    passed = time.perf_counter() - started
    size = sum(Path(each).stat().st_size for each in report.files) / 1e6
    print(f"verify: {size:.0f} MB, {report.entries} entries, {len(report.files)} files in {passed:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--writes", type=int, default=300)
    parser.add_argument("--megabytes", type=int, default=100)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        recall_cost(Path(name), chosen.memories, chosen.queries)
        for durability in ("normal", "full"):
            write_cost(Path(name), chosen.writes, durability)
        log_cost(Path(name), chosen.megabytes)


if __name__ == "__main__":
    main()
