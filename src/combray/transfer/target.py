"""What an import writes to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from combray.remember.guard import Guard
from combray.runtime import Rememberer

Progress = Callable[[int], None]
"""Called with how many memories are done."""


@runtime_checkable
class Target(Rememberer, Protocol):
    """A namespace to import into; an `Engine` is one."""

    @property
    def guard(self) -> Guard:
        """Judges the texts of an export."""
        ...
