"""A store whose turns are read by a model that a test scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import combray
from combray.testing.fakes import FakeClock
from combray.types import Memory

_LINE = re.compile(r"^(\d+)\. [^\n:]*: (.*)$", re.MULTILINE)


class Reader:
    """A model that states a fact for each line that it knows; `then` may change the answer, or raise."""

    name = "test:reader"

    def __init__(self, facts: dict[str, str] | None = None) -> None:
        self.facts = facts or {}
        self.prompts: list[str] = []
        self.then: Callable[[dict[str, Any], str], Any] = lambda answer, _prompt: answer

    def complete(self, system: str, prompt: str, *, max_tokens: int = 512) -> str:
        del max_tokens
        if not system.startswith("You read"):
            self.then({}, prompt)
            return "OK"
        self.prompts.append(prompt)
        facts = [
            {"fact": self.facts[text], "lines": [int(number)]}
            for number, text in _LINE.findall(prompt)
            if text in self.facts
        ]
        answer = self.then({"facts": facts, "known": []}, prompt)
        return answer if isinstance(answer, str) else json.dumps(answer)


PORTO = {"I live in Porto.": "User lives in Porto"}


@contextmanager
def opened(model: Any, clock: FakeClock | None = None, **settings: Any) -> Iterator[combray.Engine]:
    with combray.open(
        ":memory:", embedder="none", language_model=model, clock=clock or FakeClock(), worker=False
    ) as engine:
        engine._at.settings = {**engine.settings, **settings}
        yield engine


def facts(engine: combray.Engine) -> list[Memory]:
    return [each for each in engine.reader.memories(range(1, 200)) if each.kind == "fact"]


def texts(engine: combray.Engine) -> list[str]:
    return [each.content for each in facts(engine) if each.status == "active"]
