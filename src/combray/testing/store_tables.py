"""What is stored beside the memories: files and chunks, names, runs, pairs in doubt, leases."""
# ruff: noqa: S101

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from combray.errors import NotFoundError
from combray.runtime import (
    Document,
    DocumentIndex,
    Doubt,
    KeywordArm,
    Lease,
    Reader,
    Run,
    Store,
    Workspace,
    Writer,
)
from combray.runtime.queue import Job
from combray.testing.fakes import memory
from combray.testing.store_cases import MODEL, T0, StoreCases, add, keys, rolled_back, scores, search
from combray.testing.store_queue import LATE, NEW, ONE, TWO, as_lists

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


CI = ("ci", "continuous integration")


class Aliases(StoreCases):
    """`Reader.names`, and `KeywordArm.lends`."""

    def test_declared_and_learned_names_are_found_both_ways(self, store: Store) -> None:
        add(store, memory("The cluster", aliases={"Kubernetes": ("k8s", "Kube")}))
        add(store, memory("CI stands for continuous integration", 1))
        reader = store.reader("default")
        assert reader.names(["k8s", "ci", "the"]) == [CI, ("k8s", "kubernetes")]
        own = [("k8s", "kubernetes"), ("kube", "kubernetes"), ("kubernetes", "kubernetes")]
        assert reader.names((), ["kubernetes"]) == own
        assert reader.names(["continuous integration"]) == []
        assert store.reader("other").names(["k8s", "ci"], ["kubernetes"]) == []

    def test_aliases_are_listed_with_what_states_them(self, store: Store) -> None:
        a, b, c = add(
            store,
            memory("The cluster", aliases={"Kubernetes": ("k8s", "Kube")}),
            memory("CI stands for continuous integration", 1),
            memory("QA stands for quality assurance", 2, trust="untrusted"),
        )
        ci = ("continuous integration", "ci", "learned", b)
        cluster = [("kubernetes", "k8s", "declared", a), ("kubernetes", "kube", "declared", a)]
        assert store.reader("default").aliases(9) == [ci, *cluster]
        assert store.reader("default").aliases(1) == [ci]
        assert store.reader("other").aliases(9) == []
        assert c > b

    def test_a_pair_that_many_memories_state_is_returned_once(self, store: Store) -> None:
        add(store, *(memory(f"CI stands for continuous integration {n}", n) for n in range(3)))
        assert store.reader("default").names(["ci"]) == [CI]

    def test_untrusted_quarantined_and_forgotten_memories_teach_nothing(self, store: Store) -> None:
        text = "CI stands for continuous integration"
        a, b = add(store, memory(text, trust="untrusted"), memory(text, 1, trust="quarantined"))
        assert store.reader("default").names(["ci"]) == []
        with store.transaction("default") as tx:
            tx.change(b, "release", "user", T0, trust="owner")
            assert tx.names(["ci"]) == [CI]
            tx.change(b, "forget", "user", T0, status="forgotten")
            tx.change(a, "forget", "user", T0, status="superseded")
        assert store.reader("default").names(["ci"]) == []

    def test_names_go_with_the_memory_and_follow_its_text(self, store: Store) -> None:
        a, b = add(
            store, memory("CI stands for continuous integration"), memory("x", 1, aliases={"Ann": ("Annie",)})
        )
        with store.transaction("default") as tx:
            tx.change(a, "update", "user", T0, content="QA stands for quality assurance")
        reader = store.reader("default")
        assert reader.names(["ci", "qa"]) == [("qa", "quality assurance")]
        assert reader.memories([b])[0].aliases == {"Ann": ("Annie",)}
        with store.transaction("default") as tx:
            tx.erase([b], T0)
        assert store.reader("default").names(["annie"], ["ann"]) == []

    def test_a_phrase_lends_its_rows_to_a_term(self, store: Store) -> None:
        a, b, c, _ = add(
            store,
            memory("CI runs"),
            memory("continuous integration runs", 1),
            memory("integration", 2),
            memory("tea", 3),
        )
        plain = KeywordArm((("ci", 1.0),), scoring="coverage")
        lent = KeywordArm((("ci", 1.0),), scoring="coverage", lends=(("ci", ("continu", "integr"), 0.95),))
        assert scores(search(store, plain)) == {a: 1.0}
        assert scores(search(store, lent)) == {a: 1.0, b: 1.0}
        ranked = KeywordArm((("ci", 1.0),), lends=(("ci", ("continu", "integr"), 0.95),))
        found = scores(search(store, ranked))
        assert list(found) == [a, b]
        assert c not in found


