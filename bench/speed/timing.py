"""Clocks: rates of writing, percentiles of asking, wall time of a process."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

_WARM_UP = 5


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds of one call."""

    p50: float
    p95: float
    calls: int


def rate(work: Callable[[], int]) -> float:
    """Things done a second by one run of `work`, which returns how many it did."""
    started = time.perf_counter()
    done = work()
    return done / (time.perf_counter() - started)


def latency(ask: Callable[[str], object], questions: Sequence[str]) -> Latency:
    """Each question once, after the first five have been asked to warm up."""
    for question in questions[:_WARM_UP]:
        ask(question)
    taken = []
    for question in questions:
        started = time.perf_counter()
        ask(question)
        taken.append((time.perf_counter() - started) * 1000)
    return summarised(taken)


def summarised(milliseconds: Iterable[float]) -> Latency:
    """Median and 95th percentile."""
    taken = np.fromiter(milliseconds, dtype=np.float64)
    return Latency(float(np.percentile(taken, 50)), float(np.percentile(taken, 95)), len(taken))


def process(command: Sequence[str], repeats: int = 5) -> Latency:
    """Wall milliseconds of a command from start to end. Raises CalledProcessError if it fails."""
    taken = []
    for _ in range(repeats):
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        taken.append((time.perf_counter() - started) * 1000)
    return summarised(taken)
