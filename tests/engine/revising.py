"""A store of statements of which later ones may change earlier ones."""

from __future__ import annotations

from typing import Any

from combray import Engine
from combray.runtime import Link
from combray.testing.fakes import FakeClock

LEIPZIG, HALLE, JENA = "I live in Leipzig", "Big news: I moved, Halle it is", "Unpacked the last box in Jena"


def know(engine: Engine, text: str, **fields: Any) -> str:
    clock = engine.runtime.clock
    assert isinstance(clock, FakeClock)
    clock.pass_(days=1)
    return engine.remember(text, diff=False, **fields).id


def ask(engine: Engine, new: str, old: str, score: float = 0.8, reason: str = "another place") -> None:
    """Raise the question whether the new memory changes the old one."""
    with engine.runtime.store.transaction(engine.namespace) as tx:
        keys = tx.keys_of([new, old])
        link = Link(keys[new], keys[old], "may_revise", score, reason=reason)
        tx.link([link], engine.runtime.clock())


def pair(engine: Engine, **fields: Any) -> tuple[str, str]:
    old = know(engine, LEIPZIG, **fields)
    new = know(engine, HALLE)
    ask(engine, new, old)
    return new, old


def edges(engine: Engine, *types: str) -> list[tuple[str, str, str, str, float, str]]:
    return [
        (each.type, each.source, each.target, each.subtype, each.weight, each.reason)
        for each in engine.reader.edges(types)
    ]


def operations(engine: Engine, memory_id: str) -> list[tuple[str, str]]:
    return [(each.actor, each.operation) for each in engine.history(memory_id)]
