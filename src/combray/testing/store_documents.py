"""Files and their chunks: loose chunks, erasure and rollback."""
# ruff: noqa: S101

from __future__ import annotations

import pytest

from combray.errors import NotFoundError
from combray.runtime import Document, DocumentIndex, Reader, Store, Workspace
from combray.testing.fakes import memory
from combray.testing.store_cases import T0, StoreCases, add, rolled_back

ROOT = "/notes"


def _file(path: str, digest: str = "f1") -> Document:
    return Document(ROOT, path, "memory", digest, 10, 1_700_000_000_123_456_789)


class Files(StoreCases):
    """Promises of `Reader.documents` and `Writer.documents`."""

    @pytest.fixture
    def documents(self, reader: Reader) -> DocumentIndex:
        """The files of the namespace "default"."""
        return reader.documents

    def test_workspaces_keep_the_order_they_came_in(self, store: Store, documents: DocumentIndex) -> None:
        whole = Workspace("/z", (), ("/s", "/t"), True, "toy:4", "untrusted", judged=True)
        with store.transaction("default") as tx:
            tx.documents.put_workspace(Workspace("/z"))
            tx.documents.put_workspace(Workspace("/a", ("/x.md",)))
            tx.documents.put_workspace(whole)
        kept = documents.workspaces()
        assert kept == [whole, Workspace("/a", ("/x.md",))]
        assert store.reader("other").documents.workspaces() == []

    def test_a_file_gives_its_chunks_in_order(self, store: Store, documents: DocumentIndex) -> None:
        a, b, c = add(store, memory("a", 1), memory("b", 2), memory("c", 3))
        with store.transaction("default") as tx:
            tx.documents.put(_file("b.md"), [(c, "hc"), (a, "ha")])
            tx.documents.put(_file("a.md"), [(b, "hb")])
            assert tx.documents.chunks(ROOT, "b.md") == [(c, "hc"), (a, "ha")]
        assert documents.files(ROOT) == [_file("a.md"), _file("b.md")]
        assert documents.files("/elsewhere") == []
        assert documents.chunks(ROOT, "b.md") == [(c, "hc"), (a, "ha")]
        assert documents.chunks(ROOT, "missing.md") == []
        assert (documents.chunk_count(ROOT), documents.chunk_count("/elsewhere")) == (3, 0)
        assert documents.loose() == []

    def test_what_leaves_a_file_is_loose_and_found_by_its_text(
        self, store: Store, documents: DocumentIndex
    ) -> None:
        a, b, c = add(store, memory("a", 1), memory("b", 2), memory("c", 3))
        with store.transaction("default") as tx:
            tx.documents.put(_file("a.md"), [(a, "ha"), (b, "hb")])
            tx.documents.put(_file("b.md"), [(c, "hb")])
        with store.transaction("default") as tx:
            tx.documents.put(_file("a.md", "f2"), [(a, "ha")])
        assert documents.files(ROOT) == [_file("a.md", "f2"), _file("b.md")]
        assert documents.loose() == [b]
        assert documents.holding(["hb", "none"]) == {"hb": [(b, True), (c, False)]}
        with store.transaction("default") as tx:
            tx.documents.drop(ROOT, "b.md")
            tx.documents.put(_file("a.md", "f3"), [(b, "hb"), (a, "ha")])
        assert documents.loose() == [c]
        assert documents.chunks(ROOT, "a.md") == [(b, "hb"), (a, "ha")]

    def test_a_forgotten_workspace_takes_its_files_along(self, store: Store, documents: DocumentIndex) -> None:
        (a,) = add(store, memory("a", 1))
        with store.transaction("default") as tx:
            tx.documents.put_workspace(Workspace(ROOT))
            tx.documents.put(_file("a.md"), [(a, "ha")])
        with store.transaction("default") as tx:
            tx.documents.drop_workspace(ROOT)
        assert (documents.workspaces(), documents.files(ROOT), documents.loose()) == ([], [], [a])

    def test_an_erased_chunk_is_no_chunk_any_more(self, store: Store, documents: DocumentIndex) -> None:
        a, b = add(store, memory("a", 1), memory("b", 2))
        with store.transaction("default") as tx:
            tx.documents.put(_file("a.md"), [(a, "ha"), (b, "hb")])
        with store.transaction("default") as tx:
            tx.erase([a], T0)
        assert documents.chunks(ROOT, "a.md") == [(b, "hb")]
        assert documents.holding(["ha"]) == {}
        # A short file could be guessed from its hash. By size and time it is not read again until it changes.
        assert documents.files(ROOT) == [_file("a.md", "")]

    def test_files_stay_in_their_namespace(self, store: Store, documents: DocumentIndex) -> None:
        (a,) = add(store, memory("a", 1))
        with store.transaction("default") as tx:
            tx.documents.put(_file("a.md"), [(a, "ha")])
        other = store.reader("other").documents
        assert (other.files(ROOT), other.chunks(ROOT, "a.md"), other.holding(["ha"])) == ([], [], {})
        with pytest.raises(NotFoundError), store.transaction("other") as tx:
            tx.documents.put(_file("a.md"), [(a, "ha")])
        assert documents.chunks(ROOT, "a.md") == [(a, "ha")]

    def test_a_failed_write_leaves_files_as_they_were(self, store: Store, documents: DocumentIndex) -> None:
        a, b = add(store, memory("a", 1), memory("b", 2))
        with store.transaction("default") as tx:
            tx.documents.put(_file("a.md"), [(a, "ha")])
        with rolled_back(store) as tx:
            tx.documents.put(_file("a.md", "f2"), [(b, "hb")])
            tx.documents.put_workspace(Workspace(ROOT))
        assert documents.files(ROOT) == [_file("a.md")]
        assert documents.chunks(ROOT, "a.md") == [(a, "ha")]
        assert documents.workspaces() == []
