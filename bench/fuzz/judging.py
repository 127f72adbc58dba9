"""One input judged: only promised errors, bounded time, the same answer twice."""

from __future__ import annotations

import hashlib
import json
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path

from bench.fuzz.target import Run, Target

SLOW = 2.0
"""Seconds of processor time for one input of at most 20,000 characters."""
_TWICE = 8
"""One input in so many is run twice."""


@dataclass
class Judge:
    """Runs inputs, and keeps each kind of finding once: its input as a file, and a line that says what it is."""

    target: Target
    run: Run
    folder: Path
    slowest: float = 0.0
    executions: int = 0
    found: set[str] = field(default_factory=set)

    def __call__(self, data: bytes) -> None:
        """Judge one input. Never raises."""
        self.executions += 1
        start = time.process_time()
        outcome = self._outcome(data)
        seconds = time.process_time() - start
        self.slowest = max(self.slowest, seconds)
        if seconds > SLOW:
            self._keep("slow", f"{seconds:.1f} s", data)
        elif self.target.repeatable and hashlib.sha256(data).digest()[0] % _TWICE == 0:
            again = self._outcome(data)
            if again != outcome:
                self._keep("differs", f"{outcome[:200]} and then {again[:200]}", data)

    def _outcome(self, data: bytes) -> str:
        try:
            return repr(self.run(data))
        except self.target.allowed as error:
            return f"{type(error).__name__}: {error}"
        except Exception as error:  # noqa: BLE001 - whatever else comes out is what is looked for
            steps = traceback.extract_tb(error.__traceback__)
            own = [step for step in steps if "/combray/" in step.filename] or list(steps)
            place = f"{Path(own[-1].filename).name}:{own[-1].lineno}"
            self._keep(
                f"{type(error).__name__} at {place}", "".join(traceback.format_exception(error))[-3000:], data
            )
            return type(error).__name__

    def _keep(self, kind: str, said: str, data: bytes) -> None:
        if kind in self.found:
            return
        self.found.add(kind)
        name = hashlib.sha256(data).hexdigest()[:12]
        (self.folder / f"{name}.input").write_bytes(data)
        with (self.folder / "findings.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({"target": self.target.name, "kind": kind, "said": said, "input": name}) + "\n")
