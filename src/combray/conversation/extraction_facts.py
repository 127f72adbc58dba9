"""What a valid answer becomes: facts, evidence of known ones, verdicts, and the marks of its turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from combray.consolidate.belief import begins
from combray.consolidate.evidence import independent, origin
from combray.consolidate.runs import between, by_key, carry_out
from combray.consolidate.settling import settle
from combray.consolidate.steps import FACTS, Support, effect
from combray.conversation.extraction_batches import TurnBatch, enter
from combray.conversation.extraction_prompt import (
    AnswerParts,
    KnownRelation,
    StatedFact,
    is_supported,
    speaker,
    supporting,
)
from combray.errors import InvalidInputError, StoreBusyError
from combray.forms.remembering import RefusedUnderLockError, Remembering
from combray.language.dates.statements import dated
from combray.language.indexing import same_text
from combray.language.model_tokens import disarmed
from combray.language.scopes import scopes_of
from combray.pipeline import Pipeline, Transaction
from combray.records import dataclass, field, replace
from combray.runtime import Filter, Reader, Runtime, Writer
from combray.runtime.queue import EXTRACTION
from combray.scoring.ageing import grown
from combray.types import TRUSTS, Memory, Verdict
from combray.values import DISTILLED

SOURCE = "extraction"
"""Source of the facts stored here; `recall(sources=["extraction"])` finds them."""
ACTOR = "extraction"
ALONE, SHARED = 0.65, 0.7
"""Confidence of a fact that one turn states, and of one that two do; each further one adds to it."""
_LONGEST_SLOT = 100
_REASON = "says the language model"


class LostError(StoreBusyError):
    """A turn was changed, or taken over by another process, while the model read it: nothing was stored."""


@dataclass(frozen=True, slots=True)
class _Fact:
    """A supported fact: its place in the answer, the item that is remembered, and the turns that state it."""

    place: int
    item: dict[str, Any]
    said: tuple[Memory, ...]


@dataclass(slots=True)
class Outcome:
    """Counts for the ledger, the ids of new facts, and what failed while they were stored without it."""

    counts: Counter[str] = field(default_factory=Counter)
    facts: list[str] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ValidAnswer:
    """A valid answer about a batch; `holder` has leased its jobs. `day` and `spent`: for the ledger."""

    batch: TurnBatch
    reading: AnswerParts
    holder: str
    day: str
    spent: Mapping[str, int]

    def store(self, runtime: Runtime, namespace: str, remember: Pipeline[Remembering]) -> Outcome:
        """Store what the answer says, and mark its turns as read, in one transaction.

        Raises LostError, StoreError.
        """
        outcome = Outcome(Counter(self.spent))
        outcome.counts["malformed"] += self.reading.malformed
        facts = self._supported(outcome, _taken_back(runtime.store.reader(namespace)))
        repeated = {each.fact for each in self.reading.known if each.relation == "same" and self._is_fact(each)}
        new = [each for each in facts if each.place not in repeated]
        ending = _Ending(self, {each.place: each.said for each in facts}, [each.place for each in new], outcome)
        state = Remembering(namespace, [], runtime.clock())
        if new:
            state = _remembered(
                runtime, replace(state, items=[each.item for each in new]), _with(remember, ending)
            )
        if not new or state.done:
            # No fact is left to write, and the turns are read all the same.
            Transaction((ending,))(replace(state, items=[], drafts=[]), runtime)
        outcome.degraded += state.degraded
        return outcome

    def cited(self, numbers: Sequence[int]) -> list[Memory]:
        """Return the turns of those numbers, each once; the only turn if none is named."""
        turns = self.batch.turns
        chosen = dict.fromkeys(each for each in numbers if 1 <= each <= len(turns))
        return [turns[each - 1] for each in chosen] or (list(turns) if len(turns) == 1 else [])

    def _known(self, related: KnownRelation) -> int | None:
        """Return the key of the known memory that a part of the answer names."""
        keys = list(self.batch.known)
        return keys[related.known - 1] if 1 <= related.known <= len(keys) else None

    def _is_fact(self, related: KnownRelation) -> bool:
        """Return whether the known memory can be given evidence; a turn stays as it is."""
        key = self._known(related)
        return key is not None and self.batch.known[key].kind in FACTS

    def _supported(self, outcome: Outcome, taken_back: frozenset[str]) -> list[_Fact]:
        found: list[_Fact] = []
        for place, stated in enumerate(self.reading.facts, 1):
            if stated is None:
                continue
            text = disarmed(" ".join(stated.fact.split()).rstrip("."))
            cited = self.cited(stated.lines)
            said = supporting(text, cited, [self.batch.before(each) for each in cited])
            near = list({each.id: each for turn in said for each in self.batch.near(turn)}.values())
            # Where words of a neighbour are needed, its trust counts too.
            rests = next((some for some in (said, near) if is_supported(text, stated.value, some)), None)
            if rests is None:
                outcome.counts["unsupported"] += 1
            elif same_text(text) in taken_back:
                outcome.counts["known"] += 1
            else:
                found.append(_Fact(place, _item(text, stated, said, rests), tuple(said)))
        return found

    def verdicts(
        self, tx: Writer, keys: Mapping[int, int], said: Mapping[int, Sequence[Memory]], now: float
    ) -> Counter[str]:
        """Settle what the answer says of known memories. `keys`: of stored facts, by their places in it."""
        counts: Counter[str] = Counter()
        by_id = dict(
            zip((each.id for each in self.batch.turns), (job.key for job in self.batch.jobs), strict=True)
        )
        for related in self.reading.known:
            old = self._known(related)
            if old is None:
                continue
            turns = self.cited(related.lines) if related.lines else list(said.get(related.fact, ()))
            new = keys.get(related.fact)
            if related.relation == "same":
                counts["known"] += support(tx, old, turns, now)
            elif related.relation == "supersedes":
                # A fact that was dropped replaces nothing. Without one, the turn itself does.
                last = by_id[turns[-1].id] if turns and not related.fact else None
                counts["superseded"] += _settled(tx, new or last, old, "supersedes", now)
            elif new is not None and related.relation == "both":
                _settled(tx, new, old, "both", now)
            if related.relation != "supersedes":
                for turn, known in self.batch.asked:
                    if known == old and any(not each.subtype for each in between(tx, turn, old)):
                        _settled(tx, turn, old, "both", now)
        return counts


@dataclass(frozen=True)
class _Ending:
    """The last stage of the transaction: evidence, verdicts, the marks of the turns, the ledger."""

    answer: ValidAnswer
    said: Mapping[int, tuple[Memory, ...]]
    places: Sequence[int]
    """Of the items, in their order."""
    outcome: Outcome
    needs = ()
    gives = ()

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        tx, now, counts = state.writer, runtime.clock(), self.outcome.counts
        self._check(tx)
        keys: dict[int, int] = {}
        for item, draft in state.placed():
            place = self.places[item]
            key = draft.key if draft.key is not None else draft.matched
            if draft.quarantined:
                counts["quarantined"] += 1
            elif draft.skipped:
                counts["known"] += 1
                if key is not None:
                    support(tx, key, self.said[place], now)
            else:
                counts["facts"] += 1
                self.outcome.facts.append(draft.memory.id)
            if key is not None and not draft.quarantined:
                keys[place] = key
        counts += self.answer.verdicts(tx, keys, self.said, now)
        jobs = self.answer.batch.jobs
        counts["read"] += len(jobs)
        counts["malformed"] += len(state.refused)
        tx.queue.update([replace(job, holder="", next_at=now, error="", done=now) for job in jobs])
        enter(tx, self.answer.day, counts)
        tx.note("extract", "", f"{len(jobs)} turns, {len(self.outcome.facts)} facts", now)
        return state

    def _check(self, tx: Writer) -> None:
        """Raise LostError unless every turn is as the model read it, and still leased by the holder."""
        batch = self.answer.batch
        held = {job.key for job in tx.queue.held(EXTRACTION, self.answer.holder)}
        turns = by_key(tx, [job.key for job in batch.jobs])
        for job, turn in zip(batch.jobs, batch.turns, strict=True):
            now = turns.get(job.key)
            if job.key not in held or now is None or (now.content, now.status) != (turn.content, turn.status):
                raise LostError(f"turn {turn.id} was changed or taken over while the language model read it")


def _remembered(runtime: Runtime, state: Remembering, pipeline: Pipeline[Remembering]) -> Remembering:
    """Store facts. A model wrote them: the guard judges them as third-party content, whoever said the turns.

    One that is refused, such as a flood of special tokens, does not stop the others.
    """
    state = replace(state, suggest=False, judged_as="untrusted", atomic=False)
    while True:
        try:
            return pipeline.run(state, runtime)
        except RefusedUnderLockError:
            state = state.again()


def _with(remember: Pipeline[Remembering], ending: _Ending) -> Pipeline[Remembering]:
    """Return the pipeline with a last stage in its transaction."""
    stages = list(remember.stages)
    for place, stage in enumerate(stages):
        if isinstance(stage, Transaction):
            stages[place] = replace(stage, stages=(*stage.stages, ending))
    return replace(remember, stages=tuple(stages))


def _taken_back(reader: Reader) -> frozenset[str]:
    """Return the texts of derived facts that somebody has forgotten: they are not derived again."""
    keys = reader.scan(Filter(kinds=FACTS, statuses=("forgotten",), sources=DISTILLED, trusts=()))
    return frozenset(map(same_text, reader.contents(keys.tolist())))


def _item(text: str, stated: StatedFact, said: Sequence[Memory], rests: Sequence[Memory]) -> dict[str, Any]:
    """Return a fact as `remember_many` takes it. `rests`: the lines whose trust it has."""
    starts = [dated(each.content, each.moment).start for each in said]
    begins = min((each for each in starts if each is not None), default=min(each.moment for each in said))
    support = len({origin(each) for each in said})
    evidence = [each.id for each in said]
    slot = {
        "subject": stated.subject or speaker(said[0].author),
        "attribute": stated.attribute,
        "value": stated.value,
        "single": stated.single,
    }
    kept = {name: given[:_LONGEST_SLOT] if isinstance(given, str) else given for name, given in slot.items()}
    return {
        "content": text,
        "kind": "fact",
        "category": "fact",
        "confidence": ALONE if support == 1 else grown(SHARED, support - 2),
        "source": SOURCE,
        "trust": max((each.trust for each in rests), key=TRUSTS.index),
        "tags": scopes_of(said[0].tags),
        "occurred_at": begins,
        "valid_from": begins,
        "evidence": evidence,
        # Erasing one of the turns erases the fact.
        "metadata": {name: given for name, given in kept.items() if given} | {"distilled_from": evidence},
    }


def support(tx: Writer, key: int, turns: Sequence[Memory], now: float) -> int:
    """Add turns to the evidence of a fact, one of each origin. Return how many facts that changed."""
    memories = by_key(tx, [key])
    if not turns or key not in memories or memories[key].kind not in FACTS:
        return 0
    known = set(memories[key].evidence)
    keys = tx.keys_of([each.id for each in turns])
    found = [(keys[each.id], each) for each in turns if each.id not in known and each.id in keys]
    added = independent(memories[key], found, tx)
    if not added:
        return 0
    latest = max(each.moment for _, each in added)
    step = Support(key, tuple(each for each, _ in added), latest.timestamp())
    changed = effect(step, memories, {each: turn.id for each, turn in added}, now, "")
    carry_out(tx, step, changed, memories, ACTOR, now)
    return 1


def _settled(tx: Writer, new: int | None, old: int, verdict: Verdict, now: float) -> int:
    """Settle a pair, if that is possible. Return how many memories were replaced."""
    if new is None or new == old:
        return 0
    later, earlier = tx.memories([new, old])
    if verdict == "supersedes" and begins(later) < begins(earlier):
        # Turns are not always read in their order: of two values the later one stands.
        new, old, later, earlier = old, new, earlier, later
    if verdict == "supersedes" and TRUSTS.index(later.trust) > TRUSTS.index(earlier.trust):
        return 0
    try:
        settle(tx, new, old, verdict, _REASON, ACTOR, now)
    except InvalidInputError:
        # Another scope, or a rule has replaced one of them already.
        return 0
    return int(verdict == "supersedes")
