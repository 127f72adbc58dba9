"""Harm test of writing: how much of the evidence is still there when everything was written with diff on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from rich.table import Table

from bench.quality.sets import QuestionSet
from bench.quality.systems import Combray


@dataclass(frozen=True, slots=True)
class Kept:
    """Items and gold items given to `remember`, and how many of them a recall can still find."""

    questions: str
    system: str
    items: int
    items_kept: int
    gold: int
    gold_kept: int

    def as_json(self) -> dict[str, Any]:
        """The counts and the shares."""
        return {
            "set": self.questions,
            "system": self.system,
            "items": self.items,
            "items kept": self.items_kept,
            "gold": self.gold,
            "gold kept": self.gold_kept,
            "share of gold kept": self.gold_kept / self.gold if self.gold else None,
        }


def kept(questions: QuestionSet, system: Combray, progress: Callable[[str], None]) -> Kept:
    """Write every collection through `remember_many(diff=True)` as facts and count what stays live.

    An item whose very text and author occurred before counts as kept: the earlier one holds it.
    """
    items = items_kept = gold = gold_kept = 0
    writing = replace(system, write="remember")
    for collection in questions.collections:
        progress(f"{writing.name}: {collection.name}")
        asked = writing.fill(collection)
        live = asked.live()
        asked.close()
        texts = {(item.author, item.text) for item in collection.items if item.ref in live}
        there = {item.ref for item in collection.items if (item.author, item.text) in texts}
        wanted = {
            item.ref
            for item in collection.items
            for question in collection.asked
            if (item.ref if collection.unit == "item" else item.session) in question.gold
        }
        items, items_kept = items + len(collection.items), items_kept + len(there)
        gold, gold_kept = gold + len(wanted), gold_kept + len(wanted & there)
    return Kept(questions.name, writing.name, items, items_kept, gold, gold_kept)


def table(found: list[Kept]) -> Table:
    """One line a set and system."""
    shown = Table(title="left after writing everything as facts with diff on", min_width=60)
    for column in ("set", "system", "items", "kept", "gold", "gold kept", "share %"):
        shown.add_column(column, justify="left" if column in ("set", "system") else "right")
    for each in found:
        share = f"{100 * each.gold_kept / each.gold:.2f}" if each.gold else "-"
        counts = (each.items, each.items_kept, each.gold, each.gold_kept)
        shown.add_row(each.questions, each.system, *map(str, counts), share)
    return shown
