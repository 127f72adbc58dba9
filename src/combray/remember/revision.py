"""Changing a stored memory: its new fields pass the stages of a new text, and what depends on them follows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.errors import InvalidInputError, NotFoundError, StaleVersionError
from combray.forms.remembering import Draft, Remembering
from combray.language.indexing import SEPARATED, full_text, with_hash
from combray.language.scopes import scope_set
from combray.language.tense import tense_of
from combray.language.validity import validity_of
from combray.pipeline import Pipeline, Transaction, advise, traced, walk
from combray.records import dataclass, replace
from combray.remember.diff import Diff
from combray.remember.embed import Embed, FindNearest, QueueEmbedding
from combray.remember.extract import ExtractEntities, Warn
from combray.remember.guard import Guard
from combray.remember.link import LinkCausal, LinkEntities, LinkSemantic, Stated
from combray.remember.slots import check_free
from combray.remember.time import ReadTime
from combray.remember.validate import AssignScope, Validate
from combray.runtime import Filter, Keys, Link, Ranked, Reader, Runtime, Writer
from combray.types import LIVE_STATUSES, SCOPED_EDGES, TRUSTS, Memory, Version

CHANGES = (
    "content", "category", "importance", "confidence", "tags", "entities", "source", "author", "context",
    "occurred_at", "occurred_to", "valid_from", "valid_to", "expires_at", "tier", "slot", "metadata",
)  # fmt: skip
"""Fields that `update` takes, by the names that `remember` takes them by."""

_KEPT = ("guard", SEPARATED)
"""Metadata of Combray itself, which a caller's new metadata leaves."""
_STORED = {"occurred_at": "occurred_from"}
_TEXT = frozenset(("content", "context"))
_WORDS = frozenset(("content", "context", "tags", "entities", "aliases", "source", "author", "metadata"))
_FOLLOWS: Mapping[type, frozenset[str]] = {
    Guard: _WORDS,
    AssignScope: frozenset(("tags",)),
    ReadTime: frozenset(("content", "occurred_from")),
    ExtractEntities: frozenset(("content",)),
    Embed: _TEXT,
    QueueEmbedding: _TEXT,
}
"""Stages that run again only if one of these fields changes. Other stages before the diff always run."""
_NOT_AGAIN = (Validate, Warn, FindNearest, Diff)


