"""Steps of a plan and their effect on memories. One function both plans and applies them.

A step contains keys and no text, so a stored plan keeps no copy of an erased memory. Its effect is computed from
the memories at the time of applying; a step that no longer fits has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from combray.consolidate.belief import Belief, begins, believing
from combray.errors import CorruptStoreError
from combray.records import dataclass
from combray.runtime import Doubt, Link
from combray.runtime.waiting import is_ahead, replaces_at_once
from combray.types import LIVE_STATUSES, Memory

FACTS = ("fact", "insight", "summary")
"""Kinds that consolidation manages. Episodes and chunks are originals and do not change."""


class _OfFact(msgspec.Struct, frozen=True):
    fact: int


class _OfPair(msgspec.Struct, frozen=True):
    first: int
    second: int
    reason: str


class _Replacing(msgspec.Struct, frozen=True):
    old: int
    new: int
    reason: str


class Distil(_OfFact, frozen=True, tag="distil"):
    """A new fact, stored hidden, which this step activates. Only plans of earlier versions have it."""


class Support(_OfFact, frozen=True, tag="support"):
    """New episodes (keys) that support a fact; the last one is of `at`, unix seconds."""

    episodes: tuple[int, ...]
    at: float


class Fade(_OfFact, frozen=True, tag="fade"):
    """Decay since a fact's last evidence; with `stored` also of a fact that was not derived."""

    stored: bool = False


class Confirm(_OfFact, frozen=True, tag="confirm"):
    """A user restored a deprecated fact, which counts as evidence of that moment."""

    at: float


class Merge(msgspec.Struct, frozen=True, tag="merge"):
    """Paraphrases become one: the losers point to the winner, which gets their evidence."""

    winner: int
    losers: tuple[int, ...]


class Supersede(_Replacing, frozen=True, tag="supersede"):
    """The newer of two contradicting facts replaces the older one."""


class Correct(_Replacing, frozen=True, tag="correct"):
    """The newer of two facts replaces the older one, which was never true."""


class KeepBoth(msgspec.Struct, frozen=True, tag="keep_both"):
    """Both facts of an open question hold."""

    new: int
    old: int
    reason: str


class Halve(_OfPair, frozen=True, tag="halve"):
    """Two facts contradict and neither is newer: both lose half of their confidence."""


class Ask(_OfPair, frozen=True, tag="ask"):
    """An undecided pair, queued for the judge."""


class PairAnswer(_OfPair, frozen=True, tag="answer"):
    """The judge's answer on a pair, which is final."""

    answer: str
    halved: bool = False


class Deprecate(_OfFact, frozen=True, tag="deprecate"):
    """Confidence is too low: the fact leaves retrieval."""


class Revive(_OfFact, frozen=True, tag="revive"):
    """New evidence reactivates a deprecated fact."""


class MoveTier(_OfFact, frozen=True, tag="move_tier"):
    """The use of a fact puts it in another tier."""

    tier: str


Step = (
    Distil
    | Support
    | Fade
    | Confirm
    | Merge
    | Supersede
    | Correct
    | KeepBoth
    | Halve
    | Ask
    | PairAnswer
    | Deprecate
    | Revive
    | MoveTier
)
_encoder = msgspec.json.Encoder(order="deterministic")
_decoder = msgspec.json.Decoder(list[Step])


