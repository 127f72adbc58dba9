"""Verbs that change stored memories: update, forget, restore, erase; for one id, for many, or for a filter.

Facts that Combray made of some memories alone are hidden with them, and come back with them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, TypedDict, Unpack

from combray.audit import erasure
from combray.audit.audited import audited
from combray.engine.namespace import Namespace
from combray.errors import InvalidInputError, NotFoundError, brief
from combray.records import dataclass, replace
from combray.remember.revision import Revision
from combray.runtime import Filter, Order, Reader, Runtime, Writer
from combray.runtime.calls import step
from combray.runtime.waiting import move_waiting, move_waiting_back
from combray.types import LIVE_STATUSES, Memory, Status, Where
from combray.values import MADE_BY, counted
from combray.where import Condition, fields_of, joined, one_of_texts, parse

Ids = str | Sequence[str] | None
Change = Callable[[Writer, Sequence[int], float], list[int]]
"""Changes memories; returns the keys of the facts that changed with them."""
WITH_EVIDENCE = "hide"
"""The operation of a fact that was hidden with its last live evidence. `forget` is what a caller named."""
_PAST: tuple[Status, ...] = ("superseded", "merged", "deprecated")
_EVERY = 2**62
_SHOWN = 3


class Several(TypedDict, total=False):
    """What a change of several memories takes beside their ids.

    `where` selects by a filter instead; it needs `confirm`, the count that `dry_run` reports.
    """

    where: Where | None
    dry_run: bool
    confirm: int | None


class SeveralErased(Several, total=False):
    """What an erasure of several memories takes beside their ids."""

    derived: bool
    prove: bool
    also: Sequence[str | PathLike[str]]


@dataclass(frozen=True, slots=True)
class Changed:
    """What a call on several memories did, or with `dry_run` would do. Ids in the order of recording."""

    ids: tuple[str, ...]
    count: int
    dry_run: bool = False
    certificate: erasure.Certificate | None = None
    """The proof of an erasure, if it was asked for."""
    derived: tuple[str, ...] = ()
    """Facts that Combray made of them and that change with them; not in `count`."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Ids, or a condition, as one call gives them."""

    ids: tuple[str, ...]
    condition: Condition | None
    confirm: int | None

    def keys(self, reader: Reader, namespace: str) -> list[int]:
        """The keys of what is selected, as the reader sees it. Raises NotFoundError for an unknown id."""
        if self.condition is not None:
            return reader.page(self.condition, Order(descending=False), _EVERY)
        found = reader.keys_of(self.ids)
        missing = [each for each in self.ids if each not in found]
        if missing:
            more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
            named = ", ".join(repr(each) for each in missing[:_SHOWN])
            raise NotFoundError(f"no memory {named}{more} in namespace {namespace!r}; nothing was changed")
        return list(dict.fromkeys(found[each] for each in self.ids))

    def check(self, count: int) -> None:
        """Raise InvalidInputError if the caller has not confirmed how many memories a filter matches."""
        if self.confirm == count or (self.confirm is None and self.condition is None):
            return
        given = "is not given" if self.confirm is None else f"is {brief(self.confirm)}"
        what = "the filter matches" if self.condition is not None else "the ids name"
        remedy = f"Look at them with a dry run, then give confirm={count}."
        found = counted(count, "memory", "memories")
        raise InvalidInputError("confirm", f"{given}, but {what} {found}. Nothing was changed.", remedy)


def selection(
    ids: Sequence[str] | None,
    where: Where | None,
    confirm: int | None,
    statuses: tuple[Status, ...],
    runtime: Runtime,
) -> Selection:
    """What a call means. A filter that does not name `status` selects only memories of the given statuses."""
    if (ids is None) == (where is None):
        raise InvalidInputError(
            "ids", "and where are both given." if where else "and where are both missing.", "Give one of the two."
        )
    if ids is not None:
        if isinstance(ids, (str, bytes)) or not isinstance(ids, Sequence) or not ids:
            raise InvalidInputError("ids", f"must be a list of ids, not {brief(ids)}.", "Name at least one.")
        if wrong := [each for each in ids if not isinstance(each, str)]:
            raise InvalidInputError("ids", f"{brief(wrong[0])} is not a text.", "Give ids as texts.")
        return Selection(tuple(each.strip() for each in ids), None, confirm)
    condition = parse(where, runtime.clock(), runtime.zone)
    if condition is None:
        raise InvalidInputError(
            "where", "is empty and matches every memory.", 'Name a field, or say {"id": {"exists": true}}.'
        )
    if statuses and "status" not in fields_of(condition):
        condition = joined(one_of_texts("status", statuses), condition)
    return Selection((), condition, confirm)


@audited("update", reads=False)
def update(at: Namespace, memory_id: str, changes: Mapping[str, Any], if_version: int | None = None) -> Memory:
    """Change fields of a memory, if its last version is the one that is asked for."""
    key, memory = at.memory_of(memory_id)
    revision = replace(_revision(at), if_version=if_version)
    done = revision.update(key, memory, changes)
    at.written()
    return done


