"""How much is read: by one call, turns up to a number of tokens, those around them, and what is known near them;
in a day, as many calls and tokens as the budget allows, which a ledger in the store counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from combray.consolidate.load import by_words
from combray.consolidate.runs import by_key
from combray.consolidate.steps import FACTS
from combray.conversation.extraction_prompt import ShownTurn
from combray.language.model_tokens import estimate
from combray.language.savings import is_agent
from combray.language.scopes import scope_set
from combray.language.tokens import content_terms
from combray.records import dataclass
from combray.runtime import Filter, Reader, Writer
from combray.runtime.queue import Job
from combray.types import LIVE_STATUSES, Memory

MOST_TURNS = (40, 8, 1)
"""Turns of one call at the first, second and third attempt: a turn that spoils an answer ends up alone."""
MOST_TOKENS = 2_000
"""Tokens of the turns of one call, unless its first turn is longer. Their surroundings come on top."""
READ_TRUSTS = ("owner", "agent")
_BEFORE, _AFTER = 3, 1
"""Turns around each one that are shown with it."""
_LONGEST = 2_000
"""Characters of a turn that is only shown with others."""
_NEAREST, _NEAR_FROM = 5, 0.5
"""Known facts looked up for one turn, and their least cosine."""
_MOST_TERMS = 32
_MOST_KNOWN = 20


@dataclass(frozen=True, slots=True)
class TurnBatch:
    """One call: its jobs, the turns by number from 1, all lines by conversation, and known memories from 1.

    `asked`: the open pairs (turn, known memory), by keys.
    """

    jobs: tuple[Job, ...]
    turns: tuple[Memory, ...]
    conversations: tuple[tuple[ShownTurn, ...], ...]
    known: Mapping[int, Memory]
    asked: frozenset[tuple[int, int]]

    def near(self, turn: Memory) -> list[Memory]:
        """Return the lines up to and with a turn that explain it, and the one behind it."""
        for lines in self.conversations:
            for place, line in enumerate(lines):
                if line.turn.id == turn.id:
                    return [each.turn for each in lines[max(0, place - _BEFORE) : place + _AFTER + 1]]
        return []

    def before(self, turn: Memory) -> Memory | None:
        """Return the line before a turn."""
        near = self.near(turn)
        place = near.index(turn)
        return near[place - 1] if place else None


def is_read(turn: Memory) -> bool:
    """Return whether facts are read from a turn: a live, trusted one that no assistant or tool has said."""
    spoken = not is_agent(str(turn.metadata.get("role") or turn.author or ""))
    return spoken and turn.kind == "episode" and turn.status in LIVE_STATUSES and turn.trust in READ_TRUSTS


def first_batch(reader: Reader, jobs: Sequence[Job], model: str) -> TurnBatch | None:
    """Return a call for the first of the jobs and as many others as fit: of its scope, tried as often.

    None if all turns have been erased since the jobs were taken. `model` is the embedder whose vectors find what
    is known, or "".
    """
    memories = by_key(reader, [job.key for job in jobs])
    there = [job for job in jobs if job.key in memories]
    if not there:
        return None
    scope, tried = scope_set(memories[there[0].key].tags), there[0].attempts
    chosen: list[Job] = []
    tokens = 0
    for job in there:
        turn = memories[job.key]
        tokens += estimate(turn.content)
        if chosen and (tokens > MOST_TOKENS or len(chosen) >= MOST_TURNS[min(tried, len(MOST_TURNS)) - 1]):
            break
        if job.attempts == tried and scope_set(turn.tags) == scope:
            chosen.append(job)
        else:
            tokens -= estimate(turn.content)
    turns = {job.key: memories[job.key] for job in chosen}
    # The last attempt shows the turn alone: what is around it may be what spoils the answer.
    last = tried >= len(MOST_TURNS)
    conversations = _conversations(reader, turns, shows=not last)
    numbered = [line.turn.id for lines in conversations for line in lines if line.number]
    keys = {turn.id: key for key, turn in turns.items()}
    in_order = [keys[each] for each in numbered]
    ordered = {key: turns[key] for key in in_order}
    known, asked = ({}, frozenset[tuple[int, int]]()) if last else _known(reader, ordered, scope, model)
    by_number = {job.key: job for job in chosen}
    return TurnBatch(
        tuple(by_number[key] for key in in_order),
        tuple(turns[key] for key in in_order),
        conversations,
        known,
        asked,
    )


def _conversations(
    reader: Reader, turns: Mapping[int, Memory], *, shows: bool
) -> tuple[tuple[ShownTurn, ...], ...]:
    """Return the turns by session, and with `shows` those around them; without a session by day."""
    keys = np.array(list(turns) if shows else [], dtype=np.int64)
    around = {key for found in reader.neighbours(keys, _BEFORE, _AFTER) for key in found} - turns.keys()
    scopes = {scope_set(turn.tags) for turn in turns.values()}
    shown = {
        key: each
        for key, each in by_key(reader, sorted(around)).items()
        if each.status in LIVE_STATUSES and each.trust in READ_TRUSTS and scope_set(each.tags) in scopes
    }
    found: dict[str, list[tuple[int, Memory]]] = {}
    for key, turn in (*turns.items(), *shown.items()):
        found.setdefault(turn.session or f"{turn.moment:%Y-%m-%d}", []).append((key, turn))
    lines, number = [], 0
    for some in found.values():
        some.sort(key=lambda each: (each[1].position or 0, each[1].moment, each[0]))
        conversation = []
        for key, turn in some:
            number += key in turns
            conversation.append(ShownTurn(turn, number) if key in turns else ShownTurn(_shortened(turn)))
        lines.append(tuple(conversation))
    return tuple(lines)


def _shortened(turn: Memory) -> Memory:
    if len(turn.content) <= _LONGEST:
        return turn
    return msgspec.structs.replace(turn, content=turn.content[:_LONGEST])


def _known(
    reader: Reader, turns: Mapping[int, Memory], scope: tuple[str, ...], model: str
) -> tuple[dict[int, Memory], frozenset[tuple[int, int]]]:
    """Return memories that the turns may change or repeat: those they are asked about, then the nearest facts."""
    links = reader.links(turns, ("may_revise",))
    asked = {(each.source, each.target) for each in links if each.source in turns and not each.subtype}
    where = Filter(kinds=FACTS, within=scope, trusts=READ_TRUSTS)
    keys = dict.fromkeys(old for _, old in sorted(asked))
    near: list[list[int]] = []
    lacking = list(turns)
    if model:
        vectors, has = reader.vectors(model, np.array(lacking, dtype=np.int64))
        if has.any():
            ranked = reader.nearest(model, vectors[has], where, _NEAREST, _NEAR_FROM)
            near += [each.keys.tolist() for each in ranked]
        lacking = [key for key, there in zip(lacking, has, strict=True) if not there]
    terms = [list(dict.fromkeys(content_terms(turns[key].content)))[:_MOST_TERMS] for key in lacking]
    near += [by_words(reader, each, where, _NEAREST) for each in terms]
    # The nearest of every turn come before the second of any.
    for rank in range(_NEAREST):
        keys |= dict.fromkeys(each[rank] for each in near if len(each) > rank)
    found = by_key(reader, [key for key in keys if key not in turns][:_MOST_KNOWN])
    live = {key: each for key, each in found.items() if each.status in LIVE_STATUSES}
    return live, frozenset(pair for pair in asked if pair[1] in live)


# -- what a day has cost and may cost --------------------------------------------------------------

_KEPT = "extraction"


class Spending(msgspec.Struct, frozen=True):
    """Calls and tokens of one day (ISO 8601), then totals of a namespace.

    `calls` and `tokens` count repairs and calls that failed. `facts` are new ones, `known` those that repeat a
    known fact, `superseded` memories that were replaced, `unsupported` facts that the turns do not state,
    `quarantined` those that look like prompt injection, `malformed` parts of answers that could not be read.
    """

    day: str = ""
    calls_today: int = 0
    tokens_today: int = 0
    calls: int = 0
    failures: int = 0
    tokens: int = 0
    read: int = 0
    facts: int = 0
    known: int = 0
    superseded: int = 0
    unsupported: int = 0
    quarantined: int = 0
    malformed: int = 0

    def plus(self, day: str, counts: Mapping[str, int]) -> Spending:
        """Return the ledger with more counts; those of today begin anew on another day."""
        today = self.on(day)
        found = {name: getattr(today, name) + count for name, count in counts.items()}
        found["calls_today"] = today.calls_today + counts.get("calls", 0)
        found["tokens_today"] = today.tokens_today + counts.get("tokens", 0)
        return msgspec.structs.replace(today, **found)

    def on(self, day: str) -> Spending:
        """Return the ledger as it is on a day."""
        if day == self.day:
            return self
        return msgspec.structs.replace(self, day=day, calls_today=0, tokens_today=0)


def ledger(reader: Reader) -> Spending:
    """Return the ledger of a namespace."""
    kept = reader.kept(_KEPT)
    try:
        return msgspec.json.decode(kept, type=Spending) if kept else Spending()
    except msgspec.MsgspecError:
        # It counts and decides nothing: a damaged one begins anew.
        return Spending()


def enter(tx: Writer, day: str, counts: Mapping[str, int]) -> None:
    """Add counts to the ledger."""
    tx.keep(_KEPT, msgspec.json.encode(ledger(tx).plus(day, counts)).decode())


@dataclass(frozen=True, slots=True)
class DayBudget:
    """What a day may cost in one namespace; 0: no limit. `price`: of a million tokens, None if unknown."""

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    price: float | None = None

    @classmethod
    def of(cls, settings: Mapping[str, Any], price: float | None) -> DayBudget:
        """Return the budget of the settings."""
        calls, tokens = int(settings.get("extract_calls", 0)), int(settings.get("extract_tokens", 0))
        return cls(calls, tokens, float(settings.get("extract_cost", 0.0)), price)

    def money(self, tokens: int) -> float | None:
        """Return the price of tokens, None if it is unknown."""
        return None if self.price is None else round(tokens * self.price / 1e6, 6)

    def exhausted(self, spent: Spending, tokens: int = 0) -> str:
        """Return why no call of so many tokens may follow, or ""."""
        then = spent.tokens_today + tokens
        if self.calls and spent.calls_today >= self.calls:
            return f"the budget of today is spent: {spent.calls_today} calls (extract_calls={self.calls})"
        if self.tokens and then > self.tokens:
            return f"the budget of today is spent: {spent.tokens_today} tokens (extract_tokens={self.tokens})"
        if self.cost and self.price is None:
            return "extract_cost needs the price of the model. Set prices"
        if self.cost and (self.money(then) or 0.0) > self.cost:
            paid = self.money(spent.tokens_today)
            return f"the budget of today is spent: {paid} (extract_cost={self.cost:g})"
        return ""
