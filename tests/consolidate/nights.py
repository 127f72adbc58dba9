"""A store of facts and episodes to consolidate, with a clock set by hand."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import combray
from combray import presets
from combray.records import replace
from combray.testing.fakes import FakeClock, FakeDistiller, FakeEmbedder
from combray.transfer import export_to
from combray.types import Memory

TEA = "User likes green tea with honey"
TEA_AGAIN = "The user likes green tea with honey."
TEA_SAID = "I like green tea with honey"
"""Cosine with TEA under FakeEmbedder: 4 of the fact's 5 terms, 4/sqrt(4*5) = 0.894."""
TWO_CATS = "User has two cats"
THREE_CATS = "User has three cats"
OFFICE = "Our office is in Berlin"
NO_OFFICE = "Our office is not in Berlin"


def _home(fact: str, value: str) -> dict[str, Any]:
    return {"fact": fact, "subject": "Ann", "attribute": "home", "value": value, "single": True}


KITTEN = "Ann adopted a grey kitten named Otto"
TOLD: dict[str, str | dict[str, Any]] = {
    "I live in Berlin": _home("Ann lives in Berlin", "Berlin"),
    "I live in Berlin.": _home("Ann lives in Berlin", "Berlin"),
    "I live in Munich now": _home("Ann lives in Munich now", "Munich"),
    "I live in Munich now.": _home("Ann lives in Munich now", "Munich"),
    "I moved to Munich in May 2023.": _home("Ann moved to Munich in May 2023", "Munich"),
    "I have two cats": "Ann has two cats",
    "I speak Dutch": "Ann speaks Dutch",
    "I adopted a grey kitten named Otto": KITTEN,
    "Yes, the grey kitten named Otto that I adopted is fine!": KITTEN,
    "I adopted a kitten named Qwertzu": "Ann adopted a kitten named Qwertzu",
    "I like green tea with honey": TEA,
}
"""What the fake language model makes of a line."""


@contextmanager
def opened(
    location: str = ":memory:",
    clock: FakeClock | None = None,
    *,
    embedder: Any = None,
    words: bool = False,
    distil: bool = False,
    fades: bool = True,
) -> Iterator[combray.Engine]:
    """An engine with the fake embedder, or with none (`words`); episodes become facts with `distil` only.

    The language model knows the lines of `TOLD`.

    Facts that are stored become deprecated by age, as those of preset semantic-facts do, unless `fades` is off.
    """
    model: Any = "none" if words else embedder or FakeEmbedder()
    clock = clock or FakeClock()
    preset = replace(presets.load("default"), fades=fades)
    reads = FakeDistiller(TOLD) if distil else "none"
    with closing(
        combray.open(location, preset=preset, embedder=model, clock=clock, language_model=reads)
    ) as engine:
        engine._at.settings = {**engine.settings, "extract": "model" if distil else "off"}
        yield engine


def know(engine: combray.Engine, text: str, **fields: Any) -> str:
    """Remember a fact without the diff of the write path; its id."""
    return engine.remember(text, diff=False, **{"kind": "fact", **fields}).id


def hear(engine: combray.Engine, text: str, author: str | None = "user", **fields: Any) -> str:
    """Store what somebody said; its id."""
    return engine.remember(text, diff=False, kind="episode", author=author, **fields).id


def exported(engine: combray.Engine) -> dict[str, dict[str, Any]]:
    """Every memory's record and every edge of an export, without histories: what an undo must bring back."""
    stream = io.StringIO()
    export_to(engine.runtime.store, engine.namespace, stream)
    records = [json.loads(line) for line in stream.getvalue().splitlines()[1:]]
    memories = {each["id"]: each for each in records if each["record"] == "memory"}
    edges = {json.dumps(each, sort_keys=True): each for each in records if each["record"] == "edge"}
    return memories | edges


def live(engine: combray.Engine) -> list[str]:
    """Texts of the facts that recall may show, sorted."""
    return sorted(memory.content for memory in facts(engine) if memory.status == "active")


def facts(engine: combray.Engine) -> list[Memory]:
    """Every fact of any status, in the order of writing."""
    reader = engine.reader
    return [memory for memory in reader.memories(range(1, 500)) if memory.kind != "episode"]