RUN = Run("run-a", T0, counts={"merge": 2})


class Runs(StoreCases):
    """Data of consolidation next to the memories."""

    def test_runs_come_back_as_they_were_newest_first(self, store: Store, reader: Reader) -> None:
        later = replace(RUN, id="run-b", started=T0 + 0.000001)
        with store.transaction("default") as tx:
            tx.put_run(RUN)
            tx.put_run(later)
        assert reader.runs(9) == [later, RUN]
        assert reader.runs(1) == [later]
        assert store.reader("other").runs(9) == []

    def test_a_run_is_replaced_by_its_id(self, store: Store, reader: Reader) -> None:
        ended = Run("run-a", T0, T0 + 5.5, "done", {})
        with store.transaction("default") as tx:
            tx.put_run(RUN)
            tx.put_run(ended)
            assert tx.runs(9) == [ended]
        assert reader.runs(9) == [ended]

    def test_the_parts_of_a_plan_are_taken_once_and_in_order(self, store: Store) -> None:
        with store.transaction("default") as tx:
            tx.put_run(RUN, [f"part {number}" for number in range(11)])
            assert tx.take_part("run-a") == "part 0"
        with rolled_back(store) as tx:
            assert tx.take_part("run-a") == "part 1"
        with store.transaction("default") as tx:
            tx.put_run(RUN, ["part 11"])
            rest = [f"part {number}" for number in range(1, 12)]
            assert [tx.take_part("run-a") for _ in range(12)] == [*rest, None]
            assert tx.take_part("run-b") is None
        with store.transaction("other") as tx:
            tx.put_run(RUN, ["elsewhere"])
        with store.transaction("default") as tx:
            assert tx.take_part("run-a") is None

    def test_who_changed_which_memories(self, store: Store, reader: Reader) -> None:
        a, b, c = add(store, memory("a"), memory("b"), memory("c"))
        (elsewhere,) = add(store, memory("d"), namespace="other")
        with store.transaction("default") as tx:
            for key, actor in ((c, "night"), (a, "night"), (a, "night"), (b, "user")):
                tx.change(key, "x", actor, T0, importance=4)
        with store.transaction("other") as tx:
            tx.change(elsewhere, "x", "night", T0, importance=4)
        assert reader.changed_by("night") == [a, c]
        assert reader.changed_by("nobody") == []
        assert store.reader("other").changed_by("night") == [elsewhere]

    def test_pairs_in_doubt_are_kept_answered_and_dropped_by_run(self, store: Store, reader: Reader) -> None:
        a, b, c = add(store, memory("a"), memory("b"), memory("c"))
        first, second = Doubt(a, b, "like", run="one"), Doubt(b, c, "unlike", halved=True, run="two")
        with store.transaction("default") as tx:
            tx.put_doubts([second, first])
            tx.put_doubts([replace(first, answer="MERGE", run="two")])
        assert reader.doubts() == [replace(first, answer="MERGE", run="two"), second]
        assert store.reader("other").doubts() == []
        with store.transaction("default") as tx:
            assert tx.drop_doubts("one") == 0
            assert tx.drop_doubts("two") == 2
        assert reader.doubts() == []

    def test_a_lease_is_held_by_one_and_given_back(self, store: Store) -> None:
        with store.transaction("default") as tx:
            assert tx.lease("night") is None
            tx.put_lease("night", Lease("me", T0 + 1.25))
            tx.put_lease("night", Lease("you", T0 + 2.5))
        with store.transaction("default") as tx:
            assert tx.lease("night") == Lease("you", T0 + 2.5)
            assert tx.lease("day") is None
            tx.put_lease("night", None)
        with store.transaction("default") as tx:
            assert tx.lease("night") is None
        with store.transaction("other") as tx:
            assert tx.lease("night") is None


