"""What clients call: questions about stored texts, and new texts, in a given proportion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

from bench.speed.texts import Text
from combray import Engine


@dataclass(frozen=True, slots=True)
class Call:
    """One call, as HTTP and as the library have it."""

    path: str
    body: dict[str, Any]

    @property
    def writes(self) -> bool:
        """Whether it stores a memory."""
        return self.path == "/v1/memories"

    def in_process(self, engine: Engine) -> None:
        """The same call without a server."""
        if self.writes:
            engine.remember(self.body["content"], author=self.body["author"])
        else:
            engine.recall(self.body["query"])


def calls(questions: Sequence[str], new: Sequence[Text], recalls: int) -> list[Call]:
    """All new texts, and before each of them `recalls` questions, which repeat."""
    asked = cycle(questions)
    found: list[Call] = []
    for text in new:
        found += [Call("/v1/recall", {"query": each}) for each in islice(asked, recalls)]
        found.append(Call("/v1/memories", {"content": text.text, "author": text.author}))
    return found


def shares(listed: Sequence[Call], clients: int) -> list[Sequence[Call]]:
    """Cut the calls into one share for each client, so that no text is stored twice."""
    size = len(listed) // clients
    return [listed[place * size : (place + 1) * size] for place in range(clients)]
