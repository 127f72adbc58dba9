"""Python values to PostgreSQL values and back.

PostgreSQL's texts cannot hold the character NUL, which SQLite's can. It is written as an escape sequence.
"""

from __future__ import annotations

from typing import Any

from psycopg import Connection, pq
from psycopg.abc import Buffer
from psycopg.adapt import Dumper, Loader, PyFormat
from psycopg.types.numeric import Int8Dumper, IntNumericDumper
from psycopg.types.string import StrDumperUnknown

_ESCAPE = "\uf8ff"
"""A character of the private use area."""
_INT8 = 2**63


def escaped(text: str) -> str:
    """Return the text as PostgreSQL stores it."""
    if "\x00" in text or _ESCAPE in text:
        return text.replace(_ESCAPE, f"{_ESCAPE}1").replace("\x00", f"{_ESCAPE}0")
    return text


def unescaped(text: str) -> str:
    """Return the text that `escaped` was given."""
    if _ESCAPE in text:
        return text.replace(f"{_ESCAPE}0", "\x00").replace(f"{_ESCAPE}1", _ESCAPE)
    return text


class TextDumper(StrDumperUnknown):
    """A text as a parameter whose type the server infers."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(escaped(obj))


class TextLoader(Loader):
    """A text of a result."""

    def load(self, data: Buffer) -> str:
        return unescaped(bytes(data).decode())


class TextBinaryLoader(TextLoader):
    """A text of a result in the binary format, which is the same."""

    format = pq.Format.BINARY


class WholeDumper(Int8Dumper):
    """An integer as bigint, whatever its size: one prepared statement a text. Larger ones are numeric."""

    def get_key(self, obj: Any, format: PyFormat) -> Any:  # noqa: ARG002 - psycopg's signature
        return self.cls if -_INT8 <= obj < _INT8 else (self.cls, IntNumericDumper)

    def upgrade(self, obj: Any, format: PyFormat) -> Dumper:  # noqa: ARG002 - psycopg's signature
        return self if -_INT8 <= obj < _INT8 else IntNumericDumper(self.cls)


def register(connection: Connection[Any]) -> None:
    """Use these adapters on a connection."""
    adapters = connection.adapters
    adapters.register_dumper(str, TextDumper)
    adapters.register_dumper(int, WholeDumper)
    for loader in (TextLoader, TextBinaryLoader):
        adapters.register_loader("text", loader)
