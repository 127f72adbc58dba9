"""Stores memories in PostgreSQL. `PostgresStore` needs the extra `postgres`."""

from combray.stores.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