@audited("restore", reads=False)
def restore_version(at: Namespace, memory_id: str, version: int) -> Memory:
    """Undo every change of a memory from a version on."""
    key, memory = at.memory_of(memory_id)
    done = _revision(at).restore(key, memory, at.reader.history(key), version)
    at.written()
    return done


def _revision(at: Namespace) -> Revision:
    at.accesses.flush()
    return Revision(at.preset.remember, at.runtime, at.namespace, at.runtime.clock())


@audited("forget", reads=False)
def forget(at: Namespace, ids: Ids, **several: Unpack[Several]) -> Memory | Changed:
    """Hide memories from reads."""
    return _change(at, ids, LIVE_STATUSES, hide, "forget", **several)


@audited("restore", reads=False)
def restore(at: Namespace, ids: Ids, **several: Unpack[Several]) -> Memory | Changed:
    """Make memories active again."""
    return _change(at, ids, ("forgotten",), show, "restore", **several)


def _change(
    at: Namespace,
    ids: Ids,
    statuses: tuple[Status, ...],
    change: Change,
    operation: str,
    *,
    where: Where | None = None,
    dry_run: bool = False,
    confirm: int | None = None,
) -> Memory | Changed:
    now = at.runtime.clock()
    if isinstance(ids, str) and where is None and not dry_run and confirm is None:
        with at.runtime.store.transaction(at.namespace) as tx:
            key = at.key_of(ids, tx)
            change(tx, [key], now)
            return tx.memories([key])[0]
    chosen = selection([ids] if isinstance(ids, str) else ids, where, confirm, statuses, at.runtime)
    if dry_run:
        found = _would_change(at, chosen)
        if operation != "forget":
            return found
        memories = at.reader.memories(at.reader.keys_of(found.ids).values())
        return replace(found, derived=tuple(each.id for each in resting_alone(at.reader, memories)))
    with at.runtime.store.transaction(at.namespace) as tx:
        keys = chosen.keys(tx, at.namespace)
        chosen.check(len(keys))
        with_them = change(tx, keys, now)
        # A call that is cancelled here is rolled back.
        step(f"{operation} {len(keys)} memories")
        if len(keys) != 1:
            tx.note(operation, "", f"{len(keys)} memories", now)
        return Changed(_ids(tx, keys), len(keys), derived=_ids(tx, with_them))


def _would_change(at: Namespace, chosen: Selection) -> Changed:
    keys = chosen.keys(at.reader, at.namespace)
    return Changed(_ids(at.reader, keys), len(keys), dry_run=True)


def _ids(reader: Reader, keys: Sequence[int]) -> tuple[str, ...]:
    return tuple(each.id for each in reader.memories(keys))


@audited("erase", reads=False)
def erase(
    at: Namespace,
    ids: Ids,
    *,
    where: Where | None = None,
    derived: bool = False,
    prove: bool = False,
    also: Sequence[str | PathLike[str]] = (),
    dry_run: bool = False,
    confirm: int | None = None,
) -> erasure.Certificate | Changed | None:
    """Destroy memories and every trace of them in the file: one transaction, one rewrite, one proof."""
    if isinstance(ids, str) and where is None and not dry_run and confirm is None:
        return erase_keys(at, [at.key_of(ids)], None, derived=derived, prove=prove, also=also)
    chosen = selection([ids] if isinstance(ids, str) else ids, where, confirm, (), at.runtime)
    if dry_run:
        return _would_change(at, chosen)
    keys = chosen.keys(at.reader, at.namespace)
    chosen.check(len(keys))
    named = tuple(each.id for each in at.reader.memories(keys))

    def unchanged(tx: Writer) -> None:
        if chosen.keys(tx, at.namespace) != keys:
            raise InvalidInputError("where", "matches other memories than a moment ago.", "Try again.")

    certificate = erase_keys(at, keys, unchanged, derived=derived, prove=prove, also=also) if keys else None
    return Changed(named, len(named), certificate=certificate)


def erase_keys(
    at: Namespace,
    named: list[int],
    unchanged: Callable[[Writer], None] | None,
    *,
    derived: bool,
    prove: bool,
    also: Sequence[str | PathLike[str]],
) -> erasure.Certificate | None:
    """Erase memories and what was made of them. `unchanged` raises if they are no longer what was confirmed."""
    from combray.language.caches import forget_texts

    store, reader = at.runtime.store, at.reader
    memories = reader.memories(named)
    if not memories:
        raise NotFoundError(f"what was to be erased of namespace {at.namespace!r} was erased a moment ago.")
    provable = erasure.provable(at.runtime) if prove else None
    around = erasure.derived(reader, memories) if prove or derived else erasure.Derived()
    resting = list(reader.keys_of([each.id for each in around.resting]).values()) if derived else []
    keys = list(dict.fromkeys((*named, *erasure.made_of(reader, memories), *resting)))
    ids = {each.id: None for each in reader.memories(keys)}
    traces = provable.traces(at.namespace, keys) if provable else []
    with store.transaction(at.namespace) as tx:
        if unchanged is not None:
            unchanged(tx)
        tx.erase(list(dict.fromkeys((*keys, *erasure.made_of(tx, memories)))), at.runtime.clock())
    forget_texts()
    if not prove:
        return None
    quoted_by = [each.id for each in (*around.resting, *around.quoting) if each.id not in ids]
    asked = tuple(each.id for each in memories)
    with_it = tuple(each for each in ids if each not in set(asked))
    more = [fspath(each) for each in (*also, *around.files)]
    erased = erasure.Erased(asked, with_it, tuple(quoted_by), tuple(keys), tuple(traces))
    return erasure.prove(at.runtime, at.namespace, erased, more)


