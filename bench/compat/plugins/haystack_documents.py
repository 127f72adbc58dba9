"""Haystack's tests for document stores, inherited as its owners document.

https://docs.haystack.deepset.ai/docs/creating-custom-document-stores
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from haystack import Document
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.testing import document_store as single
from haystack.testing import document_store_async as awaited

import combray
from combray.integrations.haystack import CombrayDocumentStore


class TestDocumentStore(
    single.DocumentStoreBaseExtendedTests,
    single.CountDocumentsByFilterTest,
    single.CountUniqueMetadataByFilterTest,
    single.GetMetadataFieldsInfoTest,
    single.GetMetadataFieldMinMaxTest,
    single.GetMetadataFieldUniqueValuesTest,
):
    @pytest.fixture
    def document_store(self) -> Iterator[CombrayDocumentStore]:
        with combray.open(":memory:") as engine:
            yield CombrayDocumentStore(engine=engine)

    def test_write_documents(self, document_store: CombrayDocumentStore) -> None:
        """The owners ask each store to write this one: the default policy fails on duplicates."""
        document = Document(content="test doc")
        assert document_store.write_documents([document]) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents([document], policy=DuplicatePolicy.NONE)
        self.assert_documents_are_equal(document_store.filter_documents(), [document])


class TestAwaited(
    awaited.DeleteAllAsyncTest,
    awaited.CountDocumentsAsyncTest,
    awaited.CountDocumentsByFilterAsyncTest,
    awaited.CountUniqueMetadataByFilterAsyncTest,
    awaited.DeleteByFilterAsyncTest,
    awaited.UpdateByFilterAsyncTest,
    awaited.WriteDocumentsAsyncTest,
    awaited.DeleteDocumentsAsyncTest,
    awaited.GetMetadataFieldsInfoAsyncTest,
    awaited.GetMetadataFieldMinMaxAsyncTest,
    awaited.GetMetadataFieldUniqueValuesAsyncTest,
    awaited.FilterDocumentsAsyncTest,
):
    @pytest.fixture
    def document_store(self) -> Iterator[CombrayDocumentStore]:
        with combray.open(":memory:") as engine:
            yield CombrayDocumentStore(engine=engine)

    @pytest.fixture
    def filterable_docs(self) -> list[Document]:
        return single.create_filterable_docs()

    async def test_write_documents_async(self, document_store: CombrayDocumentStore) -> None:
        document = Document(content="test doc")
        assert await document_store.write_documents_async([document]) == 1
        with pytest.raises(DuplicateDocumentError):
            await document_store.write_documents_async([document], policy=DuplicatePolicy.NONE)
        self.assert_documents_are_equal(await document_store.filter_documents_async(), [document])
