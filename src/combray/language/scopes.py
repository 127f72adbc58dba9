"""Scopes: tags `scope:NAME` that keep memories of one namespace apart. A memory without one is global."""

from __future__ import annotations

import re
from collections.abc import Iterable

PREFIX = "scope:"
GLOBAL = "scope:global"
LONGEST = 100
"""Characters of a scope's name."""
_NAME = re.compile(r"global|(?:agent|project|user|custom):[a-zA-Z0-9._:-]+")


def is_scope(tag: str) -> bool:
    """Return whether a tag is a scope, in any letter case."""
    # `lower`, not `casefold`: the store finds the prefix in ASCII letters only.
    return tag[: len(PREFIX)].lower() == PREFIX


def is_scope_name(name: str, longest: int = LONGEST) -> bool:
    """Return whether a scope can have this name: global, or agent, project, user or custom with `:` and an id."""
    return len(name) <= longest and _NAME.fullmatch(name) is not None


def scopes_of(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the scopes among the tags, as written."""
    return tuple(tag for tag in tags if is_scope(tag))


def scope_set(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the scopes among the tags in one form: case-folded, distinct, sorted; () for the global scope alone.

    Two memories are in one scope if this is equal.
    """
    if not tags:
        return ()
    found = tuple(sorted({tag.casefold() for tag in scopes_of(tags)}))
    return () if found == (GLOBAL,) else found