@dataclass(frozen=True, slots=True)
class Revision:
    """Changes of memories of one namespace, by the stages of a write pipeline."""

    pipeline: Pipeline[Remembering]
    runtime: Runtime
    namespace: str
    now: float
    if_version: int | None = None
    """The last version of the memory that the caller has seen; None: any."""

    def update(self, key: int, memory: Memory, fields: Mapping[str, Any]) -> Memory:
        """Change fields; the memory afterwards. Raises InvalidInputError: nothing is written then."""
        return self._write(key, memory, self._checked(memory, fields), "update")

    def restore(self, key: int, memory: Memory, versions: Sequence[Version], number: int) -> Memory:
        """Undo every change from version `number` on. Trust is never raised."""
        known = [each.number for each in versions]
        if number not in known:
            there = f"Versions: {known[0]} to {known[-1]}." if known else "The memory was never changed."
            raise InvalidInputError("version", f"{number!r} is not a version of memory {memory.id}.", there)
        changes: dict[str, Any] = {}
        for each in reversed(versions):
            if each.number >= number:
                changes |= each.before
        if "trust" in changes:
            changes["trust"] = max(changes["trust"], memory.trust, key=TRUSTS.index)
        if "guard" in memory.metadata and "metadata" in changes:
            changes["metadata"] = {**changes["metadata"], "guard": memory.metadata["guard"]}
        return self._write(key, memory, changes, "restore")

    def _checked(self, memory: Memory, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields by the rules of `remember`, under the names they are stored by."""
        unknown = sorted(set(fields) - set(CHANGES))
        if unknown or not fields:
            name, problem = (unknown[0], "cannot be changed.") if unknown else ("changes", "names no field.")
            raise InvalidInputError(name, problem, f"Fields: {', '.join(CHANGES)}.")
        if memory.kind == "chunk" and not _TEXT.isdisjoint(fields):
            raise InvalidInputError(
                "content", "is part of an indexed file.", "Change the file and index it again."
            )
        validate = next((each for each in self.pipeline if isinstance(each, Validate)), Validate())
        item = {"content": "unchanged", **fields, "kind": memory.kind}
        found = validate(Remembering(self.namespace, [item], self.now), self.runtime).drafts[0].memory
        changes = {_STORED.get(name, name): getattr(found, _STORED.get(name, name)) for name in fields}
        if "entities" in changes:
            changes["aliases"] = found.aliases
        if "occurred_from" in changes:
            changes["said_at"] = None
        if "metadata" in changes:
            kept = {name: memory.metadata[name] for name in _KEPT if name in memory.metadata}
            changes["metadata"] = {**kept, **changes["metadata"]}
        return changes

    def _write(self, key: int, memory: Memory, changes: Mapping[str, Any], operation: str) -> Memory:
        """Write the changes. The vector is made outside the transaction: again, if the text changed meanwhile."""
        while True:
            draft, made = self._draft(memory, changes)
            new = with_hash(draft.memory)
            differs = {name for name in Memory.__struct_fields__ if getattr(new, name) != getattr(memory, name)}
            if not differs:
                self._must_be_current(self.runtime.store.reader(self.namespace), key, memory)
                return memory
            with self.runtime.store.transaction(self.namespace) as tx:
                current = next(iter(tx.memories([key])), None)
                if current is None:
                    raise NotFoundError(f"memory {memory.id} was erased a moment ago.")
                self._must_be_current(tx, key, current)
                if full_text(current) == full_text(memory):
                    return self._commit(tx, key, memory, draft, made, new, differs, operation)
            memory = current

    def _must_be_current(self, reader: Reader, key: int, memory: Memory) -> None:
        if self.if_version is None:
            return
        last = max((each.number for each in reader.history(key)), default=0)
        if last != self.if_version:
            raise StaleVersionError(
                f"memory {memory.id} has version {last}, not {self.if_version}. Nothing was changed. "
                "Read it again and repeat the change."
            )

    def _commit(
        self,
        tx: Writer,
        key: int,
        old: Memory,
        draft: Draft,
        made: NDArray[np.int8] | None,
        new: Memory,
        differs: set[str],
        operation: str,
    ) -> Memory:
        embedder = self.runtime.embedder
        self._refuse_twin(tx, key, new, differs)
        if "slot" in differs:
            check_free(tx, new)
        tx.change(key, operation, "user", self.now, **{name: getattr(new, name) for name in sorted(differs)})
        if embedder is not None and not _TEXT.isdisjoint(differs):
            if draft.vector is not None:
                tx.put_vectors(embedder.name, [key], draft.vector[None, :])
            elif new.status == "pending_embed":
                self._queue(tx, embedder.name, key)
        if self.runtime.tokens is not None and not _TEXT.isdisjoint(differs):
            if made is not None:
                tx.put_tokens(self.runtime.tokens.name, [key], [made])
            else:
                self._queue(tx, self.runtime.tokens.name, key)
        state = Remembering(self.namespace, [], self.now, drafts=[draft], tx=tx)
        advise("Link", partial(self._link, key, old, draft), state, self.runtime)
        tx.note(operation, new.id, ", ".join(sorted(differs)), self.now)
        return tx.memories([key])[0]

    def _queue(self, tx: Writer, model: str, key: int) -> None:
        if tx.queue.put(model, [key], self.now):
            return
        # A job is there. The attempts of the old text do not count for the new one. A worker that holds the job
        # finds out by the text that its vector is of no use.
        known = [job for job in tx.queue.jobs(model) if job.key == key and not job.holder]
        tx.queue.update([replace(job, attempts=0, next_at=self.now, failed=False, error="") for job in known])

    def _draft(self, memory: Memory, changes: Mapping[str, Any]) -> tuple[Draft, NDArray[np.int8] | None]:
        """The memory with its changes, as the stages before the diff make it, and the vectors of its tokens."""
        changed = frozenset(name for name, value in changes.items() if getattr(memory, name) != value)
        draft = _unlimited(memory, changes)
        if "content" in changed and "entities" not in changed:
            given = self._entities_given(memory)
            draft.memory = msgspec.structs.replace(draft.memory, entities=given)
        item = {"content": draft.memory.content, "trust": draft.memory.trust}
        state = Remembering(self.namespace, [item], self.now, diff=False, suggest=False, drafts=[draft])
        for stage in self._stages(changed):
            state = traced(stage, state, self.runtime)
        draft = state.drafts[0]
        waits = draft.memory.status == "pending_embed" != memory.status
        if waits and draft.memory.status not in changed and memory.status not in LIVE_STATUSES:
            # What is not live waits for nothing.
            draft.memory = msgspec.structs.replace(draft.memory, status=memory.status)
        return draft, state.tokens.get(draft.memory.id)

    def _stages(self, changed: frozenset[str]) -> Iterator[Any]:
        for stage in self.pipeline:
            if isinstance(stage, Transaction):
                return
            follows = next((names for kind, names in _FOLLOWS.items() if isinstance(stage, kind)), None)
            if not isinstance(stage, _NOT_AGAIN) and (follows is None or not follows.isdisjoint(changed)):
                yield stage

    def _entities_given(self, memory: Memory) -> tuple[str, ...]:
        """The entities that do not come from the text as it was: those stay whatever the text becomes."""
        bare = Draft(msgspec.structs.replace(memory, entities=()))
        state = Remembering(self.namespace, [{}], self.now, drafts=[bare])
        for stage in self.pipeline:
            if isinstance(stage, ExtractEntities):
                stage(state, self.runtime)
        found = {name.casefold() for name in bare.memory.entities}
        return tuple(name for name in memory.entities if name.casefold() not in found)

    def _refuse_twin(self, tx: Writer, key: int, new: Memory, differs: set[str]) -> None:
        if "content_hash" not in differs or new.kind == "episode":
            return
        twin = tx.live_with_hash([new.content_hash]).get(new.content_hash)
        if twin is not None and twin != key:
            (other,) = tx.memories([twin])
            raise InvalidInputError(
                "content", f"is what memory {other.id} says already.", "Update that one, or forget one of them."
            )

    # -- edges -------------------------------------------------------------------------------------

    def _link(self, key: int, old: Memory, draft: Draft, state: Remembering) -> Remembering:
        """Entity edges follow the names; causal and semantic edges the text. Edges made by hand stay."""
        tx, new = state.writer, draft.memory
        names = {name.casefold(): name for name in new.entities}
        before = {name.casefold() for name in old.entities}
        moved = scope_set(old.tags) != scope_set(new.tags)
        if moved:
            # No edge joins two scopes, whoever made it.
            _unlink(tx, tx.links([key], SCOPED_EDGES))
            before = set()
        elif names.keys() != before:
            _unlink(tx, [each for each in _made(tx, key, "entity") if each.reason.casefold() not in names])
        retold = moved or (new.content, new.context) != (old.content, old.context)
        if retold:
            _unlink(tx, _made(tx, key, "semantic"))
        reworded = moved or new.content != old.content
        if reworded:
            _unlink(tx, _made(tx, key, "causal"))
        if new.status not in LIVE_STATUSES or draft.quarantined:
            return state
        where = Filter(within=scope_set(new.tags))
        for linker in walk(self.pipeline.stages):
            if isinstance(linker, LinkEntities):
                added = [name for folded, name in names.items() if folded not in before]
                self._link_entities(tx, key, added, linker, where)
            elif isinstance(linker, LinkSemantic) and retold:
                self._link_nearest(tx, key, draft, linker)
            elif isinstance(linker, LinkCausal) and reworded:
                self._link_causes(tx, key, new, linker)
        return state

    def _link_entities(self, tx: Writer, key: int, added: list[str], linker: LinkEntities, where: Filter) -> None:
        live = tx.profile().memories
        most = 4 * linker.per_entity + 1
        for name, (count, newest) in tx.naming(added, most).items():
            others = _others(tx, key, newest, where)
            if len(others) < linker.per_entity and count > most:
                # Memories of other scopes stand in front.
                others = _others(tx, key, tx.naming([name], count)[name][1], where)
            others = others[: linker.per_entity]
            weight = linker.weight(live, count)
            links = [
                Link(min(key, other), max(key, other), "entity", weight, reason=name) for other in others.tolist()
            ]
            tx.link(links, self.now)

    def _link_nearest(self, tx: Writer, key: int, draft: Draft, linker: LinkSemantic) -> None:
        if draft.vector is None or self.runtime.embedder is None:
            return
        model, vector = self.runtime.embedder.name, draft.vector[None, :]
        where = Filter(within=scope_set(draft.memory.tags))
        (near,) = tx.nearest(model, vector, where, linker.most + 1, linker.minimum)
        others = near.keys != key
        draft.key, draft.nearest = key, Ranked(near.keys[others], near.scores[others])
        linker(Remembering(self.namespace, [], self.now, drafts=[draft], tx=tx), self.runtime)

    def _link_causes(self, tx: Writer, key: int, new: Memory, linker: LinkCausal) -> None:
        """Link the text with the memories before and after it, as if it had always been this text."""
        moment, most = new.moment.timestamp(), linker.look_back
        where = Filter(within=scope_set(new.tags))
        until = replace(where, until=math.nextafter(moment, math.inf))
        before = tx.scan(until, newest_first=True, limit=4 * most + 1).tolist()[::-1]
        after = tx.scan(replace(where, since=moment), limit=most + 1 + len(before)).tolist()
        # Two memories of one moment are in the order of their keys.
        same = set(before).intersection(after)
        before = [other for other in before if other != key and (other < key or other not in same)]
        after = [other for other in after if other != key and (other > key or other not in same)]
        before = before[-most:]
        after = after[:most]
        texts = [Stated(*each) for each in zip([*before, *after], tx.contents([*before, *after]), strict=True)]
        mine = Stated(key, new.content)
        links = [linker.between(each, mine) for each in texts[: len(before)]]
        links += [linker.between(mine, each) for each in texts[len(before) :]]
        tx.link([link for link in links if link is not None], self.now)


def _unlimited(memory: Memory, changes: Mapping[str, Any]) -> Draft:
    """A draft of the changed memory, without the validity that came from its old text.

    Validity that differs from what the old text gives was set by the caller, or by what superseded it.
    """
    was = validity_of(memory.content, tense_of(memory.content), memory.moment)
    read = dict(zip(("valid_from", "valid_to"), was, strict=True))
    given = frozenset(name for name in read if name in changes or getattr(memory, name) != read[name])
    new = msgspec.structs.replace(memory, **changes)
    if memory.said_at is not None and "content" in changes and "occurred_from" not in changes:
        # The old words said when it happened.
        new = msgspec.structs.replace(new, occurred_from=None, occurred_to=None, said_at=None)
    if not {"content", "occurred_from"}.isdisjoint(changes):
        new = msgspec.structs.replace(new, **{name: None for name in read if name not in given})
    return Draft(new, limits_given=given)


def _others(tx: Writer, key: int, keys: Sequence[int], where: Filter) -> Keys:
    """Return those of the keys that pass the filter, in order, without `key`."""
    others = np.array([each for each in keys if each != key], dtype=np.int64)
    return others[tx.eligible(others, where)] if len(others) else others


def _made(tx: Writer, key: int, type_: str) -> list[Link]:
    """Edges of a type at the key that Combray made itself."""
    return [each for each in tx.links([key], (type_,)) if each.created_by == "combray"]


def _unlink(tx: Writer, links: Sequence[Link]) -> None:
    for each in links:
        tx.unlink(each.source, each.target, each.type)
