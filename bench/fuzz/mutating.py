"""The engine that needs nothing but Python: inputs that reach new lines are kept and mutated further."""

from __future__ import annotations

import random
import sys
import time
from types import FrameType
from typing import Any

from bench.fuzz.drawing import HOSTILE
from bench.fuzz.guided import Ran
from bench.fuzz.judging import Judge
from bench.fuzz.target import Target

_PIECES = [piece.encode("utf-8", "surrogatepass") for piece in HOSTILE]


class Coverage:
    """Lines reached in the instrumented packages, by way of sys.settrace."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        self.lines: set[tuple[int, int]] = set()
        self._folders = tuple(f"/{package.replace('.', '/')}" for package in packages)

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        del argument
        if event == "call" and not any(folder in frame.f_code.co_filename for folder in self._folders):
            return None
        self.lines.add((id(frame.f_code), frame.f_lineno))
        return self


def mutated(data: bytes, others: list[bytes], longest: int, chance: random.Random) -> bytes:
    """One to four changes: bytes flipped, cut, doubled, joined with another input, a hostile piece put in."""
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(data))
        end = min(len(data), at + chance.randint(1, 16))
        other = chance.choice(others)
        changes = (
            data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :],
            data[:at] + data[end:],
            data[:end] + data[at:],
            data[:at] + other[chance.randint(0, len(other)) :],
            data[:at] + chance.choice(_PIECES) + data[at:],
        )
        data = chance.choice(changes)
    return data[:longest]


def run(target: Target, seconds: float, judge: Judge, seed: int) -> Ran:
    """Fuzz here. A crash of the interpreter ends it; use the guided engine where native code is attacked."""
    chance = random.Random(seed)
    coverage = Coverage(target.instrumented)
    corpus = target.seeds() or [b""]
    until = time.monotonic() + seconds
    began = 0
    waiting = list(corpus)
    while time.monotonic() < until:
        data = waiting.pop() if waiting else mutated(chance.choice(corpus), corpus, target.longest, chance)
        before = len(coverage.lines)
        sys.settrace(coverage)
        try:
            judge(data)
        finally:
            sys.settrace(None)
        if len(coverage.lines) > before:
            corpus.append(data)
        began = began if began or waiting else len(coverage.lines)
    return Ran(judge.executions, (began, len(coverage.lines)), len(corpus), 0)
