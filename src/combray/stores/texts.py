"""Texts and ids of memories that recalls have read: several stages of a question read those of its candidates."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Mapping

from combray.language.caches import keyed_by_text

MOST_CHARACTERS = 1_000_000
"""Characters that are kept for each namespace, 1 to 4 MB."""


class Texts:
    """Text or id by key. Ids never change; all texts are dropped when a memory gets another one."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}
        self._characters = 0
        self._lock = threading.Lock()
        _EVERY.add(self)

    def of(self, keys: Iterable[int]) -> dict[int, str]:
        """Return the texts of those keys that are kept."""
        texts = self._texts
        return {key: texts[key] for key in keys if key in texts}

    def add(self, texts: Mapping[int, str]) -> None:
        """Keep texts; all others are dropped when there are too many."""
        with self._lock:
            self._characters += sum(map(len, texts.values()))
            if self._characters > MOST_CHARACTERS:
                self._texts, self._characters = {}, 0
            else:
                self._texts.update(texts)

    def clear(self) -> None:
        """Drop all texts."""
        with self._lock:
            # Not emptied: a reader may be looking texts up.
            self._texts, self._characters = {}, 0


_EVERY: weakref.WeakSet[Texts] = weakref.WeakSet()


@keyed_by_text
class _Every:
    """All texts of this process, as `caches.forget_texts` empties them."""

    @staticmethod
    def cache_clear() -> None:
        for each in list(_EVERY):
            each.clear()
