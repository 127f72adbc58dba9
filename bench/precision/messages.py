"""Questions in the middle of a message: turns of a conversation about other things stand around each."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from bench.precision.sets import Question, Store

SHORTEST, LONGEST = 9, 39
"""Words of a turn."""


def in_messages(stores: Sequence[Store], data: Path) -> list[Store]:
    """Return the stores with every question that ends with a question mark behind two turns and before one.

    The turns ask nothing and have nothing to do with the stores; they are drawn with a fixed seed.
    """
    turns, drawn = list(_turns(data / "locomo" / "conversations-1-5.json")), random.Random(0)
    found = []
    for store in stores:
        asked = [each for each in store.questions if each.text.rstrip().endswith("?")]
        found.append(replace(store, questions=tuple(_wrapped(each, drawn.sample(turns, 3)) for each in asked)))
    return found


def _wrapped(question: Question, turns: Sequence[str]) -> Question:
    first, second, last = turns
    return replace(question, text=f"{first} {second} {question.text} {last}")


def _turns(path: Path) -> Iterator[str]:
    for conversation in json.loads(path.read_text(encoding="utf-8")):
        for name, session in conversation["conversation"].items():
            if name.startswith("session_") and isinstance(session, list):
                for turn in session:
                    if "?" not in turn["text"] and SHORTEST <= len(turn["text"].split()) <= LONGEST:
                        yield turn["text"]
