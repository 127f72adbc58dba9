"""The facets of the engine. Each is made, and its module imported, on first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from combray.engine.namespace import Verbs

if TYPE_CHECKING:
    from combray.engine.audit import AuditTrail
    from combray.engine.consolidation import Consolidation
    from combray.engine.documents import Documents
    from combray.engine.entities import Entities
    from combray.engine.extraction import Extraction
    from combray.engine.prompts import Prompts
    from combray.engine.quarantine import Quarantine
    from combray.engine.retention import Retention
    from combray.engine.store import OpenStore
    from combray.engine.vectors import Vectors
    from combray.engine.views import Views

F = TypeVar("F")


class facet(Generic[F]):  # noqa: N801 - used as a decorator, like property
    """Like `functools.cached_property`, but of two threads that come first at once, both get the same object."""

    def __init__(self, make: Callable[[Any], F]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, engine: None, owner: type) -> Self: ...
    @overload
    def __get__(self, engine: object, owner: type) -> F: ...
    def __get__(self, engine: object | None, owner: type) -> Self | F:
        if engine is None:
            return self
        # `setdefault` is atomic; from then on the instance's own attribute is found first.
        made: F = engine.__dict__.setdefault(self._name, self._make(engine))
        return made


class Facets(Verbs):
    """The verbs of a namespace, and the facets."""

    @facet
    def documents(self) -> Documents:
        """Folders of Markdown and transcripts."""
        from combray.engine.documents import Documents

        return Documents(self._at)

    @facet
    def audit(self) -> AuditTrail:
        """Who read and wrote what."""
        from combray.engine.audit import AuditTrail

        return AuditTrail(self._at)

    @facet
    def quarantine(self) -> Quarantine:
        """Texts that the guard quarantined."""
        from combray.engine.quarantine import Quarantine

        return Quarantine(self._at)

    @facet
    def vectors(self) -> Vectors:
        """The embedding queue and its worker."""
        from combray.engine.vectors import Vectors

        return Vectors(self._at)

    @facet
    def extraction(self) -> Extraction:
        """The queue of turns that a language model reads for facts."""
        from combray.engine.extraction import Extraction

        return Extraction(self._at)

    @facet
    def consolidation(self) -> Consolidation:
        """Merging, contradictions, distillation."""
        from combray.engine.consolidation import Consolidation

        return Consolidation(self._at, self.vectors, lambda: self.extraction)

    @facet
    def retention(self) -> Retention:
        """Memories to drop or keep."""
        from combray.engine.retention import Retention

        return Retention(self._at)

    @facet
    def entities(self) -> Entities:
        """Names of things, and their other names."""
        from combray.engine.entities import Entities

        return Entities(self)

    @facet
    def prompts(self) -> Prompts:
        """What the prompts of a session are given at its start, and what they hold."""
        from combray.engine.prompts import Prompts

        return Prompts(self)

    @facet
    def store(self) -> OpenStore:
        """Status, backup and export."""
        from combray.engine.store import OpenStore

        return OpenStore(self._at)

    @facet
    def views(self) -> Views:
        """The store as a graph and as a timeline."""
        from combray.engine.views import Views

        return Views(self._at)
