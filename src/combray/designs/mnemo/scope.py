"""Mnemo's scopes: the filter of every search path, applied once more to the fused list."""

from __future__ import annotations

from dataclasses import replace

from combray.forms.recalling import Recalling
from combray.language.scopes import GLOBAL, is_scope, scopes_of
from combray.pipeline import stage
from combray.runtime import Filter, Runtime


def scoped(where: Filter) -> Filter:
    """Return the filter with its scope tags as scopes, and scope:global if it names none.

    Another tag opens no scope: a memory then needs one of the scopes and one of the other tags.
    """
    others = tuple(tag for tag in where.tags if not is_scope(tag))
    return replace(where, scopes=where.scopes or scopes_of(where.tags) or (GLOBAL,), tags=others)


@stage
class ReadScope:
    """Makes the scopes that a question names among its tags its scopes: every read of the recall obeys them.

    Without one it is asked of `scope:global`.
    """

    needs = ("query",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        state.where = scoped(state.where)
        return state


@stage
class FilterScope:
    """Drops candidates outside the scopes asked for, or outside any other filter (Mnemo, stage 8).

    A memory's scopes are its tags `scope:…`; one without any is global. A question names the scopes it wants
    among its tags, and a memory with one of them passes; without a scope it is asked of `scope:global`. The
    search paths obey the same filter before they fill their pools, so nothing is dropped here unless that is
    switched off. A namespace is never left, whatever the scope.
    """

    needs = ("score",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        state.take(state.reader.eligible(state.keys, scoped(state.where)))
        if not len(state.keys):
            state.reason = "nothing that matches is in the scopes and has the tags asked for"
        return state
