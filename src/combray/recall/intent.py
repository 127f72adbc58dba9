"""Intent of the query: WHY, WHEN, ENTITY or GENERAL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from combray.language.intent import detect
from combray.recall.state import Recalling
from combray.runtime import Runtime

INTENTS = ("WHY", "WHEN", "ENTITY", "GENERAL")


@dataclass(frozen=True)
class DetectIntent:
    """Detects the intent by patterns in English, Chinese and Vietnamese, unless the caller set it."""

    needs: ClassVar[tuple[str, ...]] = ("query",)
    gives: ClassVar[tuple[str, ...]] = ("intent",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.intent_source != "override":
            state.intent = str(detect(state.query).value)
        return state
