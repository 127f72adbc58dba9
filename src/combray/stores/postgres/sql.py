"""Every SQL statement of the store, by name: `sql.memories.whole` is `whole` in `statements/memories.sql`.

Parameters are numbered. $1 is the namespace in every statement on rows of one namespace (`session.py`). A list is
one array parameter. `{fields}` is replaced by the columns that are fields of a Memory, `{live}` by the condition
that a memory is current; the caller replaces other braces.
"""

from __future__ import annotations

from pathlib import Path

from combray.stores.statements import CONSTANTS, FIELDS, Statements

_FOLDER = Path(__file__).parent / "statements"
_CONSTANTS = {**CONSTANTS, "{marks}": ", ".join(f"${place}" for place in range(1, 10 + len(FIELDS)))}


def _statements(subject: str) -> Statements:
    return Statements(subject, _FOLDER, _CONSTANTS)


aliases = _statements("aliases")
documents = _statements("documents")
edges = _statements("edges")
erasure = _statements("erasure")
labels = _statements("labels")
memories = _statements("memories")
namespaces = _statements("namespaces")
near = _statements("near")
queue = _statements("queue")
runs = _statements("runs")
selections = _statements("selections")
server = _statements("server")
settings = _statements("settings")
terms = _statements("terms")
upkeep = _statements("upkeep")
vectors = _statements("vectors")
versions = _statements("versions")
