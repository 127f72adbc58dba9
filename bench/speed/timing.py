"""Clocks: rates of writing, percentiles of asking, wall time of a process."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

_WARM_UP = 5


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds of one call. `cpu` is the median of processor time, which other programs disturb little."""

    p50: float
    p95: float
    p99: float
    cpu: float
    calls: int


@dataclass(frozen=True, slots=True)
class Rate:
    """Things done a second, and a second of processor time."""

    wall: float
    cpu: float


def rate(work: Callable[[], int]) -> Rate:
    """Return the speed of one run of `work`, which returns how many things it did."""
    started, at = time.perf_counter(), time.process_time()
    done = work()
    return Rate(done / (time.perf_counter() - started), done / max(1e-9, time.process_time() - at))


def latency(ask: Callable[[str], object], questions: Sequence[str], warm_up: int = _WARM_UP) -> Latency:
    """Each question once, after the first few have been asked to warm up."""
    for question in questions[:warm_up]:
        ask(question)
    taken, busy = [], []
    for question in questions:
        started, at = time.perf_counter(), time.process_time()
        ask(question)
        busy.append((time.process_time() - at) * 1000)
        taken.append((time.perf_counter() - started) * 1000)
    return summarised(taken, busy)


def summarised(milliseconds: Iterable[float], busy: Sequence[float]) -> Latency:
    """Median, 95th and 99th percentile, and the median of processor time."""
    taken = np.fromiter(milliseconds, dtype=np.float64)
    p50, p95, p99 = (float(np.percentile(taken, part)) for part in (50, 95, 99))
    return Latency(p50, p95, p99, float(np.median(busy)), len(taken))


def process(command: Sequence[str], repeats: int = 7) -> Latency:
    """Wall milliseconds of a command from start to end. Raises CalledProcessError if it fails.

    One run before fills the caches of the disk and, unless forbidden, writes the modules' bytecode.
    """
    taken, busy = [], []
    for run in range(repeats + 1):
        started, at = time.perf_counter(), of_children()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment())
        if run:
            busy.append((of_children() - at) * 1000)
            taken.append((time.perf_counter() - started) * 1000)
    return summarised(taken, busy)


def of_children() -> float:
    """Return the processor seconds of all child processes that have ended."""
    used = os.times()
    return used.children_user + used.children_system


def environment() -> dict[str, str]:
    """The environment of a measured process: an installed package has its bytecode, so a measured one may too."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
