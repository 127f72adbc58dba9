"""The default store: one SQLite file."""

from combray.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
