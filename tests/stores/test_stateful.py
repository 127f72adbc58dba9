"""Random walks of writes; after every step SQLite and PostgreSQL must read as the reference does.

The walks are the same in every run; set COMBRAY_WALKS to a number for that many new ones.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import comparing
import numpy as np
import pytest
from emptied import Emptied
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from tiers import nightly

from combray.errors import CombrayError
from combray.runtime import (
    Arm,
    Arrival,
    EntityArm,
    Filter,
    KeywordArm,
    Link,
    RecencyArm,
    Store,
    VectorArm,
    Writer,
)
from combray.stores.postgres import PostgresStore
from combray.stores.sqlite import SqliteStore
from combray.testing.fakes import START, memory, vector
from combray.testing.reference import ReferenceStore
from combray.types import EDGE_TYPES, KINDS, STATUSES, TIERS, TRUSTS

WALKS = int(os.environ.get("COMBRAY_WALKS", "0"))
NAMESPACES = ("one", "two")
MODELS = ("m:3", "n:2")
NAMES = ("Ann", "ANN", "Bob", "Straße")
SPACES = st.sampled_from(NAMESPACES)
T0 = START.timestamp()

words = st.sampled_from(
    ["apple", "apples", "plum", "Rome", "数据库", "don't", "2024", "the", "May", "x", "crème", "why?"]
)
texts = st.lists(words, min_size=1, max_size=7).map(" ".join)
moments = st.none() | st.integers(-3, 3).map(lambda days: START + timedelta(days=days, microseconds=days))
weights = st.sampled_from([0.0, 0.25, 0.5, 1.0])
lending = st.lists(weights, max_size=2).map(tuple)
axes3 = st.tuples(*[st.integers(-3, 3)] * 3)
optional = {
    "kind": st.sampled_from(KINDS),
    "category": st.sampled_from(["general", "decision"]),
    "importance": st.integers(1, 5),
    "confidence": st.sampled_from([0.0, 0.5, 0.7, 1.0]),
    "tier": st.sampled_from(TIERS),
    "status": st.sampled_from([*STATUSES, "active", "active", "active"]),
    "trust": st.sampled_from([*TRUSTS, "agent", "agent"]),
    "tags": st.lists(st.sampled_from(["Work", "work", "home"]), max_size=2).map(tuple),
    "entities": st.lists(st.sampled_from(NAMES), max_size=3).map(tuple),
    "source": st.sampled_from(["user", "mail"]),
    "author": st.none() | st.sampled_from(["Ann", "Bob", "apple"]),
    "session": st.none() | st.sampled_from(["s", "t"]),
    "position": st.none() | st.integers(0, 4),
    "context": st.just("") | texts,
    "occurred_from": moments,
    "valid_from": moments,
    "valid_to": moments,
    "expires_at": moments,
    "metadata": st.dictionaries(st.sampled_from("ab"), st.integers() | st.none(), max_size=2),
}
fields = st.fixed_dictionaries({}, optional=optional)
changes = fields.filter(bool)
arms = st.one_of(
    st.builds(
        KeywordArm,
        terms=st.lists(
            st.tuples(
                st.sampled_from(["appl", "plum", "rome", "数据", "据", "ann", "2024", "may", "never"]),
                weights,
            ),
            max_size=5,
        ).map(tuple),
        mode=st.sampled_from(["any", "all"]),
        scoring=st.sampled_from(["bm25f", "coverage"]),
        fields=st.tuples(*[st.sampled_from([0.0, 0.3, 1.0, 2.0])] * 4),
        before=lending,
        after=lending,
        shape_words=st.sampled_from([0, 2, 40]),
        question_boost=st.sampled_from([1.0, 1.5]),
        b=st.sampled_from([0.0, 0.75]),
        posting_budget=st.sampled_from([1, 5, 20_000]),
    ),
    st.builds(
        VectorArm,
        vector=axes3.map(lambda axes: vector(*axes)),
        model=st.just("m:3"),
        minimum=st.sampled_from([-1.0, 0.0, 0.5]),
        before=lending,
        after=lending,
        shape_words=st.sampled_from([0, 2, 40]),
        question_boost=st.sampled_from([1.0, 1.5]),
    ),
    st.just(RecencyArm()),
    st.builds(EntityArm, st.lists(st.sampled_from(NAMES), max_size=3).map(tuple)),
)
seconds = st.none() | st.integers(-3, 3).map(lambda days: T0 + 86_400 * days)


def some(values: list[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.just(()) | st.lists(st.sampled_from(values), min_size=1, max_size=2).map(tuple)


filters = st.builds(
    Filter,
    statuses=st.just(("active", "pending_embed")) | some(list(STATUSES)),
    kinds=some(["fact", "episode"]),
    tags=some(["WORK", "home"]),
    trusts=st.just(("owner", "agent", "untrusted")) | some(list(TRUSTS)),
    authors=some(["Ann", "never"]),
    sessions=some(["s", "t"]),
    tiers=some(["core", "working"]),
    since=seconds,
    until=seconds,
    as_of=seconds,
    now=seconds,
    min_confidence=st.sampled_from([0.0, 0.0, 0.6]),
    min_importance=st.sampled_from([1, 1, 3]),
)
picks = st.integers(0, 30)


class UndoneError(Exception):
    """Raised to take a transaction back."""


class Walk(RuleBasedStateMachine):
    """Every rule does the same to both stores."""

    @initialize()
    def open_both(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = str(Path(self.folder.name) / "a.db")
        self.sqlite: Store = self.opened()
        self.reference: Store = ReferenceStore()
        self.written = 0

    def opened(self) -> Store:
        """Open the store under test."""
        return SqliteStore(self.path)

    def rolled_back(self) -> None:
        """Called after a transaction that failed."""

    def teardown(self) -> None:
        if hasattr(self, "sqlite"):
            self.agree_on_everything()
            assert self.sqlite.check() == []
            self.sqlite.close()
            self.folder.cleanup()

    def both(self, namespace: str, write: Any) -> None:
        """Run a write on both stores: the same outcome, or the same kind of error."""
        outcomes = []
        for store in (self.sqlite, self.reference):
            try:
                with store.transaction(namespace) as tx:
                    outcomes.append(write(tx))
            except (CombrayError, UndoneError) as error:
                outcomes.append(type(error).__name__)
                self.rolled_back()
        assert outcomes[0] == outcomes[1]

    def key(self, pick: int) -> int:
        """A key that is there, or was, or never will be."""
        return pick % (self.written + 2)

    def arrivals(self, given: list[tuple[str, dict[str, Any], tuple[int, int, int] | None]]) -> list[Arrival]:
        made = []
        for content, values, axes in given:
            self.written += 1
            vectors = {} if axes is None else {"m:3": vector(*axes)}
            made.append(Arrival(memory(content, self.written, id=f"0190-{self.written:08}", **values), vectors))
        return made

    given = st.lists(st.tuples(texts, fields, st.none() | axes3), min_size=1, max_size=4)

    @rule(namespace=SPACES, given=given)
    def insert(self, namespace: str, given: Any) -> None:
        made = self.arrivals(given)
        self.both(namespace, lambda tx: tx.insert(made))

    @rule(namespace=SPACES, pick=picks, values=changes)
    def change(self, namespace: str, pick: int, values: dict[str, Any]) -> None:
        self.both(namespace, lambda tx: tx.change(self.key(pick), "edit", "walk", T0, **values))

    @rule(namespace=SPACES, pick=picks, status=st.sampled_from(STATUSES))
    def change_status(self, namespace: str, pick: int, status: str) -> None:
        self.both(namespace, lambda tx: tx.change(self.key(pick), "status", "walk", T0, status=status))

    links = st.lists(
        st.tuples(picks, picks, st.sampled_from(EDGE_TYPES), weights, st.sampled_from(["", "x"])), max_size=3
    )

    @rule(namespace=SPACES, given=links)
    def link(self, namespace: str, given: Any) -> None:
        made = [Link(self.key(a), self.key(b), type_, weight, sub, "why") for a, b, type_, weight, sub in given]
        self.both(namespace, lambda tx: tx.link(made, T0))

    @rule(namespace=SPACES, start=picks, end=picks, type_=st.sampled_from(EDGE_TYPES))
    def unlink(self, namespace: str, start: int, end: int, type_: str) -> None:
        self.both(namespace, lambda tx: tx.unlink(self.key(start), self.key(end), type_))

    @rule(namespace=SPACES, given=st.lists(st.tuples(picks, axes3), min_size=1, max_size=3))
    def put_vectors(self, namespace: str, given: Any) -> None:
        keys = [self.key(pick) for pick, _ in given]
        rows = np.stack([vector(*axes) for _, axes in given])
        self.both(namespace, lambda tx: tx.put_vectors("m:3", keys, rows))

    @rule(namespace=SPACES, pick=picks, dimensions=st.integers(2, 3))
    def put_vector_of_another_model(self, namespace: str, pick: int, dimensions: int) -> None:
        row = np.ones((1, dimensions), dtype=np.float32)
        self.both(namespace, lambda tx: tx.put_vectors("n:2", [self.key(pick)], row))

    @rule(namespace=SPACES, pick=picks, rows=st.lists(st.integers(-127, 127), max_size=2))
    def put_tokens(self, namespace: str, pick: int, rows: list[int]) -> None:
        tokens = np.array([[each, 1] for each in rows], dtype=np.int8).reshape(-1, 2)
        self.both(namespace, lambda tx: tx.put_tokens("late:2", [self.key(pick)], [tokens]))

    @rule(namespace=SPACES, given=st.dictionaries(picks, st.integers(1, 3), max_size=3))
    def touch(self, namespace: str, given: dict[int, int]) -> None:
        accesses = {self.key(pick): (times, T0 + times) for pick, times in given.items()}
        self.both(namespace, lambda tx: tx.touch(accesses))

    @rule(namespace=SPACES, pick=picks)
    def note(self, namespace: str, pick: int) -> None:
        self.both(namespace, lambda tx: tx.note("do", f"0190-{pick:08}", f"saw 0190-{pick + 1:08}", T0))

    @rule(namespace=SPACES, given=st.lists(picks, min_size=1, max_size=2))
    def erase(self, namespace: str, given: list[int]) -> None:
        self.both(namespace, lambda tx: tx.erase([self.key(pick) for pick in given], T0))

    @rule(namespace=SPACES, given=st.lists(picks, max_size=3), model=st.sampled_from(MODELS))
    def queue(self, namespace: str, given: list[int], model: str) -> None:
        self.both(namespace, lambda tx: tx.queue.put(model, [self.key(pick) for pick in given], T0 + len(given)))

    @rule(namespace=SPACES, model=st.sampled_from(MODELS), holder=st.sampled_from("ab"), limit=st.integers(0, 3))
    def take_jobs(self, namespace: str, model: str, holder: str, limit: int) -> None:
        self.both(namespace, lambda tx: tx.queue.take(model, holder, T0 + limit, T0 + limit + 2, limit))

    @rule(namespace=SPACES, model=st.sampled_from(MODELS), holder=st.sampled_from("ab"), failed=st.booleans())
    def end_jobs(self, namespace: str, model: str, holder: str, failed: bool) -> None:
        def write(tx: Writer) -> Any:
            held = tx.queue.held(model, holder)
            tx.queue.finish(model, [job.key for job in held[1:]])
            tx.queue.update([replace(job, holder="", failed=failed, error="no") for job in held])
            return held, tx.queue.holders(model), tx.queue.due(model, T0 + 2)

        self.both(namespace, write)

    @rule(namespace=SPACES, model=st.sampled_from(MODELS), holder=st.sampled_from("ab"))
    def let_jobs_go(self, namespace: str, model: str, holder: str) -> None:
        self.both(namespace, lambda tx: (tx.queue.release(holder, T0), tx.queue.retry(model, T0)))

    @rule(namespace=SPACES, model=st.sampled_from(MODELS))
    def drop_a_model(self, namespace: str, model: str) -> None:
        self.both(namespace, lambda tx: (tx.drop_vectors(model), tx.queue.drop(model)))

    @rule(namespace=SPACES, given=given, pick=picks, axes=axes3, values=changes, erasing=st.booleans())
    def roll_back(
        self, namespace: str, given: Any, pick: int, axes: Any, values: dict[str, Any], erasing: bool
    ) -> None:
        made = self.arrivals(given)

        def write(tx: Writer) -> None:
            tx.insert(made)
            with suppress(CombrayError):
                tx.put_vectors("m:3", [self.key(pick)], vector(*axes)[None, :])
                tx.change(self.key(pick), "edit", "walk", T0, **values)
            tx.nearest("m:3", vector(*axes)[None, :], Filter(), 5, -1.0)
            if erasing:
                tx.erase([self.key(pick)], T0)
            raise UndoneError

        self.both(namespace, write)

    @rule(namespace=SPACES)
    def ask_a_writer(self, namespace: str) -> None:
        def ask(tx: Writer) -> Any:
            hashes = [each.content_hash for each in tx.memories(range(self.written + 1))]
            named = tx.naming(NAMES, 2)
            newest = (tx.latest(3), tx.latest(9, source="mail"), tx.latest(9, before=T0))
            return tx.live_with_hash(hashes), tx.next_position("s"), named, newest, tx.count_live(["fact"])

        self.both(namespace, ask)

    @rule()
    def reopen(self) -> None:
        self.sqlite.close()
        self.sqlite = self.opened()

    @rule(
        namespace=SPACES,
        asked=st.lists(arms, min_size=1, max_size=3),
        where=filters,
        limit=st.sampled_from([1, 3, 50]),
    )
    def search(self, namespace: str, asked: list[Arm], where: Filter, limit: int) -> None:
        named = {f"arm {place}": arm for place, arm in enumerate(asked)}
        mine, right = (
            comparing.searched(store.reader(namespace), named, where, limit)
            for store in (self.sqlite, self.reference)
        )
        assert mine == right

    @rule(namespace=SPACES, where=filters, axes=axes3, limit=st.sampled_from([1, 50]), newest=st.booleans())
    def scan_and_nearest(self, namespace: str, where: Filter, axes: Any, limit: int, newest: bool) -> None:
        answers = []
        for store in (self.sqlite, self.reference):
            reader = store.reader(namespace)
            (near,) = reader.nearest("m:3", vector(*axes)[None, :], where, limit, 0.25)
            keys = reader.scan(where, newest_first=newest, limit=limit)
            similar = reader.similarity("m:3", vector(*axes), keys).tolist()
            answers.append((near.keys.tolist(), near.scores.tolist(), keys.tolist(), similar))
        assert answers[0] == answers[1]

    @rule()
    def agree_on_everything(self) -> None:
        assert self.sqlite.namespaces() == self.reference.namespaces()
        for namespace in NAMESPACES:
            mine, right = (
                comparing.everything(store.reader(namespace), MODELS, NAMES)
                for store in (self.sqlite, self.reference)
            )
            assert mine == right

    @invariant()
    def agree_on_what_there_is(self) -> None:
        if hasattr(self, "sqlite"):
            for namespace in NAMESPACES:
                mine, right = (store.reader(namespace) for store in (self.sqlite, self.reference))
                assert mine.revision() == right.revision()
                assert mine.profile() == right.profile()


class PostgresWalk(Walk):
    """The same walks on PostgreSQL, whose keys a failed transaction uses up: here they are given back."""

    database: Emptied

    def opened(self) -> Store:
        if not hasattr(self, "sqlite"):
            self.database.empty()
        return PostgresStore(self.database.url)

    def rolled_back(self) -> None:
        self.database.rewind()


TestWalk = Walk.TestCase
TestWalk.settings = settings(
    derandomize=not WALKS,
    max_examples=WALKS or 35,
    stateful_step_count=30,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("walks", [4, *nightly([20], "more walks")])
def test_walks_on_postgres(postgres: Emptied, walks: int) -> None:
    PostgresWalk.database = postgres
    run_state_machine_as_test(PostgresWalk, settings=settings(TestWalk.settings, max_examples=WALKS or walks))


@pytest.mark.nightly("more walks")
def test_many_walks() -> None:
    run_state_machine_as_test(Walk, settings=settings(TestWalk.settings, max_examples=WALKS or 150))
