"""Threads for calls to peers: few, and never in the way of the program's end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from combray.errors import ModelError

MOST_OPEN = 16

T = TypeVar("T")


class Threads:
    """Implements `runtime.Start` with one daemon thread a call.

    No ThreadPoolExecutor: the interpreter waits for its threads when it ends, so that a peer that hangs
    would hold up the shell.
    """

    def __init__(self, most: int = MOST_OPEN) -> None:
        self._most = most
        self._free = threading.BoundedSemaphore(most)

    def __call__(self, work: Callable[[], T]) -> Future[T]:
        """Start it; the future holds a ModelError when too many calls hang already."""
        future: Future[T] = Future()
        if not self._free.acquire(blocking=False):
            future.set_exception(ModelError(f"{self._most} calls to peers are still open"))
            return future

        def run() -> None:
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001 - the future hands it to whoever asks for the result
                self._free.release()
                future.set_exception(error)
            else:
                self._free.release()
                future.set_result(result)

        try:
            threading.Thread(target=run, name="combray-peer", daemon=True).start()
        except RuntimeError as error:
            self._free.release()
            future.set_exception(ModelError(f"no thread for a call to a peer: {error}"))
        return future
