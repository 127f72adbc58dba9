"""Fields of a record whose values are computed when they are first read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

C = TypeVar("C")


class _OnReading:
    """A slot that may hold a function of no arguments. The first read replaces it by what it returns."""

    def __init__(self, slot: Any) -> None:
        self._slot = slot

    def __get__(self, record: Any, owner: type | None = None) -> Any:
        if record is None:
            return self
        value = self._slot.__get__(record, owner)
        if callable(value):
            value = value()
            self._slot.__set__(record, value)
        return value

    def __set__(self, record: Any, value: Any) -> None:
        self._slot.__set__(record, value)


def deferred(*names: str) -> Callable[[type[C]], type[C]]:
    """Let fields of a class with slots be given as functions, which are called on the first read; a decorator.

    Everything that looks at the field reads it: a comparison, `repr`, `fields`, `copy` and `pickle`.
    """

    def apply(cls: type[C]) -> type[C]:
        for name in names:
            setattr(cls, name, _OnReading(getattr(cls, name)))
        return cls

    return apply
