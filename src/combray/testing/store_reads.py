"""Reading: rows, texts, ids, neighbours, graph, counts; namespaces that never cross."""
# ruff: noqa: S101

from __future__ import annotations

from datetime import timedelta

import pytest

from combray.errors import NotFoundError
from combray.language.indexing import full_text
from combray.language.intent import Cue, cues
from combray.language.tense import TENSE_BITS
from combray.runtime import Arm, EntityArm, Filter, KeywordArm, Link, Reader, RecencyArm, Store, VectorArm
from combray.testing.fakes import START, memory
from combray.testing.store_cases import MODEL, T0, StoreCases, X, add, keys, order, texts, turn
from combray.types import Memory

FULL = Memory(
    id="0190aaaa-0000-7000-8000-000000000001",
    namespace="default",
    content="Ann moved to Rome on 3 May?",
    kind="episode",
    category="decision",
    importance=5,
    confidence=0.25,
    tier="core",
    status="pending_embed",
    tags=("Move", "life"),
    entities=("Ann", "Rome"),
    source="mail",
    author="Ann",
    session="s1",
    position=7,
    trust="owner",
    recorded_at=START + timedelta(microseconds=1),
    occurred_from=START - timedelta(days=2),
    occurred_to=START - timedelta(days=1),
    valid_from=START,
    valid_to=START + timedelta(days=300),
    expires_at=START + timedelta(days=400),
    last_accessed_at=START + timedelta(hours=1),
    access_count=3,
    content_hash="abc",
    context="talking about flats",
    evidence=("e1", "e2"),
    supersedes="old",
    superseded_by="new",
    merged_into="other",
    slot="ana.city",
    metadata={"a": [1, {"b": None}], "ü": "\u0000x"},
)