# -- hidden memories ---------------------------------------------------------------------------------


def hide(tx: Writer, keys: Sequence[int], now: float) -> list[int]:
    """Forget memories, and facts that rest on them alone. Return the keys of these facts."""
    for key in keys:
        memory = tx.memories([key])[0]
        # An explicit request counts more than evidence that may come back.
        if memory.status != "forgotten" or _last_hidden_by(tx, key) == WITH_EVIDENCE:
            if memory.status in LIVE_STATUSES:
                move_waiting(tx, memory, None, "user", now)
            tx.change(key, "forget", "user", now, status="forgotten")
            tx.note("forget", memory.id, "", now)
    found = resting_alone(tx, tx.memories(keys))
    facts = list(tx.keys_of([each.id for each in found]).values())
    for key in facts:
        tx.change(key, WITH_EVIDENCE, "combray", now, status="forgotten")
    return facts


def show(tx: Writer, keys: Sequence[int], now: float) -> list[int]:
    """Restore memories, and facts that were hidden with them. Return the keys of these facts."""
    for key in keys:
        _show(tx, key, now)
    facts = list(tx.keys_of([each.id for each in _made_of(tx, tx.memories(keys))]).values())
    back = [key for key in facts if _last_hidden_by(tx, key) == WITH_EVIDENCE]
    for key in back:
        if tx.memories([key])[0].status == "forgotten":
            tx.change(key, "restore", "combray", now, status=_status_before(tx, key))
    return back


def resting_alone(reader: Reader, memories: Sequence[Memory]) -> list[Memory]:
    """Return visible facts that Combray made of the memories and that no other live memory supports."""
    gone = {each.id for each in memories}
    facts = [each for each in _made_of(reader, memories) if each.status != "forgotten" and each.id not in gone]
    live = _live(reader, {each for fact in facts for each in erasure.named_by(fact)} - gone)
    return [fact for fact in facts if live.isdisjoint(erasure.named_by(fact))]


def without_evidence(reader: Reader, facts: Sequence[Memory]) -> set[str]:
    """Return the ids of facts that Combray made of turns of which none is live any more."""
    made = [each for each in facts if each.source in MADE_BY]
    live = _live(reader, {each for fact in made for each in erasure.named_by(fact)})
    return {fact.id for fact in made if live.isdisjoint(erasure.named_by(fact))}


def _made_of(reader: Reader, memories: Sequence[Memory]) -> list[Memory]:
    """Return the facts of consolidation and auto-memory that name one of the episodes as evidence."""
    episodes = {each.id for each in memories if each.kind == "episode"}
    if not episodes:
        return []
    every = reader.scan(Filter(statuses=(), sources=MADE_BY, trusts=()))
    return [each for each in reader.memories(every.tolist()) if not episodes.isdisjoint(erasure.named_by(each))]


def _live(reader: Reader, ids: Collection[str]) -> set[str]:
    found = reader.memories(reader.keys_of(sorted(ids)).values())
    return {each.id for each in found if each.status in LIVE_STATUSES and each.trust != "quarantined"}


def _show(tx: Writer, key: int, now: float) -> None:
    memory = tx.memories([key])[0]
    if memory.status == "merged":
        from combray.consolidate.runs import undo_merge

        undo_merge(tx, key, now)
        return
    if memory.status == "active":
        return
    changes: dict[str, Any] = {"status": _status_before(tx, key)}
    if changes["status"] == "active":
        changes |= {"superseded_by": None, "merged_into": None}
        if memory.status == "forgotten":
            move_waiting_back(tx, memory, None, "user", now)
        if memory.superseded_by is not None:
            # The end of validity that it had before it was superseded, if any.
            ends = [each.before.get("valid_to") for each in tx.history(key) if each.operation == "supersede"]
            changes["valid_to"] = ends[-1] if ends else None
    tx.change(key, "restore", "user", now, **changes)
    tx.note("restore", memory.id, "", now)


def _status_before(reader: Reader, key: int) -> Status:
    """Return the status to restore: the one before a memory was forgotten if it was not current then."""
    if reader.memories([key])[0].status != "forgotten":
        return "active"
    before = [each.before.get("status") for each in reader.history(key)]
    last = next((each for each in reversed(before) if each not in (None, "forgotten")), "active")
    return next((each for each in _PAST if each == last), "active")


def _last_hidden_by(reader: Reader, key: int) -> str:
    """Return the operation that changed the status last, "" if none did."""
    return next((each.operation for each in reversed(reader.history(key)) if "status" in each.before), "")
