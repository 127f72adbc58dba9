"""What engines that distribute PostgreSQL's tables ask of the schema: decision 33 rests on these facts.

Citus: https://docs.citusdata.com/en/stable/develop/reference_ddl.html,
https://www.postgresql.org/docs/current/ddl-partitioning.html, https://www.postgresql.org/docs/current/postgres-fdw.html
"""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from emptied import Emptied

from combray.stores.postgres import PostgresStore
from combray.stores.postgres.sql import sql

OF_ALL = {"namespace", "model", "setting"}
"""Tables without a namespace."""
OWN_KEY = {"chunk", "document", "operation", "workspace"}
"""Tables whose primary key lacks the namespace."""


@pytest.fixture
def catalogue(postgres: Emptied, postgres_store: PostgresStore) -> Iterator[psycopg.Connection[tuple[str, ...]]]:
    with psycopg.connect(postgres.url) as connection:
        connection.execute("SET search_path = combray, public")
        yield connection


TABLES = """
SELECT relname FROM pg_class WHERE relnamespace = 'combray'::regnamespace AND relkind IN ('r', 'p')
AND NOT relispartition
"""
COLUMN = """
SELECT relname, typname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
JOIN pg_type ON pg_type.oid = atttypid WHERE attname = 'namespace' AND attnotnull
AND relnamespace = 'combray'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
"""
UNIQUE_WITHOUT = """
SELECT t.relname FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
WHERE t.relnamespace = 'combray'::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
AND i.indisunique AND NOT EXISTS (
    SELECT 1 FROM pg_attribute a
    WHERE a.attrelid = t.oid AND a.attname = 'namespace' AND a.attnum = ANY (i.indkey))
"""


def test_rows_of_a_namespace_can_be_placed_by_it(catalogue: psycopg.Connection[tuple[str, ...]]) -> None:
    tables = {name for (name,) in catalogue.execute(TABLES)}
    placed = catalogue.execute(COLUMN).fetchall()
    assert {name for name, _ in placed} == tables - OF_ALL
    assert {kind for _, kind in placed} == {"int8"}
    assert {name for (name,) in catalogue.execute(UNIQUE_WITHOUT)} == OF_ALL | OWN_KEY


def test_nothing_ties_a_store_to_another_schema(catalogue: psycopg.Connection[tuple[str, ...]]) -> None:
    """Foreign keys and triggers would; a sequence must count to 2^63, because Citus gives each node a range."""
    assert catalogue.execute("SELECT conname FROM pg_constraint WHERE contype = 'f'").fetchall() == []
    # "near" belongs to vectors=hnsw, and may be there from another test of this server.
    triggers = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgname <> 'near'"
    assert catalogue.execute(triggers).fetchall() == []
    kinds = catalogue.execute("SELECT DISTINCT data_type::text FROM pg_sequences WHERE schemaname = 'combray'")
    assert kinds.fetchall() == [("bigint",)]
    inherited = (
        "SELECT count(*)::text FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE NOT c.relispartition"
    )
    assert catalogue.execute(inherited).fetchall() == [("0",)]


def test_a_partition_cannot_be_on_another_server(catalogue: psycopg.Connection[tuple[str, ...]]) -> None:
    catalogue.execute("CREATE FOREIGN DATA WRAPPER none")
    catalogue.execute("CREATE SERVER other FOREIGN DATA WRAPPER none")
    catalogue.execute("DROP TABLE memory_7")
    with pytest.raises(psycopg.Error, match="cannot create foreign partition of partitioned table"):
        catalogue.execute(
            "CREATE FOREIGN TABLE memory_7 PARTITION OF memory "
            "FOR VALUES WITH (MODULUS 8, REMAINDER 7) SERVER other"
        )


def test_a_write_names_its_namespace_in_its_first_statement() -> None:
    """Citus refuses such a RETURNING: "non-IMMUTABLE functions are not allowed in the RETURNING clause"."""
    assert "RETURNING id, revision, epoch, reindexed, set_config(" in sql.namespaces.begin_write