class Reads(StoreCases):
    """Stored memories are read unchanged."""

    def test_a_memory_comes_back_whole(self, store: Store, reader: Reader) -> None:
        plain = memory("just text")
        found = reader.memories(add(store, FULL, plain))
        assert found == [FULL, plain]
        assert found[0].recorded_at.utcoffset() == timedelta(0)

    @pytest.mark.parametrize(
        "text", ["a\x00b", "\U0001f469\u200d\U0001f680 ok", "'; DROP TABLE memory; --", " \n\t", "é" * 8000]
    )
    def test_any_text_comes_back_as_it_was(self, store: Store, reader: Reader, text: str) -> None:
        added = add(store, memory(text, tags=(text,), entities=(text,), author=text, session=text))
        (found,) = reader.memories(added)
        assert (found.content, found.tags, found.author) == (text, (text,), text)
        assert order(reader.scan(Filter(authors=(text,), sessions=(text,), tags=(text,)))) == added

    def test_memories_and_contents_keep_the_order_asked_for(self, store: Store, reader: Reader) -> None:
        a, b = add(store, memory("a"), memory("b"))
        assert [each.content for each in reader.memories([b, 10**6, a, b])] == ["b", "a", "b"]
        assert reader.contents([b, 10**6, a]) == ["b", "", "a"]

    def test_rows_are_columns_in_the_order_of_the_keys(self, store: Store, reader: Reader) -> None:
        full, plain = add(store, FULL, memory("just text", 2, author="Bob"))
        rows = reader.rows(keys(plain, full))
        assert reader.ids(keys(plain, 10**6, full)) == [memory("just text", 2).id, "", FULL.id]
        assert [rows.author_names[code] for code in rows.author] == ["Bob", "Ann"]
        assert rows.session[0] == -1
        assert rows.session[1] >= 0
        assert rows.position.tolist() == [-1, 7]
        assert rows.words.tolist() == [2, 10]
        assert rows.moment.tolist() == [(START + timedelta(minutes=2)).timestamp(), T0 - 2 * 86400]
        assert rows.recorded.tolist() == [T0 + 120, T0 + 1e-6]
        assert rows.importance.tolist() == [3, 5]
        assert rows.confidence.tolist() == [0.7, 0.25]
        assert rows.tier.tolist() == [1, 0]
        assert reader.accesses(keys(plain, full, 10**6)).tolist() == [0, 3, 0]
        assert rows.asks.tolist() == [False, True]
        assert rows.times.tolist() == [False, True]
        assert rows.cues.tolist() == [0, int(cues(full_text(FULL))) | TENSE_BITS["asked"]]

    def test_rows_hold_the_time_that_a_text_names(self, store: Store, reader: Reader) -> None:
        """Without `said_at` the time was given by the caller, and is the moment."""
        day, later = START - timedelta(days=9), START - timedelta(days=8)
        named = memory("went there nine days ago", said_at=START, occurred_from=day, occurred_to=later)
        given = memory("went there", occurred_from=day)
        rows = reader.rows(keys(*add(store, named, given)))
        assert rows.moment.tolist() == [T0, day.timestamp()]
        assert [rows.happened[0], rows.happened_to[0]] == [day.timestamp(), later.timestamp()]
        # nan
        assert rows.happened[1] != rows.happened[1]
        assert rows.happened_to[1] != rows.happened_to[1]

    def test_a_new_context_is_measured_anew(self, store: Store, reader: Reader) -> None:
        """The context counts as text: words, time expressions and cues change with it."""
        (key,) = add(store, memory("a word"))
        assert reader.rows(keys(key)).words.tolist() == [2]
        with store.transaction("default") as tx:
            tx.change(key, "context", "test", T0, context="yesterday in Rome")
        rows = reader.rows(keys(key))
        assert (rows.words.tolist(), rows.times.tolist()) == ([5], [True])
        assert rows.cues.tolist() == [int(Cue.PLACE | Cue.PERSON)]

    def test_rows_know_the_gain_of_their_session(self, store: Store, reader: Reader) -> None:
        """Turns of 40 and 120 words: mean 80, gain (40/80)². Short turns: 1. No session: its own 160."""
        every = add(
            store,
            memory("a " * 40, 0, session="s", position=0),
            memory("b " * 120, 1, session="s", position=1),
            memory("c", 2, session="t", position=0),
            memory("d " * 160, 3),
        )
        assert reader.rows(keys(*every)).gain.tolist() == [0.25, 0.25, 1.0, 0.0625]

    def test_rows_of_one_session_have_one_code(self, store: Store, reader: Reader) -> None:
        every = add(store, *(memory(f"{i}", i, session=session) for i, session in enumerate("aba")))
        first, other, same = reader.rows(keys(*every)).session
        assert first == same != other

    def test_rows_of_an_unknown_key(self, reader: Reader) -> None:
        with pytest.raises(NotFoundError, match="12345"):
            reader.rows(keys(12345))

    def test_ids_and_unique_prefixes(self, store: Store, reader: Reader) -> None:
        ids = ("0190aaaa-1", "0190aaaa-2", "0190bbbb-1", "0190bbbb-11")
        a, _, c, _ = add(store, *(memory(each, id=each) for each in ids))
        keys_of = reader.keys_of
        assert keys_of(["0190aaaa-1", "never", "0190aaaa"]) == {"0190aaaa-1": a}
        assert keys_of(["0190bbb"]) == {}
        assert keys_of(["0190bbbb-1"]) == {"0190bbbb-1": c}
        assert keys_of(["0190aaaa-2", "0190bbbb"]) == {"0190aaaa-2": a + 1}
        assert keys_of(["0190%aaa", "________", ""]) == {}

    def test_a_prefix_of_eight_characters_is_enough(self, store: Store, reader: Reader) -> None:
        (a,) = add(store, memory("x", id="0190cccc-dddd"))
        assert reader.keys_of(["0190cccc", "0190ccc"]) == {"0190cccc": a}

    def test_neighbours_in_order_of_position(self, store: Store, reader: Reader) -> None:
        places = [2, 0, 1, 3, 1]
        every = add(store, *(memory(f"{i}", i, session="s", position=p) for i, p in enumerate(places)))
        c, a, b, d, b2 = every
        (alone,) = add(store, memory("alone", 9))
        around = reader.neighbours
        assert around(keys(c, a, alone, 10**6), 2, 1) == [[b, b2, d], [b], [], []]
        assert around(keys(b), 5, 5) == [[a, b2, c, d]]
        assert around(keys(b), 0, 0) == [[]]

    def test_scan_goes_by_moment_then_key(self, store: Store, reader: Reader) -> None:
        a, b, c = add(store, memory("a", 5), memory("b", 1), memory("c", 5))
        scan = reader.scan
        assert order(scan(Filter())) == [b, a, c]
        assert order(scan(Filter(), newest_first=True)) == [c, a, b]
        assert order(scan(Filter(), newest_first=True, limit=2)) == [c, a]
        assert order(scan(Filter(), limit=0)) == []

    def test_links_from_either_end_and_edges_with_ids(self, store: Store, reader: Reader) -> None:
        a, b, c = add(store, memory("a"), memory("b"), memory("c"))
        near = Link(b, c, "semantic", 0.5, "sub", "why", "someone")
        then = Link(a, b, "temporal", 1.0)
        because = Link(a, b, "causal", 0.75)
        with store.transaction("default") as tx:
            assert tx.link([near, then, because], T0) == 3
        assert reader.links([a]) == [then, because]
        assert reader.links([c, b]) == [then, because, near]
        assert reader.links([a, b], ["causal"]) == [because]
        assert reader.joined([c, b]) == [(a, b, "temporal"), (a, b, "causal"), (b, c, "semantic")]
        assert reader.joined([a, b], ["causal"]) == [(a, b, "causal")]
        other = store.reader("other")
        assert other.links([a, b]) == []
        assert other.joined([a, b]) == []
        for ends_at in ([a], [b], [c], [a, b, c, a], []):
            ends = [each for each in (then, because, near) if each.target in ends_at]
            assert reader.links_to(ends_at) == ends
            assert reader.links_to(ends_at, ["causal"]) == [each for each in ends if each.type == "causal"]
        assert reader.links([10**6]) == []
        found = reader.edges(["semantic"])
        assert [(edge.source, edge.target) for edge in found] == [(memory("b").id, memory("c").id)]
        assert (found[0].subtype, found[0].reason, found[0].created_by) == ("sub", "why", "someone")
        assert found[0].created_at == START
        assert [edge.type for edge in reader.edges()] == ["temporal", "causal", "semantic"]

    def test_entities_are_known_and_counted_while_alive(self, store: Store, reader: Reader) -> None:
        a, _, _ = add(
            store,
            memory("a", entities=("Ann", "ann", "Rome")),
            memory("b", entities=("ANN",)),
            memory("c", entities=("Gone",), status="forgotten"),
        )
        assert reader.known_entities(["ann", "ROME", "Gone", "never"]) == {"ann", "ROME"}
        assert reader.entity_counts() == [("ann", 2), ("rome", 1)]
        assert reader.entity_counts(1) == [("ann", 2)]
        with store.transaction("default") as tx:
            tx.change(a, "forget", "test", T0, status="forgotten")
        assert reader.known_entities(["ann", "ROME"]) == {"ann"}
        assert reader.entity_counts() == [("ann", 1)]

    def test_profile(self, store: Store, reader: Reader) -> None:
        """Two of three live memories are in a session."""
        add(
            store,
            memory("one", 1, author="Bob", session="s"),
            memory("one two three", 2, author="Ann", session="s"),
            memory("one two three four", 9),
            memory("dead " * 50, 99, author="Gone", status="forgotten"),
        )
        found = reader.profile()
        assert (found.memories, found.authors) == (3, ("Ann", "Bob"))
        assert found.with_session == pytest.approx(2 / 3)
        add(store, memory("one two", 20, author="Aaa"))
        again = reader.profile()
        assert (again.memories, again.authors) == (4, ("Aaa", "Ann", "Bob"))

    def test_status_and_log(self, store: Store, reader: Reader) -> None:
        a, b, _ = add(store, (memory("a"), X), memory("b", 3, kind="episode"), memory("c", status="merged"))
        with store.transaction("default") as tx:
            tx.link([Link(a, b, "causal", 1.0)], T0)
            tx.note("remember", "id-a", "first", T0)
            tx.note("remember", "id-b", "second", T0 + 1)
        assert reader.status() == {
            "by_status": {"active": 2, "merged": 1},
            "by_kind": {"episode": 1, "fact": 1},
            "by_category": {"general": 2},
            "edges": {"causal": 1},
            "vectors": {MODEL: 1},
            "token_vectors": {},
            "operations": 2,
            "first_moment": START,
            "last_moment": START + timedelta(minutes=3),
        }
        second, first = reader.log(10)
        assert reader.log(10, after=0) == [first, second]
        assert reader.log(1, after=0) == reader.log(1, after=first["number"] - 1) == [first]
        assert reader.log(10, after=first["number"]) == [second]
        assert reader.log(10, after=second["number"]) == []
        assert (second["operation"], second["memory_id"], second["detail"]) == ("remember", "id-b", "second")
        assert second["at"] == START + timedelta(seconds=1)
        assert second["number"] > first["number"]
        assert reader.log(1) == [second]

    def test_an_empty_store_answers_everything(self, store: Store) -> None:
        reader = store.reader("never written")
        arms: dict[str, Arm] = {
            "words": KeywordArm((("x", 1.0),), before=(1.0,)),
            "vectors": VectorArm(X, MODEL, after=(1.0,)),
            "recency": RecencyArm(),
            "entity": EntityArm(("Ann",)),
        }
        found = reader.search(arms, Filter(tags=("x",)), 10)
        assert (found.keys.size, found.eligible) == (0, 0)
        assert all(found.lists[name].keys.size == 0 for name in arms)
        assert reader.scan(Filter()).size == 0
        assert [each.keys.size for each in reader.nearest(MODEL, X[None, :], Filter(), 5, 0)] == [0]
        assert (reader.memories([1]), reader.keys_of(["x"])) == ([], {})
        assert (reader.links([1]), reader.edges()) == ([], [])
        assert (reader.known_entities(["x"]), reader.entity_counts(), reader.history(1)) == (set(), [], [])
        assert (reader.log(5), reader.revision(), reader.neighbours(keys(1), 1, 1)) == ([], 0, [[]])
        profile = reader.profile()
        assert (profile.memories, profile.authors, profile.with_session) == (0, (), 0.0)
        assert reader.status()["by_status"] == {}
        assert store.namespaces() == []
        assert store.check() == []

    def test_nothing_crosses_a_namespace(self, store: Store) -> None:
        """The same id, text, names and vector in two: each reads its own, and nothing by the other's keys."""
        given = memory(
            "Ann likes tea", id="0190dddd-same", entities=("Ann",), tags=("t",), session="s", position=0
        )
        (mine,) = add(store, (given, X), namespace="mine")
        theirs, more = add(store, (given, X), turn("tea for Bob", 1), namespace="theirs")
        with store.transaction("theirs") as tx:
            tx.link([Link(theirs, more, "causal", 1.0)], 0.0)
            tx.change(theirs, "x", "y", 0.0, importance=1)
            tx.note("x", "y", "z", 0.0)
        reader = store.reader("mine")
        arms: dict[str, Arm] = {
            "words": KeywordArm((("tea", 1.0),), after=(0.5,)),
            "vectors": VectorArm(X, MODEL),
            "recency": RecencyArm(),
            "entity": EntityArm(("Ann",)),
        }
        found = reader.search(arms, Filter(tags=("t",)), 10)
        assert [order(ranked.keys) for ranked in found.lists.values()] == [[mine]] * 4
        # N=1 and n=1: the other namespace's rows do not count.
        assert found.scores["words"][0] == pytest.approx(0.287682 * 2.2 / 2.2, abs=1e-6)
        assert reader.keys_of([given.id, "0190dddd"]) == {given.id: mine, "0190dddd": mine}
        assert reader.memories([theirs, more]) == []
        assert texts(store, [theirs, mine], "mine") == ["", "Ann likes tea"]
        assert (reader.links([theirs, more]), reader.edges(), reader.history(theirs)) == ([], [], [])
        assert reader.neighbours(keys(mine, theirs), 5, 5) == [[], []]
        assert reader.vectors(MODEL, keys(theirs))[1].tolist() == [False]
        assert reader.similarity(MODEL, X, keys(theirs)).tolist() == [0.0]
        assert (reader.log(5), reader.known_entities(["Bob"])) == ([], set())
        assert reader.entity_counts() == [("ann", 1)]
        assert reader.status()["edges"] == {}
        assert store.namespaces() == ["mine", "theirs"]
        with pytest.raises(NotFoundError):
            reader.rows(keys(theirs))

    def test_no_write_crosses_a_namespace(self, store: Store) -> None:
        (mine,) = add(store, memory("a", content_hash="h", session="s", position=4), namespace="mine")
        theirs, more = add(store, memory("b"), memory("c"), namespace="theirs")
        with store.transaction("theirs") as tx:
            tx.link([Link(theirs, more, "causal", 1.0)], 0.0)
        before = (store.reader("theirs").memories([theirs, more]), store.reader("theirs").edges())
        with store.transaction("mine") as tx:
            assert tx.unlink(theirs, more, "causal") == 0
            tx.touch({theirs: (1, 0.0)})
            tx.erase([theirs], 0.0)
            with pytest.raises(NotFoundError):
                tx.change(theirs, "x", "y", 0.0, importance=1)
            with pytest.raises(NotFoundError):
                tx.link([Link(mine, theirs, "causal", 1.0)], 0.0)
            with pytest.raises(NotFoundError):
                tx.put_vectors(MODEL, [theirs], X[None, :])
        assert (store.reader("theirs").memories([theirs, more]), store.reader("theirs").edges()) == before
        with store.transaction("theirs") as tx:
            assert (tx.live_with_hash(["h"]), tx.next_position("s"), tx.count_live()) == ({}, 0, 2)
        assert store.check() == []
