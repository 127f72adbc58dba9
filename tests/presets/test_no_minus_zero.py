"""No signal and no score is printed as -0.0, in any preset, shell or tool."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

import combray
from combray import presets
from combray.forms.recalling import Recalling
from combray.interfaces.cli import recalling
from combray.interfaces.cli.presets import as_json as compared_as_json
from combray.interfaces.mcp import lines
from combray.presets import Preset
from combray.runtime import Runtime
from combray.stages import READ, Pipeline
from combray.types import Hit
from combray.values import rounded

TEXTS = (
    "We chose PostgreSQL because two bookings were lost",
    "The bookings table moved to PostgreSQL in March 2026",
    "Ann prefers tea over coffee",
    "Lunch is at noon",
    "The deploy freeze starts on Friday",
)
QUERIES = ("why did we choose PostgreSQL", "when does the freeze start", "tea", "what about bookings in March?")
MINUS_ZERO = re.compile(r"-0\.?0*(?![\d.])")


def test_a_small_negative_number_is_zero() -> None:
    for value in (-0.0, -0.00003, -1e-9, np.float64(-4e-4)):
        assert math.copysign(1.0, rounded(value, 2)) == 1.0
    assert (rounded(-0.006, 2), rounded(0.126, 2)) == (-0.01, 0.13)


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize("preset", presets.names())
def test_no_preset_has_a_negative_zero(preset: str, embedder: str) -> None:
    with combray.open(":memory:", preset=preset, embedder=embedder, worker=False) as engine:
        engine.remember_many(TEXTS)
        engine.vectors.make() if embedder != "none" else None
        for query in QUERIES:
            for hit in engine.recall(query, keep=0):
                for value in (*hit.signals.values(), hit.score):
                    assert value != 0 or math.copysign(1.0, value) == 1.0
                shown = f"{json.dumps(lines.hit_as_json(hit, hit.memory.id, full=True))} {lines.signals(hit)}"
                assert not MINUS_ZERO.search(shown.replace(hit.memory.id, "")), shown


class Dust:
    """Adds a signal of -0.00003 and takes the scores there too."""

    needs = ("score",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        state.signals["dust"] = np.full(len(state.keys), -0.00003)
        state.scores = np.full(len(state.keys), -0.00003)
        return state


def dusty() -> Preset:
    mine = presets.load("engram")
    stages = tuple(mine.recall.stages)
    at = next(place for place, stage in enumerate(stages) if type(stage).__name__ == "Assemble")
    whole = Pipeline(mine.recall.name, (*stages[:at], Dust(), type(stages[at])(), *stages[at + 1 :]), READ)
    return Preset("dusty", "a test", "a test", mine.remember, whole)


def test_what_is_rounded_to_be_shown_is_no_negative_zero(capsys: pytest.CaptureFixture[str]) -> None:
    with combray.open(":memory:", preset="engram", embedder="none", worker=False) as engine:
        engine.remember_many(TEXTS)
        answer = engine.recall("PostgreSQL", preset=dusty())
        hit: Hit = answer[0]
        assert hit.signals["dust"] == -0.00003
        assert lines.hit_as_json(hit, "x", full=True)["signals"]["dust"] == 0
        assert "-0" not in lines.signals(hit)
        assert '"dust": -0.0,' not in json.dumps(lines.hit_as_json(hit, "x", full=True))
        recalling.show_answer(answer, explain=True, verbose=False)
        assert "-0.0" not in capsys.readouterr().out.replace(hit.memory.id, "")
    assert compared_as_json("q", {})["shared"] == {}
