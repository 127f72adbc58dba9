"""Engram's results: the composite score, each text once, and the hits as one text grouped by type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field

import numpy as np

from combray.facts.successors import note
from combray.forms.recalling import Recalling
from combray.language.indexing import same_text
from combray.language.model_tokens import disarmed
from combray.pipeline import stage
from combray.recall.score import sort, weighted_sum
from combray.runtime import Runtime
from combray.scoring.ageing import exponential
from combray.scoring.ranking import DECIMALS
from combray.types import LIVE_STATUSES, Hit, Memory

_DAY = 86_400.0

WEIGHTS: Mapping[str, float] = {"vector": 0.6, "priority": 0.2, "confidence": 0.1, "recency": 0.1}
"""Source: Engram stage 5, see docs/reference/presets.md."""


@stage
class ScoreComposite:
    """0.6 · vector + 0.2 · priority + 0.1 · confidence + 0.1 · recency, all four in [0, 1].

    vector: 1 - (1 - cosine)(1 - `exact` · keyword), the cosine taken times the model's trust in the query's
    language: the cosine itself where no word is shared. Without a query vector it is the signal `keyword`.
    priority: importance 1-5 as 0, .25, .5, .75, 1. confidence: as stored; recall never changes it.
    recency: e^(-decay_rate · days since it happened), and 1 inside a range the query only hints at.
    """

    needs = ("candidates", "keyword")
    gives = ("score",)
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)
    decay_rate: float = 0.03
    exact: float = 0.6

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        rows = state.columns()
        state.signals["vector"] = share = state.signals["keyword"]
        if state.embedded.vector is not None:
            cosine = np.maximum(
                state.reader.similarity(state.embedded.model, state.embedded.vector, state.keys), 0.0
            )
            either = 1.0 - (1.0 - state.embedded.trust * cosine) * (1.0 - self.exact * share)
            state.signals["vector"] = np.round(either, DECIMALS)
        state.signals["priority"] = (rows.importance - 1.0) / 4.0
        state.signals["confidence"] = rows.confidence.copy()
        recency = exponential((state.now - rows.moment) / _DAY, self.decay_rate)
        for since, until in state.times.hinted:
            recency[(rows.moment >= since) & (rows.moment < until)] = 1.0
        state.signals["recency"] = np.round(recency, DECIMALS)
        state.scores = weighted_sum(state, self.weights)
        sort(state)
        return state


@stage
class DropTwins:
    """Keeps only the best of memories with one content hash (text, author, day).

    Such twins exist if a forgotten memory was stored again. A peer's hit with a known text is dropped too.
    """

    needs = ("score",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        texts = [same_text(text) for text in state.reader.contents(state.keys)]
        times = Counter(texts)
        # Whole memories are read only where texts are equal.
        twins = [place for place, text in enumerate(texts) if times[text] > 1]
        hashes = [each.content_hash for each in state.reader.memories(state.keys[twins])]
        first = dict(reversed(list(zip(hashes, twins, strict=True))))
        dropped = set(twins) - set(first.values())
        state.take(np.array([place for place in range(len(texts)) if place not in dropped], dtype=np.int64))
        seen = set(texts)
        fresh = []
        for each in state.details.get("peers", ()):
            if (text := same_text(each["text"])) not in seen:
                fresh.append(each)
                seen.add(text)
        if "peers" in state.details:
            state.details["peers"] = fresh
        return state


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
