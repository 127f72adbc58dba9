"""Values that are made late and kept: from the language tables, from stored text, and patterns.

A value of the tables is forgotten when a folder of languages is added or removed. A value keyed by text is also
forgotten after an erasure, so that erased text leaves the memory of the process too.
"""

from __future__ import annotations

import functools
import re
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


class _Late:
    """Stands for a pattern, whose methods it looks up once."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self._source, self._flags), name)
        self.__dict__[name] = value
        return value


def late(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled on first use. Take no method from it at import."""
    return cast("re.Pattern[str]", _Late(source, flags))
