"""Files of named SQL statements: `-- name: whole` begins the statement `whole`.

Those in the folder `statements` are SQLite's, and PostgreSQL's where its own folder has none of that name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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


_SHARED = Path(__file__).parent / "statements"
_MARK = re.compile(r"\?(?=\d)")


class Statements:
    """The statements of one subject as attributes. The files are read when the first is used.

    `files`: a later one replaces statements of an earlier one. `sign` begins a numbered parameter.
    """

    def __init__(self, files: Sequence[Path], constants: Mapping[str, str], sign: str) -> None:
        self._files, self._constants, self._sign = files, constants, sign

    def __getattr__(self, name: str) -> str:
        if name.startswith("__"):
            raise AttributeError(name)
        for file in self._files:
            text = file.read_text(encoding="utf-8")
            if self._sign != "?" and file.parent == _SHARED:
                text = _MARK.sub(self._sign, text)
            for constant, meaning in self._constants.items():
                text = text.replace(constant, meaning)
            for part in text.split("-- name: ")[1:]:
                title, _, statement = part.partition("\n")
                self.__dict__[title.strip()] = statement.strip()
        if name not in self.__dict__:
            raise AttributeError(f"{self._files[0].name} has no statement {name!r}")
        return str(self.__dict__[name])


class Sql:
    """The statements of a database by subject: `sql.memories.whole` is `whole` in `memories.sql`.

    `marks` are the parameters of the statement that adds a memory, `own` is the folder of what the database says
    in another way than SQLite, `sign` what begins its numbered parameters.
    """

    def __init__(self, marks: str, own: Path | None = None, sign: str = "?") -> None:
        constants = {**CONSTANTS, "{marks}": marks}
        files: dict[str, list[Path]] = {}
        for folder in (_SHARED, own):
            for path in folder.glob("*.sql") if folder else ():
                files.setdefault(path.stem, []).append(path)
        for subject, some in files.items():
            self.__dict__[subject] = Statements(some, constants, sign)

    if TYPE_CHECKING:

        def __getattr__(self, subject: str) -> Statements: ...
