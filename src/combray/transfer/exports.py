"""Export a namespace as JSON lines that `import_from` restores exactly."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Protocol

import numpy as np

from combray.errors import StoreBusyError
from combray.runtime import Filter, Reader, Store
from combray.transfer.records import edge_line, header, memory_line, version_line

_EVERYTHING = Filter(statuses=(), trusts=())
_AT_ONCE = 1000
_TRIES = 5


class TextSink(Protocol):
    """A writable text stream."""

    def write(self, text: str, /) -> object:
        """Write the text."""
        ...


def export_to(store: Store, namespace: str, stream: TextSink) -> int:
    """Write every memory of any status, its history and all edges. Return the number of memories.

    The output is deterministic, and importing it into an empty namespace of the same name and exporting that
    gives the same bytes. Vectors, the operation log and the keyword index are omitted because an import rebuilds
    them. Open the file with `encoding="utf-8", newline="\\n"`. Raises StoreBusyError if another process writes
    during each of five attempts to read a consistent state.
    """
    reader = store.reader(namespace)
    for _ in range(_TRIES):
        revision = reader.revision()
        keys = [int(key) for key in np.sort(reader.scan(_EVERYTHING))]
        memories = list(_memory_lines(reader, keys))
        versions = [version_line(each) for key in keys for each in reader.history(key)]
        edges = [edge_line(edge) for edge in reader.edges()]
        if reader.revision() == revision:
            first = header(namespace, len(memories), len(versions), len(edges))
            for line in chain([first], memories, versions, edges):
                stream.write(line)
            return len(memories)
    raise StoreBusyError(
        f"namespace {namespace!r} of {store.location} changed during each of {_TRIES} attempts to export it. "
        "Make a backup and export that."
    )


def _memory_lines(reader: Reader, keys: list[int]) -> Iterator[str]:
    for start in range(0, len(keys), _AT_ONCE):
        yield from map(memory_line, reader.memories(keys[start : start + _AT_ONCE]))
