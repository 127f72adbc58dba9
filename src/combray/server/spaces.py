"""The engine of each namespace, calls of it, and what runs beside the requests.

The engine is synchronous and safe for threads. A pool bounds how many calls compete for the processor. Threads
beyond the processors help where calls wait: for the disk, where writes share a flush, or for a model
(docs/decisions/0032-http.md).
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from threading import Lock
from typing import Any, TypeVar

import anyio
import anyio.to_thread

from combray.audit.audited import acting_as
from combray.engine import Engine, interruptible
from combray.engine.opening import warm_up_in_background
from combray.engine.receipts import Receipt, RepeatedError, receipted, receipting, repeated_result
from combray.errors import InvalidInputError, StoreBusyError, StoreError
from combray.records import dataclass, replace
from combray.server.access import Limits
from combray.server.measures import stages
from combray.server.problems import HttpError
from combray.server.results import with_outcome
from combray.verbs.binding import Call
from combray.verbs.signature import result

MOST_OPEN = 256
"""Namespaces whose engines are kept. One that is left out writes its access counts."""
T = TypeVar("T")
_log = logging.getLogger("combray.server")


class TooSlowError(Exception):
    """Raised at a step of a call whose time is over."""


@dataclass(frozen=True, slots=True)
class Wish:
    """One call of one caller."""

    call: Call
    namespace: str
    actor: str
    receipt: Receipt | None = None
    in_path: Mapping[str, str] | None = None


class Spaces:
    """Engines by namespace over one open store. Safe for threads."""

    def __init__(self, engine: Engine, limits: Limits) -> None:
        at = engine._at
        runtime = replace(at.runtime, store=receipting(at.runtime.store, at.runtime.clock))
        self.first = engine
        self.limits = limits
        self.working = 0
        self._root = Engine(runtime, at.namespace, at.preset, at.settings, at.background)
        self._open: OrderedDict[str, Engine] = OrderedDict()
        self._lock = Lock()
        self._under_way: set[tuple[str, str]] = set()
        self._threads: anyio.CapacityLimiter | None = None

    def engine(self, namespace: str) -> Engine:
        """Return the engine of a namespace. Raises InvalidInputError for an impossible name."""
        with self._lock:
            if namespace in self._open:
                self._open.move_to_end(namespace)
                return self._open[namespace]
        made = self._root.within(namespace)
        made._at.after_write = self.first._at.after_write
        with self._lock:
            made = self._open.setdefault(namespace, made)
            oldest = self._open.popitem(last=False)[1] if len(self._open) > MOST_OPEN else None
        if oldest is not None:
            oldest._at.flush()
        return made

    def close(self) -> None:
        """Write the access counts of every namespace and close the store."""
        for each in self._open.values():
            each._at.flush()
        self.first.close()

    async def run(self, work: Callable[[], T]) -> T:
        """Run work in the pool. Raises HttpError if too much of it waits, or its time is over."""
        if self.working >= self.limits.requests:
            raise HttpError(503, "The server is busy. Try again.", headers={"Retry-After": "1"})
        if self._threads is None:
            self._threads = anyio.CapacityLimiter(self.limits.threads)
        until = time.monotonic() + self.limits.seconds

        def follow(_step: str) -> None:
            if time.monotonic() > until:
                raise TooSlowError

        def bounded() -> T:
            follow("")
            with stages(follow) as followed, interruptible(followed):
                return work()

        self.working += 1
        try:
            return await anyio.to_thread.run_sync(bounded, limiter=self._threads)
        except TooSlowError as error:
            sentence = f"The request took longer than {self.limits.seconds:g} seconds. Nothing was written."
            raise HttpError(503, sentence, headers={"Retry-After": "5"}) from error
        finally:
            self.working -= 1

    async def carry_out(self, wish: Wish) -> tuple[Any, bool]:
        """Return the result of a call, and whether it is that of an earlier request with the same key.

        Raises CombrayError, HttpError.
        """
        receipt = wish.receipt
        if receipt is None:
            return await self.run(lambda: self._called(wish)), False
        request = wish.namespace, receipt.key
        if request in self._under_way:
            raise HttpError(
                409, "A request with this Idempotency-Key is under way. Try again.", headers={"Retry-After": "1"}
            )
        self._under_way.add(request)
        try:
            return await self.run(lambda: self._once(wish, receipt))
        finally:
            self._under_way.discard(request)

    def _called(self, wish: Wish) -> Any:
        with acting_as(wish.actor):
            owner = wish.call.owner(self.engine(wish.namespace))
            return with_outcome(wish.call.verb, wish.call.on(owner), owner)

    def _once(self, wish: Wish, receipt: Receipt) -> tuple[Any, bool]:
        engine = self.engine(wish.namespace)
        kept = receipt.known(engine.reader.kept(receipt.place))
        if kept is None:
            try:
                with receipted(receipt):
                    return self._called(wish), False
            except RepeatedError as repeated:
                kept = repeated.kept
        if kept.request != receipt.request:
            raise HttpError(409, "This Idempotency-Key was used for another request. Make a new key.")
        found = repeated_result(engine, result(wish.call.verb), kept, wish.in_path or {})
        return (self._called(wish) if found is None else found), True

    def alive(self) -> bool:
        """Whether the store answers."""
        try:
            self.first.reader.revision()
        except StoreError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Schedule:
    """`consolidate_every`: seconds between two runs in every namespace; 0: none."""

    consolidate_every: float = 0.0

    @asynccontextmanager
    async def running(self, spaces: Spaces) -> AsyncIterator[None]:
        """Run until the block ends. A run of consolidation that has begun ends first."""
        engine = spaces.first
        warm_up_in_background(engine)
        if engine.runtime.embedder is not None and engine.runtime.store.writable:
            with suppress(InvalidInputError):
                engine.vectors.start_worker()
        async with anyio.create_task_group() as tasks:
            if self.consolidate_every:
                tasks.start_soon(self._consolidating, spaces)
            try:
                yield
            finally:
                tasks.cancel_scope.cancel()

    async def _consolidating(self, spaces: Spaces) -> None:
        while True:
            await anyio.sleep(self.consolidate_every)
            for name in await anyio.to_thread.run_sync(_logging, spaces.first.store.namespaces) or ():
                await anyio.to_thread.run_sync(_logging, partial(_consolidate, spaces, name))


def _consolidate(spaces: Spaces, namespace: str) -> None:
    spaces.engine(namespace).consolidation.run()


def _logging(work: Callable[[], T]) -> T | None:
    """Do work beside the requests, and log a failure."""
    try:
        return work()
    except StoreBusyError:
        # Another process consolidates.
        return None
    except Exception:  # noqa: BLE001 - raised, it would end the schedule for good
        _log.exception("consolidation failed; it is tried again at the next interval")
        return None
