"""The engine for asyncio: the same verbs and facets with the same parameters, each call in a worker thread."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, Concatenate, NoReturn, ParamSpec, Self, TypeVar, cast

from combray.conversation.turns import Conversation
from combray.engine.audit import AuditTrail
from combray.engine.consolidation import Consolidation
from combray.engine.documents import Documents
from combray.engine.engine import Engine
from combray.engine.entities import Entities
from combray.engine.extraction import Extraction
from combray.engine.opening import open as open_engine
from combray.engine.prompts import Prompts
from combray.engine.quarantine import Quarantine
from combray.engine.retention import Retention
from combray.engine.store import OpenStore
from combray.engine.vectors import Vectors
from combray.engine.views import Views

P = ParamSpec("P")
T = TypeVar("T")
_END = object()


def awaited(verb: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]:
    """A verb of the synchronous object behind this one, awaitable, with the same parameters."""

    @functools.wraps(verb)
    async def call(owner: Any, /, *args: P.args, **options: P.kwargs) -> T:
        return cast(T, await asyncio.to_thread(getattr(owner._sync, verb.__name__), *args, **options))

    return call


def iterated(verb: Callable[Concatenate[Any, P], Iterator[T]]) -> Callable[Concatenate[Any, P], AsyncIterator[T]]:
    """A verb that gives an iterator, as one to be read with `async for`; each step runs in a worker thread."""

    @functools.wraps(verb)
    async def steps(owner: Any, /, *args: P.args, **options: P.kwargs) -> AsyncIterator[T]:
        iterator = await asyncio.to_thread(getattr(owner._sync, verb.__name__), *args, **options)
        while (each := await asyncio.to_thread(next, iterator, _END)) is not _END:
            yield cast(T, each)

    return steps


def _opener(opened: Callable[P, Engine]) -> Callable[P, Coroutine[Any, Any, AsyncEngine]]:
    @functools.wraps(opened)
    async def call(*args: P.args, **options: P.kwargs) -> AsyncEngine:
        return AsyncEngine(await asyncio.to_thread(opened, *args, **options))

    return call


class _Facet:
    def __init__(self, facet: object) -> None:
        self._sync = facet


class AsyncConversation:
    """`engine.conversation(session)` for asyncio. `session` and `saved` are read from `.conversation`."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = self._sync = conversation

    add = awaited(Conversation.add)
    add_many = awaited(Conversation.add_many)
    prefetched = awaited(Conversation.prefetched)
    context = awaited(Conversation.context)
    wait = awaited(Conversation.wait)
    turns = awaited(Conversation.turns)


class AsyncDocuments(_Facet):
    """`engine.documents` for asyncio."""

    index = awaited(Documents.index)
    drop = awaited(Documents.drop)
    watch = awaited(Documents.watch)
    follow = iterated(Documents.follow)
    search = awaited(Documents.search)
    read = awaited(Documents.read)
    folders = awaited(Documents.folders)


class AsyncAuditTrail(_Facet):
    """`engine.audit` for asyncio."""

    entries = awaited(AuditTrail.entries)
    certificates = awaited(AuditTrail.certificates)
    lines = iterated(AuditTrail.lines)
    verify = awaited(AuditTrail.verify)
    record_read = awaited(AuditTrail.record_read)


class AsyncPrompts(_Facet):
    """`engine.prompts` for asyncio."""

    digest = awaited(Prompts.digest)
    forget_shown = awaited(Prompts.forget_shown)


class AsyncQuarantine(_Facet):
    """`engine.quarantine` for asyncio."""

    list = awaited(Quarantine.list)
    release = awaited(Quarantine.release)


class AsyncEntities(_Facet):
    """`engine.entities` for asyncio."""

    list = awaited(Entities.list)
    alias = awaited(Entities.alias)
    merge = awaited(Entities.merge)
    separate = awaited(Entities.separate)


class AsyncExtraction(_Facet):
    """`engine.extraction` for asyncio."""

    read = awaited(Extraction.read)
    set_aside = awaited(Extraction.set_aside)
    status = awaited(Extraction.status)
    wake = awaited(Extraction.wake)
    stop_worker = awaited(Extraction.stop_worker)


