"""Suite: declared and learned names, and names that lend their rows to a term."""
# ruff: noqa: S101

from __future__ import annotations

from combray.runtime import KeywordArm, Store
from combray.testing.fakes import memory
from combray.testing.store_cases import T0, StoreCases, add, scores, search

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