class SmallTables(StoreCases):
    """What holds for files, token vectors, runs, pairs in doubt, leases and jobs alike."""

    def test_a_failed_write_leaves_them_as_they_were(self, store: Store, reader: Reader) -> None:
        a, b = add(store, memory("a", status="pending_embed"), memory("b"))
        with store.transaction("default") as tx:
            tx.documents.put(_file("a.md"), [(a, "ha")])
            tx.queue.put(MODEL, [a], T0)
        with rolled_back(store) as tx:
            tx.documents.put(_file("a.md", "f2"), [(b, "hb")])
            tx.documents.put_workspace(Workspace(ROOT))
            tx.put_tokens(LATE, [a], [ONE])
            tx.put_run(RUN)
            tx.put_doubts([Doubt(a, b, "")])
            tx.put_lease("night", Lease("me", T0))
            tx.queue.take(MODEL, "me", T0, T0 + 60, 1)
            tx.queue.finish(MODEL, [a])
        files = reader.documents
        assert (files.files(ROOT), files.chunks(ROOT, "a.md")) == ([_file("a.md")], [(a, "ha")])
        assert files.workspaces() == []
        assert reader.tokens(LATE, keys(a)) == [None]
        assert (reader.runs(9), reader.doubts()) == ([], [])
        assert reader.queue.jobs(MODEL) == [Job(a, MODEL, T0, next_at=T0)]
        assert reader.memories([a])[0].status == "pending_embed"
        with store.transaction("default") as tx:
            assert tx.lease("night") is None

    def test_an_erased_memory_takes_them_along(self, store: Store, reader: Reader) -> None:
        a, b, c = add(store, *(memory(name, status="pending_embed") for name in "abc"))
        with store.transaction("default") as tx:
            tx.documents.put(_file("a.md"), [(b, "hb"), (a, "ha")])
            tx.put_tokens(LATE, [a, b], [TWO, ONE])
        with store.transaction("default") as tx:
            tx.put_doubts([Doubt(a, b, ""), Doubt(b, c, ""), Doubt(a, c, "")])
            tx.queue.put(MODEL, [a, b], T0)
            tx.queue.put(NEW, [b], T0)
            taken = tx.queue.take(MODEL, "me", T0, T0 + 60, 9)
            tx.erase([b], T0)
            tx.queue.update([replace(each, holder="", next_at=T0) for each in taken])
        assert reader.documents.chunks(ROOT, "a.md") == [(a, "ha")]
        assert reader.documents.holding(["hb"]) == {}
        # A short file could be guessed from its hash. By size and time it is not read again until it changes.
        assert reader.documents.files(ROOT) == [_file("a.md", "")]
        assert as_lists(reader.tokens(LATE, keys(b, a))) == [None, TWO.tolist()]
        assert reader.status()["token_vectors"] == {LATE: {"memories": 1, "bytes": 2}}
        assert reader.doubts() == [Doubt(a, c, "")]
        assert [each.key for each in reader.queue.jobs(MODEL)] == [a]
        assert reader.queue.jobs(NEW) == []

    def test_namespaces_do_not_see_each_others(self, store: Store, reader: Reader) -> None:
        (a,) = add(store, memory("a"))
        (b,) = add(store, memory("b"), namespace="other")
        with store.transaction("other") as tx:
            tx.documents.put(_file("a.md"), [(b, "hb")])
            tx.put_tokens(LATE, [b], [ONE])
        writes: tuple[Callable[[Writer], object], ...] = (
            lambda tx: tx.documents.put(_file("a.md"), [(b, "hb")]),
            lambda tx: tx.put_tokens(LATE, [b], [TWO]),
            lambda tx: tx.put_doubts([Doubt(a, b, "")]),
            lambda tx: tx.queue.put(MODEL, [a, b], T0),
        )
        for write in writes:
            with pytest.raises(NotFoundError), store.transaction("default") as tx:
                write(tx)
        files = reader.documents
        assert (files.files(ROOT), files.chunks(ROOT, "a.md"), files.holding(["hb"])) == ([], [], {})
        assert reader.tokens(LATE, keys(a, b)) == [None, None]
        assert reader.status()["token_vectors"] == {}
        assert reader.queue.jobs(MODEL) == []
        theirs = store.reader("other")
        assert theirs.documents.chunks(ROOT, "a.md") == [(b, "hb")]
        assert as_lists(theirs.tokens(LATE, keys(b))) == [ONE.tolist()]