class AsyncConsolidation(_Facet):
    """`engine.consolidation` for asyncio."""

    run = awaited(Consolidation.run)
    runs = awaited(Consolidation.runs)
    changes = awaited(Consolidation.changes)
    waiting = awaited(Consolidation.waiting)
    undo = awaited(Consolidation.undo)
    undo_merge = awaited(Consolidation.undo_merge)


class AsyncVectors(_Facet):
    """`engine.vectors` for asyncio."""

    make = awaited(Vectors.make)
    catch_up = awaited(Vectors.catch_up)
    pending = awaited(Vectors.pending)
    retry_failed = awaited(Vectors.retry_failed)
    reembed = awaited(Vectors.reembed)
    outdated = awaited(Vectors.outdated)
    start_worker = awaited(Vectors.start_worker)
    stop_worker = awaited(Vectors.stop_worker)


class AsyncRetention(_Facet):
    """`engine.retention` for asyncio."""

    candidates = awaited(Retention.candidates)
    review = awaited(Retention.review)
    keep = awaited(Retention.keep)
    derived = awaited(Retention.derived)


class AsyncStore(_Facet):
    """`engine.store` for asyncio."""

    namespaces = awaited(OpenStore.namespaces)
    status = awaited(OpenStore.status)
    metrics = awaited(OpenStore.metrics)
    tier = awaited(OpenStore.tier)
    revision = awaited(OpenStore.revision)
    known = awaited(OpenStore.known)
    log = awaited(OpenStore.log)
    doctor = awaited(OpenStore.doctor)
    backup = awaited(OpenStore.backup)
    export_to = awaited(OpenStore.export_to)
    import_from = awaited(OpenStore.import_from)
    import_file = awaited(OpenStore.import_file)


class AsyncViews(_Facet):
    """`engine.views` for asyncio."""

    graph = awaited(Views.graph)
    timeline = awaited(Views.timeline)
    recall = awaited(Views.recall)


class AsyncEngine:
    """`await engine.recall(...)` and every other verb of `Engine`, without blocking the event loop.

    Properties (`namespace`, `preset`, `settings`, `runtime`) are read from `.engine`. Facets have the same names.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = self._sync = engine
        self.documents = AsyncDocuments(engine.documents)
        self.audit = AsyncAuditTrail(engine.audit)
        self.entities = AsyncEntities(engine.entities)
        self.quarantine = AsyncQuarantine(engine.quarantine)
        self.extraction = AsyncExtraction(engine.extraction)
        self.consolidation = AsyncConsolidation(engine.consolidation)
        self.vectors = AsyncVectors(engine.vectors)
        self.retention = AsyncRetention(engine.retention)
        self.store = AsyncStore(engine.store)
        self.views = AsyncViews(engine.views)

    open = staticmethod(_opener(open_engine))

    remember = awaited(Engine.remember)
    remember_many = awaited(Engine.remember_many)
    recall = awaited(Engine.recall)
    search = awaited(Engine.search)
    search_memory = awaited(Engine.search_memory)
    context = awaited(Engine.context)
    think = awaited(Engine.think)
    extract = awaited(Engine.extract)
    get = awaited(Engine.get)
    history = awaited(Engine.history)
    list = awaited(Engine.list)
    update = awaited(Engine.update)
    forget = awaited(Engine.forget)
    restore = awaited(Engine.restore)
    erase = awaited(Engine.erase)
    settle = awaited(Engine.settle)
    unsettled = awaited(Engine.unsettled)
    chain = awaited(Engine.chain)
    link = awaited(Engine.link)
    related = awaited(Engine.related)
    close = awaited(Engine.close)

    def conversation(self, session: str) -> AsyncConversation:
        """Return the conversation with that session id; its verbs are awaitable."""
        return AsyncConversation(self.engine.conversation(session))

    def within(self, namespace: str) -> AsyncEngine:
        """An engine on another namespace of the same open store. Close only the first engine."""
        return AsyncEngine(self.engine.within(namespace))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            problem = "is no method; read it from .engine" if hasattr(Engine, name) else "does not exist"
            raise AttributeError(f"AsyncEngine.{name} {problem}", name=name, obj=self)
