"""Haystack: a document store over an engine, and its retriever. Needs the extra `haystack`.

A document is one memory whose id follows from the document's. Its meta data and embedding are kept with it;
the retriever searches the content with recall, which makes its own vectors.
https://docs.haystack.deepset.ai/docs/creating-custom-document-stores
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any, Self

import combray
from combray.engine import Engine
from combray.errors import InvalidInputError, MissingExtraError
from combray.integrations.records import erase_where, pages, put, record_id, stored_ids
from combray.types import Memory

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.document_stores.errors import DuplicateDocumentError
    from haystack.document_stores.types import DuplicatePolicy, FilterPolicy, apply_filter_policy
    from haystack.utils.filters import document_matches_filter
except ImportError as error:
    raise MissingExtraError("The Haystack document store", "haystack") from error

__all__ = ["CombrayDocumentRetriever", "CombrayDocumentStore"]

_KEPT = "haystack"
_MOST = 1_000
Filters = dict[str, Any]


def _awaited(name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
    """Return the method of that name as one to await, in a worker thread."""

    async def call(self: Any, *given: Any, **named: Any) -> Any:
        return await asyncio.to_thread(getattr(self, name), *given, **named)

    call.__name__, call.__doc__ = f"{name}_async", f"Await `{name}`, in a worker thread."
    return call


class CombrayDocumentStore:
    """Documents in one namespace of an engine.

    Give an open engine, or the arguments to open one: only those can be written into a pipeline's YAML.
    The policy `NONE` fails on duplicates. Filters are evaluated by Haystack's own function. The engine's guard
    redacts secrets; a document that it quarantines is not returned, and warns.
    """

    def __init__(
        self,
        location: str | None = None,
        *,
        namespace: str | None = None,
        preset: str | None = None,
        engine: Engine | None = None,
    ) -> None:
        self._given = {"location": location, "namespace": namespace, "preset": preset}
        self._is_given = engine is not None
        self.engine = engine or combray.open(location, namespace=namespace, preset=preset)

    def to_dict(self) -> dict[str, Any]:
        """Return what opens the same store again. Raises InvalidInputError for a store on an engine object."""
        if self._is_given:
            problem = "is an object, which cannot be written down."
            raise InvalidInputError("engine", problem, "Give location, namespace and preset instead.")
        written: dict[str, Any] = default_to_dict(self, **self._given)
        return written

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return a store from what `to_dict` returned."""
        store: Self = default_from_dict(cls, data)
        return store

    # -- documents ---------------------------------------------------------------------------------

    def count_documents(self) -> int:
        """Return how many documents there are."""
        return self.engine.list(_OURS, limit=1).total

    def filter_documents(self, filters: Filters | None = None) -> list[Document]:
        """Return the documents that match, in the order in which they were written."""
        _check(filters)
        found = (as_document(memory) for memory in pages(self.engine, _OURS))
        return [each for each in found if not filters or document_matches_filter(filters=filters, document=each)]

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Write documents; return how many. Raises DuplicateDocumentError, with nothing written."""
        is_list = isinstance(documents, Iterable) and not isinstance(documents, str)
        if not is_list or any(not isinstance(each, Document) for each in documents):
            raise InvalidInputError("documents", "must be a list of Haystack documents.")
        wanted: dict[str, Document] = {}
        ids = [record_id(_KEPT, each.id) for each in documents]
        there = stored_ids(self.engine, ids) if policy != DuplicatePolicy.OVERWRITE else set()
        for memory_id, each in zip(ids, documents, strict=True):
            if policy != DuplicatePolicy.OVERWRITE and (memory_id in there or memory_id in wanted):
                if policy != DuplicatePolicy.SKIP:
                    raise DuplicateDocumentError(f"document {each.id} already exists. Nothing was written.")
                continue
            wanted[memory_id] = each
        put(self.engine, {memory_id: _fields(each) for memory_id, each in wanted.items()})
        return len(documents) if policy == DuplicatePolicy.OVERWRITE else len(wanted)

    def delete_documents(self, document_ids: list[str]) -> None:
        """Erase documents. Ids that do not exist are skipped."""
        if document_ids:
            erase_where(self.engine, {"id": {"in": [record_id(_KEPT, each) for each in document_ids]}})

    def delete_all_documents(self) -> None:
        """Erase every document. Memories of the namespace that are no documents stay."""
        erase_where(self.engine, _OURS)

    def delete_by_filter(self, filters: Filters) -> int:
        """Erase the documents that match; return how many."""
        found = self.filter_documents(filters)
        self.delete_documents([each.id for each in found])
        return len(found)

    def update_by_filter(self, filters: Filters, meta: dict[str, Any]) -> int:
        """Merge `meta` into the meta data of the documents that match; return how many."""
        found = self.filter_documents(filters)
        for each in found:
            each.meta.update(meta)
        return self.write_documents(found, DuplicatePolicy.OVERWRITE)

    # -- meta data ---------------------------------------------------------------------------------

    def count_documents_by_filter(self, filters: Filters) -> int:
        """Return how many documents match."""
        return len(self.filter_documents(filters))

    def count_unique_metadata_by_filter(self, filters: Filters, metadata_fields: list[str]) -> dict[str, int]:
        """Return how many different values each field has in the documents that match."""
        found = self.filter_documents(filters)
        names = [each.removeprefix("meta.") for each in metadata_fields]
        return {name: len(_distinct(found, name)) for name in names}

    def get_metadata_fields_info(self) -> dict[str, dict[str, str]]:
        """Return the type of each field: boolean, int, float or keyword."""
        sorts = {bool: "boolean", int: "int", float: "float"}
        return {
            name: {"type": sorts.get(type(value), "keyword")}
            for each in self.filter_documents()
            for name, value in each.meta.items()
            if value is not None
        }

    def get_metadata_field_min_max(self, metadata_field: str) -> dict[str, Any]:
        """Return the least and the greatest value of a field; None without values that can be compared."""
        found = _distinct(self.filter_documents(), metadata_field.removeprefix("meta."))
        values = [each for each in found.values() if isinstance(each, (int, float, str))]
        comparable = bool(values) and len({isinstance(each, str) for each in values}) == 1
        return {"min": min(values), "max": max(values)} if comparable else {"min": None, "max": None}

    def get_metadata_field_unique_values(
        self,
        metadata_field: str,
        search_term: str | None = None,
        from_: int = 0,
        size: int = 10,
        filters: Filters | None = None,
    ) -> tuple[list[Any], int]:
        """Return a page of the different values of a field that contain a text, and how many there are."""
        found = _distinct(self.filter_documents(filters), metadata_field.removeprefix("meta."))
        wanted = (search_term or "").casefold()
        values = [each for each in found.values() if wanted in str(each).casefold()]
        values.sort(key=lambda each: (str(each), type(each).__name__))
        return values[from_ : from_ + size], len(values)

    # -- search ------------------------------------------------------------------------------------

    def recall(self, query: str, filters: Filters | None = None, top_k: int = 10) -> list[Document]:
        """Return the documents that answer a query, best first, with their scores."""
        _check(filters)
        if top_k < 1:
            return []
        # A filter is applied to what recall returns, because the engine's filters have no such dates.
        answer = self.engine.recall(query, limit=_MOST if filters else min(top_k, _MOST), where=_OURS)
        found = (as_document(hit.memory, hit.score) for hit in answer)
        kept = (each for each in found if not filters or document_matches_filter(filters=filters, document=each))
        return [each for each, _ in zip(kept, range(top_k), strict=False)]

    count_documents_async = _awaited("count_documents")
    filter_documents_async = _awaited("filter_documents")
    write_documents_async = _awaited("write_documents")
    delete_documents_async = _awaited("delete_documents")
    delete_all_documents_async = _awaited("delete_all_documents")
    delete_by_filter_async = _awaited("delete_by_filter")
    update_by_filter_async = _awaited("update_by_filter")
    count_documents_by_filter_async = _awaited("count_documents_by_filter")
    count_unique_metadata_by_filter_async = _awaited("count_unique_metadata_by_filter")
    get_metadata_fields_info_async = _awaited("get_metadata_fields_info")
    get_metadata_field_min_max_async = _awaited("get_metadata_field_min_max")
    get_metadata_field_unique_values_async = _awaited("get_metadata_field_unique_values")
    recall_async = _awaited("recall")


@component
class CombrayDocumentRetriever:
    """Retrieves the documents of a `CombrayDocumentStore` that answer a query."""

    def __init__(
        self,
        document_store: CombrayDocumentStore,
        filters: Filters | None = None,
        top_k: int = 10,
        filter_policy: FilterPolicy = FilterPolicy.REPLACE,
    ) -> None:
        self.document_store, self.filters = document_store, filters
        self.top_k, self.filter_policy = top_k, filter_policy

    def to_dict(self) -> dict[str, Any]:
        """Return the component for a pipeline's YAML."""
        written: dict[str, Any] = default_to_dict(
            self,
            document_store=self.document_store.to_dict(),
            filters=self.filters,
            top_k=self.top_k,
            filter_policy=self.filter_policy.value,
        )
        return written

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return a component from what `to_dict` returned."""
        given = data["init_parameters"]
        given["document_store"] = CombrayDocumentStore.from_dict(given["document_store"])
        given["filter_policy"] = FilterPolicy.from_str(given.get("filter_policy", "replace"))
        made: Self = default_from_dict(cls, data)
        return made

    @component.output_types(documents=list[Document])
    def run(self, query: str, filters: Filters | None = None, top_k: int | None = None) -> dict[str, Any]:
        """Return the documents under `documents`, best first."""
        joined = apply_filter_policy(self.filter_policy, self.filters, filters)
        most = self.top_k if top_k is None else top_k
        return {"documents": self.document_store.recall(query, joined, most)}


_OURS = {f"metadata.{_KEPT}.id": {"exists": True}}


def as_document(memory: Memory, score: float | None = None) -> Document:
    """Return a memory as the document that it was written as."""
    kept = memory.metadata[_KEPT]
    text = memory.content if kept["has_content"] else None
    rest = {name: value for name, value in kept.items() if name != "has_content"}
    document: Document = Document.from_dict({**rest, "content": text, "score": score})
    return document


def _fields(document: Document) -> dict[str, Any]:
    kept = document.to_dict(flatten=False)
    text = kept.pop("content")
    kept.pop("score")
    kept = {name: value for name, value in kept.items() if value is not None}
    kept["has_content"] = bool(text and text.strip())
    return {"content": text if kept["has_content"] else document.id, "source": _KEPT, "metadata": {_KEPT: kept}}


def _check(filters: Mapping[str, Any] | None) -> None:
    if filters and "operator" not in filters and "conditions" not in filters:
        raise InvalidInputError("filters", "have no operator and no conditions.")


def _distinct(documents: Iterable[Document], name: str) -> dict[tuple[str, str], Any]:
    """Return the values of a field by type and JSON: 1, 1.0, "1" and true are four values."""
    values = (each.meta.get(name) for each in documents)
    return {
        (type(value).__name__, json.dumps(value, sort_keys=True, default=str)): value
        for value in values
        if value is not None
    }
