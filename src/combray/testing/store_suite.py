"""Conformance suite of stores: subclass `StoreSuite`, override its fixture `store`, run pytest.

class TestMyStore(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path):
        with closing(MyStore(tmp_path / "x")) as store:
            yield store
"""

from __future__ import annotations

from combray.testing.store_arms import ContextExpansionCases, KeywordArms, OtherArms
from combray.testing.store_filters import Conditions, Filters
from combray.testing.store_quarantine import QuarantineCases
from combray.testing.store_queue import Queues, TokenVectors
from combray.testing.store_reads import Reads
from combray.testing.store_tables import Aliases, Files, Runs, SmallTables
from combray.testing.store_transactions import Transactions
from combray.testing.store_writes import Erasing, Writes

__all__ = ["StoreSuite"]


class StoreSuite(
    Reads,
    Filters,
    Conditions,
    KeywordArms,
    ContextExpansionCases,
    OtherArms,
    Aliases,
    QuarantineCases,
    Writes,
    Erasing,
    Runs,
    Queues,
    TokenVectors,
    Files,
    SmallTables,
    Transactions,
):
    """All promises of `runtime.Store`."""
