"""Stages inside the transaction: final decisions, the survey for links, the insert."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np

from combray.errors import InvalidInputError
from combray.forms.remembering import (
    TRUSTED,
    Draft,
    RefusedUnderLockError,
    Remembering,
    Reread,
    Surroundings,
    Survey,
    revised,
)
from combray.language.scopes import scope_set
from combray.pipeline import advise
from combray.records import dataclass, replace
from combray.remember.embed import say_embedded
from combray.remember.slots import chain_slots, fill_slots
from combray.remember.verdicts import keep_both, read_verdicts
from combray.runtime import Arrival, Filter, Link, Runtime, Writer
from combray.runtime.waiting import is_ahead, move_waiting, replaces_at_once
from combray.types import KINDS, LIVE_STATUSES, Memory

_STATEMENTS = tuple(kind for kind in KINDS if kind != "episode")


@dataclass(frozen=True)
class Settle:
    """Makes the decisions final under the write lock, so that two writers cannot both add one text.

    Identical text is found by its hash. If another writer has changed the store since the drafts were compared
    with it, the stages that compared them do so again (`state.rereads`).
    """

    needs = ("drafts", "decisions")
    gives = ("settled",)
    restated_from: float = 0.35
    """As in `Diff`."""

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        if state.diff:
            self._settle(state, runtime)
        drafts = len(state.drafts)
        read_verdicts(state)
        fill_slots(state)
        _check_ids(state)
        if len(state.drafts) < drafts:
            # Other drafts may count as duplicates of a refused one.
            raise RefusedUnderLockError
        return state

    def _settle(self, state: Remembering, runtime: Runtime) -> None:
        tx = state.writer
        # The open transaction has already counted itself.
        if tx.revision() - 1 != state.seen_revision:
            for reread in state.rereads:
                advise("Settle", partial(_reread, reread), state, runtime)
        # A slot decides about its values.
        wanted = [draft for draft in state.drafts if draft.memory.kind != "episode" and draft.memory.slot is None]
        known = tx.live_with_hash([draft.memory.content_hash for draft in wanted])
        # A turn with the same text is the evidence of a fact, not the same memory.
        stated = np.array(sorted(known.values()), dtype=np.int64)
        stands: dict[tuple[str, ...], set[int]] = {}
        for trusts in set(map(_same_for, wanted)):
            where = Filter(kinds=_STATEMENTS, trusts=trusts)
            stands[trusts] = set(stated[tx.eligible(stated, where)].tolist()) if len(stated) else set()
        changed = revised(tx, sorted(known.values()), self.restated_from)
        scope_of = dict(zip(stated.tolist(), (scope_set(each.tags) for each in tx.memories(stated)), strict=True))
        first: dict[tuple[str, tuple[str, ...]], Draft] = {}
        for draft in wanted:
            among = _same_for(draft)
            if draft.skipped and draft.matched is not None:
                continue
            if draft.restated:
                # Told again after something else: it is the latest statement, and later ones repeat it.
                first[draft.memory.content_hash, among] = draft
                continue
            key = known.get(draft.memory.content_hash)
            key = key if key in stands[among] and key not in changed else None
            if key is not None and scope_of[key] != scope_set(draft.memory.tags):
                # Written before the scope was part of the hash.
                key = None
            twin = first.setdefault((draft.memory.content_hash, among), draft)
            if key is not None:
                _skip(draft, key, None)
            elif twin is not draft:
                # A twin that is skipped itself is not stored; what it repeats is.
                _skip(draft, twin.matched, twin.twin) if twin.skipped else _skip(draft, None, twin)


def _check_ids(state: Remembering) -> None:
    """Refuse the given ids that a stored memory or an earlier item has."""
    given = [
        draft.memory.id
        for place, draft in state.placed()
        if not draft.skipped and state.items[place].get("id") is not None
    ]
    if not given:
        return
    taken = set(state.writer.keys_of(given))

    def check(_place: int, draft: Draft) -> None:
        if draft.skipped:
            return
        name = draft.memory.id
        if name in taken:
            raise InvalidInputError("id", f"{name!r} already exists in namespace {state.namespace!r}.")
        taken.add(name)

    state.check_each(check)


def _reread(reread: Reread, state: Remembering) -> Remembering:
    reread(state, state.writer)
    return state


def _same_for(draft: Draft) -> tuple[str, ...]:
    """Trust of the memories that a draft can duplicate: its own or more. A quarantined draft duplicates none."""
    if draft.memory.trust in TRUSTED:
        return TRUSTED
    return (*TRUSTED, "untrusted") if draft.memory.trust == "untrusted" else ()


def _skip(draft: Draft, key: int | None, twin: Draft | None) -> None:
    draft.suggestion, draft.matched, draft.twin = "DUPLICATE", key, twin
    draft.reason = "the same text is already known"


@dataclass(frozen=True)
class TakeSurvey:
    """Reads what linking needs before the insert, by scope: recent memories, counts and holders of entities."""

    needs = ("settled", "entities")
    gives = ("survey",)
    recent: int = 10
    per_entity: int = 5

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        tx = state.writer
        arriving = [draft for draft in state.drafts if not draft.skipped and not draft.quarantined]
        if not arriving:
            state.survey = Survey()
            return state
        scopes: dict[tuple[str, ...], list[Draft]] = {}
        for draft in arriving:
            scopes.setdefault(scope_set(draft.memory.tags), []).append(draft)
        found = {scope: self._around(tx, scope, drafts, state.replaced) for scope, drafts in scopes.items()}
        state.survey = Survey(tx.profile().memories - len(state.replaced), found)
        return state

    def _around(self, tx: Writer, scope: tuple[str, ...], drafts: list[Draft], gone: set[int]) -> Surroundings:
        """`gone`: memories that this write replaces get no links, since recall does not walk through them."""
        where = Filter(within=scope)
        before = min(draft.memory.moment for draft in drafts).timestamp()
        recent = self._latest(tx, self.recent, gone, before, where)
        last: dict[str, tuple[int, float]] = {}
        for source in dict.fromkeys(draft.memory.source for draft in drafts):
            last.update((source, each) for each in self._latest(tx, 1, gone, before, where, source))
        keys = [key for key, _ in recent]
        entities = dict.fromkeys(name for draft in drafts for name in draft.memory.entities)
        return Surroundings(
            recent=tuple(recent),
            recent_texts=dict(zip(keys, tx.contents(keys), strict=True)),
            last_of_source=last,
            naming=self._naming(list(entities), gone, where, tx),
        )

    def _latest(
        self, tx: Writer, count: int, gone: set[int], before: float, where: Filter, source: str | None = None
    ) -> list[tuple[int, float]]:
        """The newest that pass, of four times as many: some may be quarantined."""
        most = 4 * count + len(gone)
        newest = tx.latest(most, source=source, before=before)
        found = passing(tx, newest, where, gone)[:count]
        if len(found) == count or len(newest) < most:
            return found
        # Memories of other scopes stand in front.
        sources = () if source is None else (source,)
        until = replace(where, sources=sources, until=math.nextafter(before, math.inf))
        keys = tx.scan(until, newest_first=True, limit=count + len(gone))
        moments = tx.rows(keys).moment.tolist()
        return [each for each in zip(keys.tolist(), moments, strict=True) if each[0] not in gone][:count]

    def _naming(
        self, entities: list[str], gone: set[int], where: Filter, tx: Writer
    ) -> dict[str, tuple[int, list[int]]]:
        most = 4 * self.per_entity + len(gone)
        named = tx.naming(entities, most)
        seen = self._seen(named, where, tx) - gone
        # Memories of other scopes stand in front: then every holder is looked at.
        short = [
            name
            for name, (count, keys) in named.items()
            if count > most and sum(key in seen for key in keys) < self.per_entity
        ]
        if short:
            named |= tx.naming(short, max(named[name][0] for name in short))
            seen = self._seen(named, where, tx) - gone
        lost: Counter[str] = Counter()
        for memory in tx.memories(gone) if gone else ():
            lost.update({each.casefold() for each in memory.entities})
        return {
            name: (count - lost[name.casefold()], [key for key in keys if key in seen][: self.per_entity])
            for name, (count, keys) in named.items()
        }

    @staticmethod
    def _seen(named: Mapping[str, tuple[int, list[int]]], where: Filter, tx: Writer) -> set[int]:
        every = np.array(sorted({key for _, keys in named.values() for key in keys}), dtype=np.int64)
        return set(every[tx.eligible(every, where)].tolist())


def passing(
    tx: Writer, newest: Sequence[tuple[int, float]], where: Filter, gone: Collection[int] = ()
) -> list[tuple[int, float]]:
    """Return those of the (key, moment) that pass a filter and are not gone, in order."""
    seen = tx.eligible(np.array([key for key, _ in newest], dtype=np.int64), where)
    return [each for each, is_seen in zip(newest, seen, strict=True) if is_seen and each[0] not in gone]


@dataclass(frozen=True)
class Write:
    """Inserts the drafts with vectors and index terms; what they replace is superseded, never deleted.

    Those that wait for a vector (`pending_embed`) are queued in the same transaction.
    """

    needs = ("settled", "survey")
    gives = ("written",)

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        for draft in state.drafts:
            if draft.skipped and draft.matched is not None:
                draft.replaced_id = state.writer.memories([draft.matched])[0].id
            elif draft.skipped and draft.twin is not None:
                draft.replaced_id = draft.twin.memory.id
        arriving = [draft for draft in state.drafts if not draft.skipped]
        self._number_turns(arriving, state)
        replaced: set[str] = set()
        for draft in arriving:
            self._name_replaced(draft, state, replaced)
        model = runtime.embedder.name if runtime.embedder is not None else ""
        tokens = runtime.tokens.name if runtime.tokens is not None else ""
        arrivals = [
            Arrival(
                draft.memory,
                {model: draft.vector} if draft.vector is not None else {},
                {tokens: state.tokens[draft.memory.id]} if draft.memory.id in state.tokens else {},
            )
            for draft in arriving
        ]
        for draft, key in zip(arriving, state.writer.insert(arrivals), strict=True):
            draft.key = key
        waiting = [draft.key for draft in arriving if draft.memory.status == "pending_embed" and draft.key]
        if waiting:
            state.writer.queue.put(model, waiting, state.now)
        bare = [draft.key for draft in arriving if draft.memory.id not in state.tokens and draft.key]
        if tokens and bare:
            state.writer.queue.put(tokens, bare, state.now)
        say_embedded(state.drafts, state.writer, model)
        for draft in arriving:
            self._supersede(draft, state)
        chain_slots(state)
        keep_both(state)
        self._log(state, arriving)
        return state

    def _number_turns(self, arriving: list[Draft], state: Remembering) -> None:
        following: dict[str, int] = {}
        for draft in arriving:
            session = draft.memory.session
            if session is None:
                continue
            if session not in following:
                following[session] = state.writer.next_position(session)
            position = draft.memory.position
            if position is None:
                position = following[session]
                draft.memory = msgspec.structs.replace(draft.memory, position=position)
            following[session] = max(following[session], position + 1)

    def _name_replaced(self, draft: Draft, state: Remembering, replaced: set[str]) -> None:
        """Point the new memory at the one it replaces. If that is already replaced, it is added."""
        if draft.suggestion != "UPDATE":
            return
        old = draft.twin.memory if draft.twin is not None else self._stored(draft, state)
        if old is None or old.id in replaced or (draft.twin is not None and draft.twin.skipped):
            draft.suggestion, draft.reason = "ADD", "what it would replace is already replaced"
            return
        replaced.add(old.id)
        draft.also = [each for each in draft.also if each.memory.id not in replaced]
        replaced |= {each.memory.id for each in draft.also}
        draft.replaced_id = old.id
        draft.memory = msgspec.structs.replace(draft.memory, supersedes=old.id)

    def _stored(self, draft: Draft, state: Remembering) -> Memory | None:
        found = state.writer.memories([draft.matched]) if draft.matched is not None else []
        return next((memory for memory in found if memory.status in LIVE_STATUSES), None)

    def _supersede(self, draft: Draft, state: Remembering) -> None:
        if draft.replaced_id is None or draft.key is None:
            return
        key = draft.matched if draft.twin is None else draft.twin.key
        for each in () if key is None else (key, *(target.stored for target in draft.also)):
            self._end(each, draft, state)

    def _end(self, key: int, draft: Draft, state: Remembering) -> None:
        """End the validity of a memory where that of the draft begins."""
        tx = state.writer
        (old,) = tx.memories([key])
        new, at_once = draft.memory, replaces_at_once(draft.memory, old, state.now)
        starts = None if at_once and is_ahead(new, state.now) else new.valid_from
        until = max(starts or new.moment, old.recorded_at)
        pointer: dict[str, Any] = {"superseded_by": new.id, "valid_to": until}
        # What a plan replaces holds until the plan's day: recall then follows the pointer, without any write.
        if at_once:
            pointer["status"] = "superseded"
            move_waiting(tx, old, new, "remember", state.now)
        tx.change(key, "supersede", "remember", state.now, **pointer)
        tx.link([Link(draft.key or 0, key, "supersedes", 1.0, reason=draft.reason)], state.now)

    def _log(self, state: Remembering, arriving: list[Draft]) -> None:
        tx = state.writer
        if len(state.drafts) > 1:
            counts = f"{len(arriving)} added, {len(state.drafts) - len(arriving)} skipped"
            tx.note("remember_many", "", counts, state.now)
            return
        for draft in state.drafts:
            action = "skip" if draft.skipped else "replace" if draft.replaced_id else "add"
            action = draft.guard.partition(":")[0] or action
            tx.note("remember", draft.replaced_id or "" if draft.skipped else draft.memory.id, action, state.now)
