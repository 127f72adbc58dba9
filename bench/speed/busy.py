"""Recall while another process writes: the time a reader waits, and what catching up costs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.speed.timing import Latency, environment, latency

A_SECOND = 100

_WRITER = """
import sys, time, combray
path, preset, embedder, rate = sys.argv[1:5]
texts = sys.stdin.read().splitlines()
print("ready", flush=True)
with combray.open(path, preset=preset, embedder=embedder, worker=False) as engine:
    started, done = time.perf_counter(), 0
    for text in texts:
        wait = started + done / float(rate) - time.perf_counter()
        if wait > 0:
            time.sleep(wait)
        engine.remember(text)
        done += 1
        print(done, time.perf_counter() - started, flush=True)
"""


def while_written(
    path: Path,
    chosen: tuple[str, str],
    texts: Sequence[str],
    ask: Callable[[str], object],
    asked: Sequence[str],
) -> tuple[Latency, float]:
    """Ask while a process writes 100 memories a second; return the latency and the rate that it reached.

    `chosen`: preset and embedder.
    """
    command = [sys.executable, "-c", _WRITER, str(path), *chosen, str(A_SECOND)]
    writer = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
    )
    if writer.stdin is None or writer.stdout is None:
        raise OSError("the writing process has no pipes")
    try:
        writer.stdin.write("\n".join(" ".join(text.split()) for text in texts))
        writer.stdin.close()
        writer.stdout.readline()
        # The first write is done: what the writer loads at its start is not measured.
        writer.stdout.readline()
        found = latency(ask, asked)
        alive = writer.poll() is None
    finally:
        writer.terminate()
        lines = writer.stdout.read().splitlines()
        writer.wait()
    if not alive or not lines:
        raise OSError("the writing process ended before the last question; give it more texts")
    # The last line may have been cut short when the process was stopped.
    done, seconds = lines[max(0, len(lines) - 2)].split()
    return found, float(done) / float(seconds)
