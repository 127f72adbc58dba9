"""Files of named SQL statements: `-- name: whole` begins the statement `whole`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from combray.types import LIVE_STATUSES, Memory

FIELDS = tuple(name for name in Memory.__struct_fields__ if name != "namespace")
"""Columns of the memory table that are fields of a Memory, in the struct's order."""
CONSTANTS = {
    "{fields}": ", ".join(FIELDS),
    "{live}": f"status IN {LIVE_STATUSES} AND trust <> 'quarantined'",
    "{job}": "key, model, added, attempts, next_at, holder, failed, error, done",
}
"""What a file of statements may refer to: `{fields}` are the columns that are fields of a Memory, `{live}` is the
condition that a memory is current. The caller replaces other braces."""


class Statements:
    """The statements of one file as attributes. The file is read when the first is used."""

    def __init__(self, subject: str, folder: Path, constants: Mapping[str, str]) -> None:
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


class Sql:
    """The statements of a database by subject: `sql.memories.whole` is `whole` in `memories.sql` of the folder.

    `marks` are the parameters of the statement that adds a memory.
    """

    def __init__(self, folder: Path, marks: str) -> None:
        constants = {**CONSTANTS, "{marks}": marks}
        for path in folder.glob("*.sql"):
            self.__dict__[path.stem] = Statements(path.stem, folder, constants)

    if TYPE_CHECKING:

        def __getattr__(self, subject: str) -> Statements: ...
