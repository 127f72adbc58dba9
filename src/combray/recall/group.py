"""Hits as one text for a language model's context, grouped by type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from combray.recall.state import Recalling
from combray.runtime import Runtime
from combray.types import LIVE_STATUSES, Memory

ORDER = ("preference", "fact", "lesson", "decision", "context", "observation", "memory")
"""Order of the groups; "memory" is all the rest. Source: Engram, see docs/reference/presets.md."""

LABELS: Mapping[str, str] = {
    "preference": "preference",
    "fact": "fact",
    "insight": "lesson",
    "decision": "decision",
    "context": "context",
    "general": "memory",
}
"""Our categories as Engram's types; a turn of a conversation in no category is an observation."""


@dataclass(frozen=True)
class GroupByType:
    """Writes the hits as lines of `[type] text`, grouped by type, into `details["grouped"]` (Engram stage 6).

    The best hits are taken until `most` characters are reached and then grouped; within a group the order of
    the scores holds. A text is put on one line, so that none can pass for an entry of its own, and cut at
    `entry` characters. What peers gave follows as `[peer, untrusted] text`.
    """

    needs: ClassVar[tuple[str, ...]] = ("hits",)
    gives: ClassVar[tuple[str, ...]] = ()
    order: tuple[str, ...] = ORDER
    labels: Mapping[str, str] = field(default_factory=lambda: LABELS)
    entry: int = 200
    most: int = 2000

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        entries = [(self._label(hit.memory), self._line(hit.memory)) for hit in state.hits]
        entries += [("", f"[{each['peer']}, untrusted] {self._cut(each['text'])}") for each in state.peers]
        taken: list[tuple[str, str]] = []
        length = -1
        for label, line in entries:
            length += len(line) + 1
            if length > self.most:
                break
            taken.append((label, line))
        # Peers come after every group.
        place = {label: at for at, label in enumerate(self.order)}
        taken.sort(key=lambda each: place.get(each[0], len(place)))
        state.details["grouped"] = "\n".join(line for _, line in taken)
        if state.peers and not state.hits:
            state.reason += f"; peers gave {len(state.peers)}: see details"
        return state

    def _label(self, memory: Memory) -> str:
        if memory.category == "general" and memory.kind == "episode":
            return "observation"
        return self.labels.get(memory.category, "memory")

    def _line(self, memory: Memory) -> str:
        label = self._label(memory)
        marked = f"{label}, untrusted" if memory.trust == "untrusted" else label
        outdated = "" if memory.status in LIVE_STATUSES else f"[OUTDATED: {memory.status}] "
        return f"[{marked}] {outdated}{self._cut(memory.content)}"

    def _cut(self, text: str) -> str:
        line = " ".join(text.split())
        return line if len(line) <= self.entry else line[: self.entry - 1] + "…"
