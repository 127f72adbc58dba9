"""Memory of processes that read one store: resident (RSS) and proportional (PSS, shared pages divided)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.speed.timing import environment

_READER = """
import sys, combray
engine = combray.open(sys.argv[1], preset=sys.argv[2], embedder=sys.argv[3], worker=False)
for question in sys.argv[4:]:
    engine.recall(question)
print("ready", flush=True)
sys.stdin.read()
engine.close()
"""


@dataclass(frozen=True, slots=True)
class Memory:
    """Megabytes. `resident` counts shared pages in every process, `proportional` once."""

    processes: int
    resident: float
    proportional: float


def of_readers(path: Path, preset: str, embedder: str, questions: Sequence[str], processes: int) -> Memory | None:
    """Return the memory of all processes after each has asked the questions; None where /proc does not say."""
    command = [sys.executable, "-c", _READER, str(path), preset, embedder, *questions]
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment())
        for _ in range(processes)
    ]
    try:
        for each in started:
            if each.stdout is None or each.stdout.readline() != "ready\n":
                raise OSError("a reading process has failed; see its message above")
        rolled = [Path(f"/proc/{each.pid}/smaps_rollup") for each in started]
        if not all(each.exists() for each in rolled):
            return None
        texts = [each.read_text(encoding="ascii") for each in rolled]
        resident, proportional = (sum(field(text, name) for text in texts) for name in ("Rss", "Pss"))
        return Memory(processes, resident / 1024, proportional / 1024)
    finally:
        for each in started:
            each.communicate()


def field(rollup: str, name: str) -> int:
    """Return a field of /proc/PID/smaps_rollup in kB."""
    return next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith(f"{name}:"))
