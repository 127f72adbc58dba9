"""One client process: calls on its namespaces in turn for some seconds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import combray
from combray import Engine
from combray.testing.postgres import Server

_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Part:
    """A namespace, where it is, and what is written and asked there."""

    url: str
    namespace: str
    texts: Sequence[str]
    questions: Sequence[str]


@dataclass(slots=True)
class Told:
    """What a client measured: seconds of each call, seconds altogether, and its processor time."""

    seconds: float = 0.0
    processor: float = 0.0
    times: list[float] = field(default_factory=list)


def writing(parts: Sequence[Part], seconds: float) -> Told:
    """Remember one text after another, also those of a later round, which are duplicates."""
    return _calling(parts, seconds, lambda engine, part, place: engine.remember(_text(part, place)))


def asking(parts: Sequence[Part], seconds: float) -> Told:
    """Recall one question after another."""
    return _calling(
        parts, seconds, lambda engine, part, place: engine.recall(part.questions[place % len(part.questions)])
    )


def _text(part: Part, place: int) -> str:
    round_, place = divmod(place, len(part.texts))
    return f"{part.texts[place]} Round {round_}." if round_ else part.texts[place]


def _calling(parts: Sequence[Part], seconds: float, call: Callable[[Engine, Part, int], object]) -> Told:
    told = Told()
    with ExitStack() as stack:
        engines = [
            stack.enter_context(combray.open(part.url, namespace=part.namespace, worker=False)) for part in parts
        ]
        for engine, part in zip(engines, parts, strict=True):
            engine.recall(part.questions[0])
        started, spent, place = time.perf_counter(), time.process_time(), 0
        while time.perf_counter() - started < seconds:
            for engine, part in zip(engines, parts, strict=True):
                begun = time.perf_counter()
                call(engine, part, place)
                told.times.append(time.perf_counter() - begun)
            place += 1
        told.seconds, told.processor = time.perf_counter() - started, time.process_time() - spent
    return told


def processor(server: Server) -> float:
    """Return the processor time of a server in seconds, with that of ended connections."""
    postmaster = int((server.data / "postmaster.pid").read_text(encoding="utf-8").split()[0])
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text(encoding="ascii").split()
    total = sum(_fields(postmaster)[11:15])
    for child in children:
        try:
            total += sum(_fields(int(child))[11:13])
        except OSError:
            continue
    return total / _TICK


def _fields(process: int) -> list[int]:
    # Behind the name in parentheses; proc(5).
    text = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return [0, *(int(each) for each in text[1:])]
