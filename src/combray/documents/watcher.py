"""Watch files for changes, in a thread that waits for notifications of the operating system."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Self

from combray.documents.ignoring import NAMES
from combray.documents.workspace import IGNORED
from combray.errors import MissingExtraError
from combray.runtime import Workspace

if TYPE_CHECKING:
    import watchfiles

DEBOUNCE = 1.5
"""Seconds over which changes are collected. Source: OpenClaw's watchDebounceMs."""
_STEP = 0.1
_SUFFIXES = (".md", ".jsonl")


class Watcher:
    """Calls `changed` with paths, from its own thread, soon after files of a workspace change.

    Use it as a context manager, or call `close`. Raises MissingExtraError without the package watchfiles.
    """

    def __init__(self, workspace: Workspace, changed: Callable[[set[str]], None]) -> None:
        self.workspace = workspace
        self._stop = threading.Event()
        self._batches = changes(workspace, self._stop)
        self._thread = threading.Thread(target=self._wait, args=(changed,), name="combray-watch", daemon=True)
        self._thread.start()

    def _wait(self, changed: Callable[[set[str]], None]) -> None:
        for paths in self._batches:
            changed(paths)

    @property
    def alive(self) -> bool:
        """Whether it is still watching."""
        return self._thread.is_alive() and not self._stop.is_set()

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        self._thread.join(timeout=2 * DEBOUNCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def changes(
    workspace: Workspace, stop: threading.Event | None = None, *, ready: bool = False
) -> Iterator[set[str]]:
    """Yield sets of changed paths until `stop` is set. Raises MissingExtraError at once.

    With `ready`, an empty set comes first, as soon as every later change is seen.
    """
    try:
        import watchfiles
    except ImportError as error:
        raise MissingExtraError("watching files", "watch") from error
    places = [workspace.root, *workspace.extra, *workspace.sessions]

    def matters(_: watchfiles.Change, path: str) -> bool:
        return path.lower().endswith((*_SUFFIXES, *NAMES)) and not _is_ignored(path, places)

    bursts = watchfiles.watch(
        *dict.fromkeys(place for place in places if Path(place).exists()),
        watch_filter=matters,
        debounce=round(DEBOUNCE * 1000),
        step=round(_STEP * 1000),
        stop_event=stop,
        # Milliseconds after which an empty set comes if nothing changed.
        rust_timeout=500 if ready else 5000,
        yield_on_timeout=ready,
        raise_interrupt=True,
    )
    return _sets(bursts, ready)


def _is_ignored(path: str, places: Iterable[str]) -> bool:
    """Return whether a folder that is never indexed holds a file. Folders above the workspace do not count."""
    within = [Path(path).relative_to(place).parts for place in places if Path(path).is_relative_to(place)]
    return bool(within) and all(map(IGNORED.intersection, within))


def _sets(bursts: Iterator[set[tuple[watchfiles.Change, str]]], ready: bool) -> Iterator[set[str]]:
    for burst in bursts:
        if burst or ready:
            yield {path for _, path in burst}
        ready = False
