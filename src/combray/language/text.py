"""A text that is read once: every room computes its values from one `Text`, and all rooms share them.

A value is made when it is first asked for. The latest texts are kept, so that the stages of a write, and the next
writes that compare themselves with the same memories, do not read them again.
"""

from __future__ import annotations

import functools
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

from combray.language.caches import keyed_by_text
from combray.language.folding import fold, plain, runs

T = TypeVar("T")

MOST_CHARACTERS = 1_000_000
"""Characters of the texts that are kept, so that the stages of a batch of 256 long messages share them.

A character takes up to eighty bytes with all that is read from it.
"""
_QUESTIONS = 8
"""Questions that are kept: those that are asked at the same time."""
_CANDIDATES = 64
"""Texts of candidates that are kept: those of one question."""
LEFT_CHARACTERS, MOST_TEXTS = 250_000, 4_096
"""Characters that stay when a write is done, and texts: 20 MB."""


class Text:
    """A text and what was read from it. The values are shared, so they are immutable."""

    __slots__ = ("found", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: dict[Any, Any] = {}
        """Values by the function that made them."""


Written = str | Text
"""What a room reads: a text, or a `Text` at hand."""


class _Kept:
    """The latest texts, the oldest dropped first."""

    def __init__(self) -> None:
        self.texts: dict[str, Text] = {}
        # A dict whose first entries were removed takes longer and longer to find the first one.
        self._order: deque[str] = deque()
        self._lock = threading.Lock()
        self._characters = 0

    def add(self, text: str) -> Text:
        made = Text(text)
        if len(text) > MOST_CHARACTERS // 4:
            return made
        with self._lock:
            known = self.texts.setdefault(text, made)
            if known is made:
                self._order.append(text)
                self._characters += len(text)
            self._drop(MOST_CHARACTERS)
        return known

    def trim(self) -> None:
        with self._lock:
            self._drop(LEFT_CHARACTERS)

    def _drop(self, most: int) -> None:
        while self._characters > most or len(self.texts) > MOST_TEXTS:
            oldest = self._order.popleft()
            del self.texts[oldest]
            self._characters -= len(oldest)

    def cache_clear(self) -> None:
        with self._lock:
            self.texts.clear()
            self._order.clear()
            self._characters = 0


_kept = keyed_by_text(_Kept())


@keyed_by_text
@functools.lru_cache(maxsize=_QUESTIONS)
def question_of(text: str) -> Text:
    """Return the `Text` of a question, which the stages of a recall share. It displaces no kept text."""
    return _kept.texts.get(text) or Text(text)


@keyed_by_text
@functools.lru_cache(maxsize=_CANDIDATES)
def candidate_of(text: str) -> Text:
    """Return the `Text` of a candidate, which the stages of a recall share. It displaces no kept text."""
    return _kept.texts.get(text) or Text(text)


def trim() -> None:
    """Forget all but the latest texts. Called after a write."""
    _kept.trim()


def text_of(text: Written) -> Text:
    """Return the `Text` of a text, and keep it for the next reader."""
    if type(text) is not str:
        return text if isinstance(text, Text) else _kept.add(str(text))
    return _kept.texts.get(text) or _kept.add(text)


def passing(text: Written) -> Text:
    """Return the `Text` of a text without keeping it: for single words, names and parts of a text."""
    if type(text) is not str:
        return text if isinstance(text, Text) else Text(str(text))
    return _kept.texts.get(text) or Text(text)


def read_once(read: Callable[[Text], T]) -> Callable[[Written], T]:
    """Make a function of a text that computes its value once; a decorator. The value must be immutable."""

    @functools.wraps(read)
    def value_of(text: Written) -> T:
        # As in `text_of`: this is called a hundred times for each text that is written.
        known = text if type(text) is Text else _kept.texts.get(text) or text_of(text)  # type: ignore[arg-type]
        try:
            return known.found[read]  # type: ignore[no-any-return]
        except KeyError:
            value = known.found[read] = read(known)
            return value

    return value_of


@read_once
def plain_of(text: Text) -> str:
    """Return the text in the spelling of `folding.plain`."""
    return plain(text.text)


@read_once
def fold_of(text: Text) -> str:
    """Return the text in the spelling of `folding.fold`."""
    return plain_of(text) if text.text.isascii() else fold(text.text)


@read_once
def plain_runs(text: Text) -> tuple[str, ...]:
    """Return the runs of letters and digits of the `plain` text, in order."""
    return tuple(runs(plain_of(text)))


@read_once
def plain_words(text: Text) -> frozenset[str]:
    """Return the distinct runs of letters and digits of the `plain` text."""
    return frozenset(plain_runs(text))


@read_once
def fold_words(text: Text) -> frozenset[str]:
    """Return the distinct runs of letters and digits of the folded text."""
    return plain_words(text) if text.text.isascii() else frozenset(runs(fold_of(text)))
