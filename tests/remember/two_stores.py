"""An engine on SQLite or on the reference store."""

from __future__ import annotations

from dataclasses import replace

import combray
from combray import Engine, presets
from combray.testing.fakes import FakeClock
from combray.testing.reference import ReferenceStore


def opened(store: str, embedder: str = "none", preset: str = "mnemo") -> Engine:
    engine = combray.open(":memory:", preset=preset, embedder=embedder, clock=FakeClock(), worker=False)
    if store == "reference":
        return Engine(replace(engine.runtime, store=ReferenceStore()), "default", presets.load(preset))
    return engine
