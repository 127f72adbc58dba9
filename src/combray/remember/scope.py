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


@dataclass(frozen=True)
class AssignScope:
    """Checks the scopes among a draft's tags, and tags one without any as global.

    A scope is the tag `scope:NAME` with the name `global`, `agent:ID`, `project:ID`, `user:ID` or `custom:ID` of
    characters from a-z A-Z 0-9 . _ : - ; letter case does not matter. The default is stored, so that
    it can be asked for like any other scope: `tags=["scope:global", "scope:agent:a1"]`. Raises InvalidInputError
    for other names. Source: Mnemo, see docs/reference/presets.md.
    """

    needs: ClassVar[tuple[str, ...]] = ("drafts",)
    gives: ClassVar[tuple[str, ...]] = ()
    longest: int = 100
    """Characters of a scope's name."""

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        for draft in state.drafts:
            scopes = [tag for tag in draft.memory.tags if tag.casefold().startswith(PREFIX)]
            for tag in scopes:
                self._check(tag)
            if not scopes:
                draft.memory = msgspec.structs.replace(draft.memory, tags=(*draft.memory.tags, GLOBAL))
        return state

    def _check(self, tag: str) -> None:
        name = tag[len(PREFIX) :]
        if len(name) > self.longest or not _SCOPE.fullmatch(name):
            raise InvalidInputError(
                "tags",
                f"{tag!r} is not a scope.",
                "Use scope:global, or scope:agent:ID, scope:project:ID, scope:user:ID or scope:custom:ID with an "
                "ID of letters, digits and . _ : -",
            )
