"""Export a namespace as JSON lines that `import_from` restores exactly."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Protocol

import numpy as np

from combray.errors import StoreBusyError
from combray.runtime import Filter, Store
from combray.transfer.records import header, line
from combray.where import Condition

_EVERYTHING = Filter(statuses=(), trusts=())
_AT_ONCE = 1000
_TRIES = 5


class TextSink(Protocol):
    """A writable text stream."""

    def write(self, text: str, /) -> object:
        """Write the text."""
        ...


def export_to(store: Store, namespace: str, stream: TextSink, condition: Condition | None = None) -> int:
    """Write every memory of any status, its history and all edges. Return the number of memories.

    The output is deterministic, and importing it into an empty namespace of the same name and exporting that
    gives the same bytes. Vectors, the operation log and the keyword index are omitted because an import rebuilds
    them. Open the file with `encoding="utf-8", newline="\\n"`. Raises StoreBusyError if another process writes
    during each of five attempts to read a consistent state.
    """
    reader = store.reader(namespace)
    for _ in range(_TRIES):
        revision = reader.revision()
        keys = [int(key) for key in np.sort(reader.scan(replace(_EVERYTHING, condition=condition)))]
        batches = (keys[start : start + _AT_ONCE] for start in range(0, len(keys), _AT_ONCE))
        memories = [line("memory", each) for batch in batches for each in reader.memories(batch)]
        versions = [line("version", each) for key in keys for each in reader.history(key)]
        ids = set(reader.ids(np.array(keys, dtype=np.int64))) if condition is not None else None
        every = (each for each in reader.edges() if ids is None or ids.issuperset((each.source, each.target)))
        edges = [line("edge", each) for each in every]
        if reader.revision() == revision:
            first = header(namespace, len(memories), len(versions), len(edges))
            for each in chain([first], memories, versions, edges):
                stream.write(each)
            return len(memories)
    raise StoreBusyError(
        f"namespace {namespace!r} of {store.location} changed during each of {_TRIES} attempts to export it. "
        "Make a backup and export that."
    )
