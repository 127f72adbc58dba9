"""How many round trips a recall and a write need: over a network each of them counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import psycopg
import pytest
from emptied import Emptied

import combray
from combray.engine.engine import Engine
from combray.testing.postgres import Server
from combray.testing.round_trips import Relay

TEXTS = (
    "Alice moved from Paris to Berlin in March 2024.",
    "Bob likes green tea and dislikes coffee.",
    "The deployment failed because the disk was full.",
    "Bob's sister Carol plays the cello in Leipzig.",
    "Alice adopted a cat named Miso.",
)


@pytest.fixture
def relay(postgres_server: Server, postgres: Emptied) -> Iterator[Relay]:
    found = Relay(postgres_server.folder)
    yield found
    found.close()


@pytest.fixture
def engine(relay: Relay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setenv("COMBRAY_HOME", str(tmp_path / "home"))
    with combray.open(relay.url(), worker=False) as opened:
        opened.remember_many([f"{text} Case {place}." for place in range(40) for text in TEXTS], diff=False)
        for place in range(8):  # until the statements are prepared
            opened.recall("Where does Alice live?")
            # Without a diff: the open pairs of what may change something are read in one more trip.
            opened.remember(f"On day {place} again: {TEXTS[place % 5]}", diff=False)
        yield opened


def trips(relay: Relay, *works: Callable[[], object]) -> int:
    """The least of what pieces of work of one kind take: threads in the background can only add to it."""
    found = []
    for work in works:
        before = relay.trips
        work()
        found.append(relay.trips - before)
    return min(found)


def test_a_recall_reads_candidates_in_one_round_trip_and_edges_with_memories_in_one_more(
    relay: Relay, engine: Engine
) -> None:
    def asked(*questions: str) -> list[Callable[[], object]]:
        return [partial(engine.recall, question) for question in questions]

    engine.recall("What does Bob like to drink?")
    # BEGIN with the state of the namespace; the candidates' texts and ids; edges and memories of the hits.
    assert trips(relay, *asked(*["What does Bob like to drink?"] * 3)) == 3
    # Also the posting lists of new words, the ids of memories with equal scores, and what a later stage looks up.
    new = "Who plays the cello in Leipzig?", "Who plants cherries in Poland?", "Who repairs clocks in Malta?"
    assert trips(relay, *asked(*new)) <= 6


def test_a_single_write(relay: Relay, engine: Engine) -> None:
    texts = "Dora bought a red bicycle in Hamburg.", "Emil sold a boat in Kiel.", "Frieda painted a door in Bonn."
    assert trips(relay, *(partial(engine.remember, text) for text in texts)) <= 25


def test_a_batch_needs_hardly_more_round_trips_than_a_single_write(relay: Relay, engine: Engine) -> None:
    texts = [f"Dora bought bicycle number {place}." for place in range(256)]
    assert trips(relay, lambda: engine.remember_many(texts, diff=False)) <= 40


def test_a_relay_delays_each_round_trip(postgres_server: Server, postgres: Emptied) -> None:
    slow = Relay(postgres_server.folder, delay=0.02)
    try:
        # A bare connection: a store has threads in the background, whose trips pass at the same time.
        with psycopg.connect(slow.url(), autocommit=True) as connection:
            before, started = slow.trips, time.perf_counter()
            for _ in range(3):
                connection.execute("SELECT 1")
            assert slow.trips - before == 3
            assert time.perf_counter() - started >= 3 * 0.02
    finally:
        slow.close()
