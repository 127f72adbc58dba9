"""Verdicts that a caller gives with a text: the memories it supersedes, and those that hold beside it."""

from __future__ import annotations

from collections.abc import Sequence

from combray.errors import InvalidInputError, NotFoundError
from combray.forms.remembering import TRUSTED, Draft, Remembering, SettledWith
from combray.language.scopes import scope_set
from combray.runtime import Link, Writer
from combray.types import LIVE_STATUSES


def read_verdicts(state: Remembering) -> None:
    """Find the memories that callers name, under the write lock. Raises NotFoundError, InvalidInputError."""
    earlier: list[Draft] = []

    def check(_place: int, draft: Draft) -> None:
        _read_verdict(draft, earlier, state.writer)
        earlier.append(draft)

    state.check_each(check)


def _read_verdict(draft: Draft, earlier: Sequence[Draft], tx: Writer) -> None:
    if draft.supersedes:
        _supersede(draft, earlier, tx)
    if draft.keep_both and not draft.quarantined:
        draft.beside = [_named(each, "keep_both", earlier, tx) for each in draft.keep_both]
        draft.keep_both = tuple(each.memory.id for each in draft.beside)
        replaced = {each.memory.id for each in draft.beside} & set(_replaced_ids(draft, tx))
        if replaced:
            problem = f"memory {min(replaced)} is superseded by the same text."
            raise InvalidInputError("keep_both", problem, "Name it in one of the two.")


def _supersede(draft: Draft, earlier: Sequence[Draft], tx: Writer) -> None:
    """Decide for the memories that the caller named."""
    named = [_named(each, "supersedes", earlier, tx) for each in draft.supersedes]
    gone = {id_ for each in earlier if each.suggestion == "UPDATE" for id_ in _replaced_ids(each, tx)}
    for each in named:
        if each.memory.id in gone:
            problem = f"memory {each.memory.id} is superseded by an earlier item already."
            raise InvalidInputError("supersedes", problem, "Name it once.")
        gone.add(each.memory.id)
        if scope_set(each.memory.tags) != scope_set(draft.memory.tags):
            problem = f"memory {each.memory.id} is in another scope."
            raise InvalidInputError(
                "supersedes", problem, "Give the text the same scope tags, or forget that memory."
            )
    mine = draft.memory.trust
    if mine in TRUSTED or (mine == "untrusted" and all(each.memory.trust == mine for each in named)):
        draft.suggestion, draft.reason = "UPDATE", "supersedes the memory that the caller named"
        draft.matched, draft.twin, draft.also = named[0].key, named[0].draft, named[1:]
        draft.contradicts = False
        return
    draft.suggestion = "ADD" if draft.quarantined else "CONFLICT"
    draft.reason = f"{mine} content supersedes nothing; both are kept"
    draft.matched = draft.twin = None


def _named(memory_id: str, field: str, earlier: Sequence[Draft], tx: Writer) -> SettledWith:
    """The live memory of an id: one of the batch, or a stored one."""
    twin = next((each for each in earlier if each.memory.id == memory_id and not each.skipped), None)
    if twin is not None:
        return SettledWith(twin.memory, draft=twin)
    key = tx.keys_of([memory_id]).get(memory_id)
    if key is None:
        raise NotFoundError(f"{field}: no memory {memory_id!r} in this namespace; give the id of one")
    (memory,) = tx.memories([key])
    if memory.status not in LIVE_STATUSES:
        problem = f"memory {memory.id} is {memory.status}."
        raise InvalidInputError(field, problem, "Name a live memory, or restore that one first.")
    if memory.trust == "quarantined" and field == "keep_both":
        raise InvalidInputError(field, f"memory {memory.id} is quarantined.", "Release it first.")
    return SettledWith(memory, key)


def _replaced_ids(draft: Draft, tx: Writer) -> list[str]:
    if draft.suggestion != "UPDATE":
        return []
    first = [draft.twin.memory] if draft.twin is not None else tx.memories([draft.matched or 0])
    return [each.id for each in (*first, *(target.memory for target in draft.also))]


def keep_both(state: Remembering) -> None:
    """Record that memories hold beside a text, so that nobody is asked about them."""
    links = [
        Link(draft.key, each.stored, "may_revise", 1.0, "both", created_by="remember")
        for draft in state.drafts
        if draft.key is not None
        for each in draft.beside
        if each.stored != draft.key
    ]
    if links:
        state.writer.link(links, state.now)
