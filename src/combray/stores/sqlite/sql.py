"""Every SQL statement of the store, by name: `sql.memories.whole` is `whole` in `statements/memories.sql`.

The parameters of a statement are numbered, and ?1 is the namespace in every statement on rows of one namespace
(`namespace.py`). A list is passed as one JSON parameter (`listed`), so a statement has one text for any number of
keys. `{fields}` is replaced by the columns that are fields of a Memory, `{live}` by the condition that a memory
is current; the caller replaces other braces. PRAGMA, BEGIN, COMMIT and VACUUM are written where they are used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from combray.types import LIVE_STATUSES, Memory

FIELDS = tuple(name for name in Memory.__struct_fields__ if name != "namespace")
"""Columns of the memory table that are fields of a Memory, in the struct's order."""
_FOLDER = Path(__file__).parent / "statements"
_CONSTANTS = {
    "{fields}": ", ".join(FIELDS),
    "{marks}": ", ".join("?" * (8 + len(FIELDS))),
    "{live}": f"status IN {LIVE_STATUSES} AND trust <> 'quarantined'",
    "{job}": "key, model, added, attempts, next_at, holder, failed, error",
}


class Statements:
    """The statements of one file as attributes. The file is read when the first is used."""

    def __init__(self, subject: str, folder: Path = _FOLDER, constants: Mapping[str, str] = _CONSTANTS) -> None:
        self.subject, self._folder, self._constants = subject, folder, constants

    def __getattr__(self, name: str) -> str:
        if name.startswith("__"):
            raise AttributeError(name)
        text = (self._folder / f"{self.subject}.sql").read_text(encoding="utf-8")
        for constant, meaning in self._constants.items():
            text = text.replace(constant, meaning)
        for part in text.split("-- name: ")[1:]:
            title, _, statement = part.partition("\n")
            self.__dict__[title.strip()] = statement.strip()
        if name not in self.__dict__:
            raise AttributeError(f"{self.subject}.sql has no statement {name!r}")
        return str(self.__dict__[name])


def listed(values: Iterable[Any]) -> str:
    """Return a list as one parameter, for `IN (SELECT value FROM json_each(?))`."""
    return msgspec.json.encode(list(values)).decode()


aliases = Statements("aliases")
documents = Statements("documents")
edges = Statements("edges")
erasure = Statements("erasure")
file = Statements("file")
labels = Statements("labels")
memories = Statements("memories")
namespaces = Statements("namespaces")
queue = Statements("queue")
runs = Statements("runs")
selections = Statements("selections")
settings = Statements("settings")
terms = Statements("terms")
upkeep = Statements("upkeep")
vectors = Statements("vectors")
versions = Statements("versions")
