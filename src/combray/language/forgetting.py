"""Caches that are keyed by stored texts or words, so that what is erased leaves the memory of the process too."""

from __future__ import annotations

from typing import Protocol, TypeVar


class _Cache(Protocol):
    def cache_clear(self) -> None: ...


C = TypeVar("C", bound=_Cache)
_caches: list[_Cache] = []


def forgettable(cached: C) -> C:
    """Have `forget_texts` empty a cache of `functools`; a decorator, outside of the one that makes it."""
    _caches.append(cached)
    return cached


def forget_texts() -> None:
    """Let go of every text and word that was read: erased ones must not stay in memory."""
    for cached in _caches:
        cached.cache_clear()
