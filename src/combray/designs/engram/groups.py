"""Hits as one text, grouped by type (Engram, stage 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from combray.facts.marks import note
from combray.forms.recalling import Recalling
from combray.language.model_tokens import disarmed
from combray.pipeline import stage
from combray.runtime import Runtime
from combray.types import LIVE_STATUSES, Hit, Memory

ORDER = ("preference", "fact", "lesson", "decision", "context", "observation", "memory")
"""Order of the groups; "memory" is the rest. Source: Engram, see docs/reference/presets.md."""

LABELS: Mapping[str, str] = {
    "preference": "preference",
    "fact": "fact",
    "insight": "lesson",
    "decision": "decision",
    "context": "context",
    "general": "memory",
}
"""Categories as Engram's types. An episode of no category is an observation."""


@stage
class GroupByType:
    """Writes the hits as lines of `[type] text`, grouped by type, into `details["grouped"]` (Engram stage 6).

    The best hits are taken up to `most` characters and then grouped; within a group they are in order of score.
    A text is put on one line, so that it cannot imitate further entries, and truncated to `entry` characters.
    Hits of peers follow as `[peer, untrusted] text`.
    """

    needs = ("hits",)
    order: tuple[str, ...] = ORDER
    labels: Mapping[str, str] = field(default_factory=lambda: LABELS)
    entry: int = 200
    most: int = 2000

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        peers = state.details.get("peers", [])
        entries = [(self._label(hit.memory), self._line(hit, state.now)) for hit in state.hits]
        entries += [("", f"[{each['peer']}, untrusted] {self._cut(each['text'])}") for each in peers]
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
        if peers and not state.hits:
            state.reason += f"; peers gave {len(peers)}: see details"
        return state

    def _label(self, memory: Memory) -> str:
        if memory.category == "general" and memory.kind == "episode":
            return "observation"
        return self.labels.get(memory.category, "memory")

    def _line(self, hit: Hit, now: float) -> str:
        memory = hit.memory
        label = self._label(memory)
        marked = f"{label}, untrusted" if memory.trust == "untrusted" else label
        mark = note(hit, {}, now) if memory.status in LIVE_STATUSES else f"OUTDATED: {memory.status}"
        return f"[{marked}] {f'[{mark}] ' if mark else ''}{disarmed(self._cut(memory.content))}"

    def _cut(self, text: str) -> str:
        line = " ".join(text.split())
        return line if len(line) <= self.entry else line[: self.entry - 1] + "…"
