"""The protocol of an import's target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from combray.remember.guard import Guard
from combray.runtime import Rememberer

Progress = Callable[[int], None]
"""Called with the number of memories done."""


@runtime_checkable
class Target(Rememberer, Protocol):
    """A namespace to import into, such as an `Engine`."""

    @property
    def guard(self) -> Guard:
        """Judges the texts of an export."""
        ...
