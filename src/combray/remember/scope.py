"""Scopes: who or what a memory is for, within its namespace."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import msgspec

from combray.errors import InvalidInputError
from combray.remember.state import Remembering
from combray.runtime import Runtime

PREFIX = "scope:"
GLOBAL = "scope:global"
_SCOPE = re.compile(r"global|(?:agent|project|user|custom):[a-zA-Z0-9._:-]+")
_LONGEST = 100


@dataclass(frozen=True)
class AssignScope:
    """Checks the scopes among a draft's tags, and tags one without any as global.

    A scope is the tag `scope:NAME` with the name `global`, `agent:ID`, `project:ID`, `user:ID` or `custom:ID` of
    at most 100 characters from a-z A-Z 0-9 . _ : - (upstream notes 3.2, "Scopes"); letter case does not tell two
    apart. Written down, the default can be asked for like any other: `tags=["scope:global", "scope:agent:a1"]`.
    Raises InvalidInputError for other names.
    """

    needs: ClassVar[tuple[str, ...]] = ("drafts",)
    gives: ClassVar[tuple[str, ...]] = ()

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        for draft in state.drafts:
            scopes = [tag for tag in draft.memory.tags if tag.casefold().startswith(PREFIX)]
            for tag in scopes:
                _check(tag)
            if not scopes:
                draft.memory = msgspec.structs.replace(draft.memory, tags=(*draft.memory.tags, GLOBAL))
        return state


def _check(tag: str) -> None:
    name = tag[len(PREFIX) :]
    if len(name) > _LONGEST or not _SCOPE.fullmatch(name):
        raise InvalidInputError(
            "tags",
            f"{tag!r} is no scope.",
            "Use scope:global, or scope:agent:ID, scope:project:ID, scope:user:ID or scope:custom:ID with an ID "
            "of letters, digits and . _ : -",
        )
