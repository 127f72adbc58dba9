"""What a server does beside its requests: consolidation at an interval, and vectors in a thread."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import anyio
import anyio.to_thread

from combray.engine.opening import warm_up_in_background
from combray.errors import CombrayError, InvalidInputError, StoreBusyError
from combray.records import dataclass
from combray.server.spaces import Spaces

_log = logging.getLogger("combray.server")


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
            for name in await anyio.to_thread.run_sync(spaces.first.store.namespaces):
                await anyio.to_thread.run_sync(_consolidate, spaces, name)


def _consolidate(spaces: Spaces, namespace: str) -> None:
    try:
        spaces.engine(namespace).consolidation.run()
    except StoreBusyError:
        # Another process consolidates.
        return
    except CombrayError:
        _log.exception("consolidation failed; it is tried again at the next interval")