@dataclass(frozen=True, slots=True)
class Change:
    """New values for fields of one memory, and the operation its version row gets."""

    key: int
    operation: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a step."""

    changes: tuple[Change, ...] = ()
    links: tuple[Link, ...] = ()
    """Edges to add."""
    doubt: Doubt | None = None
    kept: KeepBoth | None = None
    """The pair of which both hold."""

    def __bool__(self) -> bool:
        return bool(self.changes) or self.doubt is not None or self.kept is not None


def encode(steps: list[Step]) -> str:
    """Encode steps for storage."""
    return _encoder.encode(steps).decode()


def decode(text: str) -> list[Step]:
    """Decode stored steps. Raises CorruptStoreError."""
    try:
        return _decoder.decode(text)
    except msgspec.MsgspecError as error:
        raise CorruptStoreError(f"the plan of a run cannot be read ({error}). Restore a backup.") from error


def touched(step: Step) -> tuple[int, ...]:
    """Keys of the facts a step is about."""
    if isinstance(step, Merge):
        return (step.winner, *step.losers)
    if isinstance(step, Supersede | Correct | KeepBoth):
        return (step.old, step.new)
    return (step.first, step.second) if isinstance(step, _OfPair) else (step.fact,)


def weight(step: Step) -> int:
    """Return how many memories a step removes from recall, restores to it, or makes doubtful."""
    if isinstance(step, Merge):
        return len(step.losers)
    if isinstance(step, Halve):
        return 2
    return int(isinstance(step, Distil | Supersede | Correct | Deprecate | Revive))


def effect(step: Step, memories: Mapping[int, Memory], ids: Mapping[int, str], now: float, run: str) -> Effect:
    """Return the effect of a step on the current memories; empty if the step no longer fits them.

    `ids`: ids of a Support's episodes. An erased one is missing or "".
    """
    if isinstance(step, Merge):
        return _merge(step, memories, now)
    if any(key not in memories for key in touched(step)):
        return Effect()
    if isinstance(step, Supersede | Correct):
        return _supersede(step, memories[step.old], memories[step.new], now)
    if isinstance(step, KeepBoth):
        both_live = all(memories[key].status in LIVE_STATUSES for key in touched(step))
        return Effect(kept=step) if both_live else Effect()
    if isinstance(step, Ask):
        return Effect(doubt=Doubt(step.first, step.second, step.reason, run=run))
    if isinstance(step, PairAnswer):
        return Effect(doubt=Doubt(step.first, step.second, step.reason, step.answer, step.halved, run))
    if isinstance(step, Halve):
        return _halve(step, memories, now, run)
    memory = memories[step.fact]
    live, deprecated = memory.status in LIVE_STATUSES, memory.status == "deprecated"
    operation, fields = type(step).__struct_config__.tag, dict[str, Any]()
    if isinstance(step, Distil):
        fields = {"status": "active"} if memory.status == "forgotten" else {}
    elif isinstance(step, Deprecate):
        fields = {"status": "deprecated"} if live else {}
    elif isinstance(step, Revive):
        fields = {"status": "active"} if deprecated else {}
    elif isinstance(step, MoveTier):
        fields = {"tier": step.tier} if live and memory.tier != step.tier else {}
    elif live or deprecated:
        belief, evidence = Belief.of(memory), memory.evidence
        if isinstance(step, Support):
            found = (ids.get(key, "") for key in step.episodes)
            evidence = tuple(dict.fromkeys((*evidence, *(each for each in found if each))))
        if not isinstance(step, Fade) and (evidence != memory.evidence or isinstance(step, Confirm)):
            belief = msgspec.structs.replace(belief, at=max(belief.at, step.at))
        if isinstance(step, Fade):
            belief = belief.ageing(memory, stored=step.stored)
        fields = believing(memory, belief, evidence, now)
        if isinstance(step, Fade) and "confidence" not in fields:
            fields = {}
    return Effect((Change(step.fact, str(operation), fields),)) if fields else Effect()


def _merge(step: Merge, memories: Mapping[int, Memory], now: float) -> Effect:
    winner = memories.get(step.winner)
    losers = {key: memories[key] for key in step.losers if key in memories}
    losers = {key: memory for key, memory in losers.items() if memory.status in LIVE_STATUSES}
    if winner is None or winner.status not in LIVE_STATUSES or not losers:
        return Effect()
    moment = datetime.fromtimestamp(now, UTC)
    gathered = [each for memory in (winner, *losers.values()) for each in memory.evidence]
    latest = max(Belief.of(memory).at for memory in (winner, *losers.values()))
    belief = msgspec.structs.replace(Belief.of(winner), at=latest)
    fields = believing(winner, belief, tuple(dict.fromkeys(gathered)), now)
    names = _names_of_all([winner, *losers.values()])
    if names != winner.aliases:
        # The other names that a loser declares stay declared, whatever becomes of the loser.
        entities = tuple(dict.fromkeys((*winner.entities, *names)))
        fields |= {"aliases": names, "entities": entities}
    changes = [Change(step.winner, "absorb", fields)] if fields else []
    for key, memory in losers.items():
        until = moment if memory.valid_to is None else min(memory.valid_to, moment)
        # `valid_to` may be earlier: a fact can have ended before it was merged.
        metadata = {**memory.metadata, "archived_at": moment.isoformat()}
        pointer = {"status": "merged", "merged_into": winner.id, "valid_to": until, "metadata": metadata}
        changes.append(Change(key, "merge", pointer))
    # Recall shows the winner, with what was merged into it as evidence.
    return Effect(tuple(changes), tuple(Link(key, step.winner, "restates", 1.0, "", "merged") for key in losers))


def _names_of_all(memories: Sequence[Memory]) -> dict[str, tuple[str, ...]]:
    """Return the names that the first memory declares, and the other names that the others declare."""
    names = dict(memories[0].aliases)
    spelt = {name.casefold(): name for name in names}
    for memory in memories[1:]:
        for name, others in memory.aliases.items():
            if others:
                own = spelt.setdefault(name.casefold(), name)
                names[own] = tuple(dict.fromkeys((*names.get(own, ()), *others)))
    return names


def _supersede(step: Supersede | Correct, old: Memory, new: Memory, now: float) -> Effect:
    if old.status not in LIVE_STATUSES or new.status not in LIVE_STATUSES:
        return Effect()
    corrects = isinstance(step, Correct)
    # What was never true ends before it was known: `as_of` shows it at no moment.
    at_once = corrects or replaces_at_once(new, old, now)
    start = new.moment if at_once and is_ahead(new, now) else begins(new)
    until = min(old.moment, old.recorded_at) if corrects else max(start, old.recorded_at)
    # The end that a plan gave is none of its own: it goes with the plan.
    until = until if old.valid_to is None or old.superseded_by is not None else min(until, old.valid_to)
    pointer: dict[str, Any] = {"superseded_by": new.id, "valid_to": until}
    # What a plan replaces holds until the plan's day: recall then follows the pointer, without any write.
    if at_once:
        pointer["status"] = "superseded"
    changes = [Change(step.old, "supersede", pointer)]
    if new.supersedes is None:
        changes.append(Change(step.new, "replace", {"supersedes": old.id}))
    subtype = "corrects" if corrects else ""
    return Effect(tuple(changes), (Link(step.new, step.old, "supersedes", 1.0, subtype, step.reason),))


def _halve(step: Halve, memories: Mapping[int, Memory], now: float, run: str) -> Effect:
    changes = []
    for key in (step.first, step.second):
        memory = memories[key]
        if memory.status not in LIVE_STATUSES:
            return Effect()
        belief = Belief.of(memory)
        halved = msgspec.structs.replace(belief, halved=belief.halved + 1)
        changes.append(Change(key, "halve", believing(memory, halved, memory.evidence, now)))
    return Effect(tuple(changes), doubt=Doubt(step.first, step.second, step.reason, halved=True, run=run))
