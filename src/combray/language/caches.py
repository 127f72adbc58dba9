"""Two kinds of cache: values built from the language tables, and values keyed by stored text.

The first kind is emptied when a folder of languages is added or removed. The second kind is also emptied after
an erasure, so that erased text leaves the memory of the process too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")


_built: list[Any] = []
_texts: list[Any] = []


def from_tables(build: Callable[P, T]) -> Callable[P, T]:
    """Cache the results of a function of the language tables until the tables change; a decorator."""
    cached: Any = functools.cache(build)
    _built.append(cached)
    return cast("Callable[P, T]", cached)


def keyed_by_text(cached: T) -> T:
    """Register a `functools` cache whose keys are texts or words; a decorator above `lru_cache`."""
    _texts.append(cached)
    return cached


def forget_texts() -> None:
    """Empty every cache keyed by text. Called after an erasure."""
    for cached in _texts:
        cached.cache_clear()


def forget_tables() -> None:
    """Empty every cache. Called when a folder of languages is added or removed."""
    for cached in (*_built, *_texts):
        cached.cache_clear()
