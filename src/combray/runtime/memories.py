"""The part of an engine that conversations, answers, prompts and imports use. An `Engine` has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, Unpack, runtime_checkable

from combray.runtime.runtime import Runtime
from combray.runtime.store import Reader
from combray.types import Answer, MemoryItem, RecallOptions, Remembered


@runtime_checkable
class Rememberer(Protocol):
    """A namespace that memories can be written to."""

    @property
    def runtime(self) -> Runtime:
        """The open store, the models and the clock."""

    @property
    def namespace(self) -> str:
        """Name of the namespace."""

    def remember_many(
        self,
        items: Iterable[str | MemoryItem],
        *,
        diff: bool = True,
        batch: int = 256,
        progress: Callable[[int], None] | None = None,
        judged_as: str = "",
        atomic: bool = False,
    ) -> list[Remembered]:
        """Remember every item; the results in order."""


class Space(Protocol):
    """One of the namespaces of a read."""

    @property
    def reader(self) -> Reader:
        """A reader of the namespace."""

    @property
    def trusts(self) -> tuple[str, ...]:
        """Trust levels that reads of it show."""


class Memories(Rememberer, Protocol):
    """A namespace that memories can be written to and recalled from."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Settings in force, by name."""

    @property
    def reader(self) -> Reader:
        """A reader of the namespace."""

    @property
    def trusts(self) -> tuple[str, ...]:
        """Trust levels that reads show."""

    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        preset: Any = None,
        namespaces: Sequence[str] | None = None,
        **options: Unpack[RecallOptions],
    ) -> Answer:
        """The memories that answer a query, best first; `preset` is a name or a `Preset`."""

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        namespaces: Sequence[str] | None = None,
        **options: Unpack[RecallOptions],
    ) -> Answer:
        """Keyword search only."""
