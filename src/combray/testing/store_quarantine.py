"""Quarantine: only `scan` returns quarantined memories, and they affect no score."""
# ruff: noqa: S101

from __future__ import annotations

from typing import Any

import pytest

from combray.runtime import Filter, KeywordArm, Link, Store
from combray.testing.fakes import memory, vector
from combray.testing.store_cases import MODEL, T0, StoreCases, add, keys, texts
from combray.testing.store_filters import ARMS

SAID: tuple[tuple[str, dict[str, Any], tuple[int, ...]], ...] = (
    ("I bought green tea in Rome", {"author": "Ann", "entities": ("Rome",)}, (1, 0, 0, 0)),
    ("Which tea?", {"author": "Bob"}, (0, 1, 0, 0)),
    ("The green one, of course", {"author": "Ann", "entities": ("Ann",)}, (0, 0, 1, 0)),
)
HIDDEN = "green tea tea xylophone"
APART: dict[str, Any] = {"author": "Mallory", "entities": ("Ann", "Zed"), "trust": "quarantined"}


class QuarantineCases(StoreCases):
    """Two namespaces with one session: "with" has a quarantined turn in the middle, "without" has not."""

    def both(self, store: Store) -> dict[str, list[int]]:
        placed = {}
        for namespace in ("with", "without"):
            turns = [
                (memory(text, at, session="s", position=2 * at, **fields), vector(*axes))
                for at, (text, fields, axes) in enumerate(SAID)
            ]
            if namespace == "with":
                turns.insert(1, (memory(HIDDEN, 9, session="s", position=1, **APART), vector(1, 1, 0, 0)))
            placed[namespace] = add(store, *turns, namespace=namespace)
        return placed

    def test_no_arm_returns_it_with_any_filter(self, store: Store) -> None:
        hidden = self.both(store)["with"][1]
        reader = store.reader("with")
        for where in (Filter(), Filter(trusts=()), Filter(trusts=("quarantined",))):
            found = reader.search(ARMS, where, 10)
            assert hidden not in found.keys
            assert found.eligible == (0 if where.trusts == ("quarantined",) else 3)
        (near,) = reader.nearest(MODEL, vector(1, 1, 0, 0)[None, :], Filter(trusts=()), 10, 0.0)
        assert hidden not in near.keys
        assert reader.scan(Filter(trusts=("quarantined",))).tolist() == [hidden]

    @pytest.mark.parametrize("word", ["green", "tea", "xylophon"])
    def test_every_score_is_that_of_a_store_without_it(self, store: Store, word: str) -> None:
        """Idf, lengths, context expansion, the session's gain, the mean cosine."""
        self.both(store)
        reported: dict[str, dict[str, Any]] = {}
        arms = dict(ARMS)
        for expanded in ("", "expanded "):
            weights = {"before": (0.5, 0.25), "after": (0.5,)} if expanded else {}
            for scoring in ("bm25f", "coverage"):
                arms[expanded + scoring] = KeywordArm(((word, 1.0), ("ann", 0.5)), scoring=scoring, **weights)  # type: ignore[arg-type]
            arms[expanded + "share"] = KeywordArm(((word, 1.0),), normalise=True, shape_words=2, **weights)  # type: ignore[arg-type]
        for namespace in ("with", "without"):
            found = store.reader(namespace).search(arms, Filter(), 10)
            contents = texts(store, found.keys, namespace)
            reported[namespace] = {
                name: dict(zip(contents, scores.tolist(), strict=True)) for name, scores in found.scores.items()
            }
        assert reported["with"] == reported["without"]

    def test_it_is_not_a_neighbour(self, store: Store) -> None:
        placed = self.both(store)
        first, hidden, second, third = placed["with"]
        reader = store.reader("with")
        around = reader.neighbours(keys(first, hidden, second), 2, 2)
        assert around == [[second, third], [], [first, third]]
        gains = reader.rows(keys(first, second, third)).gain.tolist()
        assert gains == store.reader("without").rows(keys(*placed["without"])).gain.tolist()

    def test_its_entities_and_author_are_unknown(self, store: Store) -> None:
        placed = self.both(store)
        reader = store.reader("with")
        assert reader.known_entities(["Zed", "Mallory", "Rome"]) == {"Rome"}
        assert reader.entity_counts() == store.reader("without").entity_counts() == [("ann", 1), ("rome", 1)]
        assert "Mallory" not in reader.rows(keys(*placed["with"])).author_names
        assert reader.profile() == store.reader("without").profile()

    def test_a_writer_skips_it(self, store: Store) -> None:
        first, hidden, second, third = self.both(store)["with"]
        text_hash = store.reader("with").memories([hidden])[0].content_hash
        with store.transaction("with") as tx:
            assert [key for key, _ in tx.latest(9)] == [third, second, first]
            assert tx.naming(["Ann", "Zed"], 5) == {"Ann": (1, [third]), "Zed": (0, [])}
            assert tx.count_live() == 3
            assert tx.live_with_hash([text_hash]) == {}

    def test_no_edge_leads_to_it_or_from_it(self, store: Store) -> None:
        first, hidden, second, third = self.both(store)["with"]
        ends = [(first, hidden), (hidden, second), (second, third)]
        with store.transaction("with") as tx:
            tx.link([Link(a, b, "semantic", 0.5) for a, b in ends], T0)
        reader = store.reader("with")
        links = reader.links([first, hidden, second])
        assert reader.links_to([first, hidden, second, third]) == links
        assert [(each.source, each.target) for each in links] == [(second, third)]
        assert reader.joined([first, hidden, second]) == [(second, third, "semantic")]
        assert len(reader.edges()) == 3, "an export keeps them"

    def test_after_release_it_counts_again(self, store: Store) -> None:
        first, hidden, second, third = self.both(store)["with"]
        reader = store.reader("with")
        before = reader.search(ARMS, Filter(), 10)
        with store.transaction("with") as tx:
            tx.link([Link(first, hidden, "semantic", 0.5)], T0)
            tx.change(hidden, "release", "user", T0, trust="untrusted")
        after = reader.search(ARMS, Filter(), 10)
        assert (hidden in after.keys, before.eligible, after.eligible) == (True, 3, 4)
        assert reader.neighbours(keys(hidden), 1, 1) == [[first, second]]
        assert reader.known_entities(["Zed"]) == {"Zed"}
        assert "Mallory" in reader.rows(keys(hidden)).author_names
        assert [(each.source, each.target) for each in reader.links([hidden])] == [(first, hidden)]
        with store.transaction("with") as tx:
            tx.change(hidden, "quarantine", "user", T0, trust="quarantined")
        again = reader.search(ARMS, Filter(), 10)
        assert again.scores["expanded"].tolist() == before.scores["expanded"].tolist()
        assert reader.known_entities(["Zed"]) == set()
        assert third in again.keys
