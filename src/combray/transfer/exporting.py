"""A namespace as text: JSON lines that `import_from` restores exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np

from combray.errors import StoreBusyError
from combray.runtime import Filter, Reader, Store
from combray.transfer.records import edge_line, header, memory_line, version_line

_EVERYTHING = Filter(statuses=(), trusts=())
_AT_ONCE = 1000
_TRIES = 5


class TextSink(Protocol):
    """Whatever text can be written to."""

    def write(self, text: str, /) -> object:
        """Take the text."""
        ...


def export_to(store: Store, namespace: str, stream: TextSink) -> int:
    """Write every memory of any status, its history and all edges; how many memories there were.

    The order is that of writing, so the same store gives the same bytes, and an import of them into an
    empty namespace of that name gives them again. Vectors, the operation log and the keyword index are
    left out: they are rebuilt. Open the file with `encoding="utf-8", newline="\\n"`. Raises
    StoreBusyError when somebody writes during each of five attempts to read one state.
    """
    reader = store.reader(namespace)
    for _ in range(_TRIES):
        revision = reader.revision()
        keys = [int(key) for key in np.sort(reader.scan(_EVERYTHING))]
        memories = list(_memory_lines(reader, keys))
        versions = [version_line(each) for key in keys for each in reader.history(key)]
        edges = [edge_line(edge) for edge in reader.edges()]
        if reader.revision() == revision:
            _write(stream, [header(namespace, len(memories), len(versions), len(edges))])
            for lines in (memories, versions, edges):
                _write(stream, lines)
            return len(memories)
    raise StoreBusyError(
        f"{store.location}: somebody wrote to namespace {namespace!r} during each of {_TRIES} attempts to "
        "export it; make a backup and export that."
    )


def _memory_lines(reader: Reader, keys: list[int]) -> Iterator[str]:
    for start in range(0, len(keys), _AT_ONCE):
        yield from map(memory_line, reader.memories(keys[start : start + _AT_ONCE]))


def _write(stream: TextSink, lines: Iterable[str]) -> None:
    for line in lines:
        stream.write(line)
