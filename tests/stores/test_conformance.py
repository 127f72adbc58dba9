"""Both stores, held to the same suite."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from emptied import Emptied

from combray.runtime import Store
from combray.stores.postgres import PostgresStore, nearness
from combray.stores.sqlite import SqliteStore
from combray.testing.postgres import Server
from combray.testing.reference import ReferenceStore
from combray.testing.store_arms import OtherArms
from combray.testing.store_filters import Filters
from combray.testing.store_quarantine import QuarantineCases
from combray.testing.store_suite import StoreSuite
from combray.testing.store_transactions import Transactions
from combray.testing.store_writes import Erasing, Writes


class TestReferenceStore(StoreSuite):
    @pytest.fixture
    def store(self) -> Store:
        return ReferenceStore()


class TestSqliteFile(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        with closing(SqliteStore(str(tmp_path / "a.db"))) as store:
            yield store


class TestPostgres(StoreSuite):
    @pytest.fixture
    def store(self, postgres_store: Store) -> Store:
        return postgres_store


class WithIndex:
    """Every namespace is searched by the HNSW index, however small."""

    @pytest.fixture
    def store(self, postgres_server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
        monkeypatch.setattr(nearness, "RESIDENT", 0)
        monkeypatch.setattr(nearness, "FEW", 0)
        database = Emptied(f"{postgres_server.url()}&schema=near&vectors=hnsw", "near")
        database.empty()
        with closing(PostgresStore(database.url)) as store:
            yield store


class TestPostgresWithIndex(WithIndex, OtherArms, Filters, QuarantineCases, Transactions, Writes, Erasing):
    """What reads or writes vectors."""


@pytest.mark.nightly("what reads no vectors is as without the index, and conditions are filters")
class TestPostgresWithIndexInFull(WithIndex, StoreSuite):
    """Every promise."""
