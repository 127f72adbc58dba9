"""The sets by independent authors: memories, and questions with the exact list of what answers them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

SETS = Path(__file__).parent / "sets"
Half = Literal["odd", "even", "all"]
LARGE = 60
"""Memories from which a store counts as large."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the refs of exactly what answers it, none if nothing does; `scopes`: asked in these.

    `near`: whether a question without an answer is about a person or thing of the store; None if the set does
    not say.
    """

    text: str
    gold: frozenset[str]
    scopes: tuple[str, ...] = ()
    near: bool | None = None


@dataclass(frozen=True, slots=True)
class Store:
    """Memories as fields of `remember`, each with its ref in the metadata, and the questions asked of them."""

    name: str
    memories: tuple[dict[str, Any], ...]
    questions: tuple[Question, ...]


def load(name: str, half: Half) -> list[Store]:
    """Return the stores of a set with the questions of a half: odd ones for tuning, even ones unseen."""
    return [_read(each, half) for each in _files(name, half)]


def read(path: Path) -> list[Store]:
    """Return the stores of a file with one store a line, with all their questions."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_read(json.loads(line) | {"split": True}, "all") for line in lines]


def _files(name: str, half: Half) -> Iterator[dict[str, Any]]:
    if name == "small":
        lines = (SETS / "small.jsonl").read_text(encoding="utf-8").splitlines()
        # The halves of the small stores are whole stores.
        yield from (json.loads(line) | {"split": True} for line in _half(lines, half))
        return
    data = json.loads((SETS / f"{name}.json").read_text(encoding="utf-8"))
    if "questions" not in data:
        data["questions"] = _half(data["answerable"], half) + _half(data["unanswerable"], half)
        data["split"] = True
    yield data | {"id": name}


def _half(items: list[Any], half: Half) -> list[Any]:
    return items if half == "all" else items[0 if half == "odd" else 1 :: 2]


def _read(data: dict[str, Any], half: Half) -> Store:
    questions = data["questions"] if data.get("split") else _half(data["questions"], half)
    return Store(
        data["id"],
        tuple(map(_memory, data["memories"])),
        tuple(
            Question(
                each["query"],
                frozenset(each.get("gold", ())),
                tuple(each.get("scopes") or ()),
                None if each.get("gold") else each.get("near"),
            )
            for each in questions
        ),
    )


def _memory(given: dict[str, Any]) -> dict[str, Any]:
    named = given.get("entities") or {}
    # A name and its short forms.
    entities = [form for name, others in named.items() for form in (name, *others)]
    return {
        "content": given["content"],
        "author": given.get("author"),
        "occurred_at": given["date"],
        "tags": [f"scope:{given['scope']}"] if "scope" in given else [],
        "entities": entities,
        "metadata": {"ref": given["id"]},
    }
