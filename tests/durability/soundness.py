"""What the durability tests write, and how they tell that every bit of it is there."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from combray.runtime import Arm, Arrival, EntityArm, Filter, KeywordArm, Link, Store, VectorArm, Writer
from combray.testing.fakes import memory
from combray.types import Memory

MODEL = "random:16"


def number_vector(number: int) -> NDArray[np.float32]:
    row = np.random.default_rng(number).normal(size=16).astype(np.float32)
    result: NDArray[np.float32] = row / np.linalg.norm(row)
    return result


def numbered(number: int) -> Memory:
    text = f"memory word{number} about tea and the weather"
    return memory(
        text, number, id=f"id-{number:08}", entities=(f"Name{number}",), tags=(f"tag{number}",), session="s"
    )


def write(tx: Writer, number: int) -> int:
    """A memory with a vector, an edge to the newest, a log line and a change: all tables have a part."""
    before = tx.latest(1)
    (key,) = tx.insert([Arrival(numbered(number), {MODEL: number_vector(number)})])
    tx.link([Link(other, key, "temporal", 1.0) for other, _ in before], 0.0)
    tx.change(key, "revalue", "test", 0.0, importance=4)
    tx.note("remember", f"id-{number:08}", "", 0.0)
    return key


def write_many(tx: Writer, numbers: Iterable[int]) -> None:
    for number in numbers:
        write(tx, number)


def numbers_in(store: Store) -> set[int]:
    """Numbers of all memories in the store."""
    reader = store.reader("default")
    keys = reader.scan(Filter(statuses=(), trusts=()))
    return {int(each.id.removeprefix("id-")) for each in reader.memories(keys)}


def assert_whole(store: Store, number: int) -> None:
    """The memory is found by its word, its vector, its name and its tag, with its version and log line."""
    reader = store.reader("default")
    key = reader.keys_of([f"id-{number:08}"])[f"id-{number:08}"]
    arms: dict[str, Arm] = {
        "words": KeywordArm(((f"word{number}", 1.0),)),
        "vector": VectorArm(number_vector(number), MODEL, minimum=0.999),
        "entity": EntityArm((f"name{number}",)),
    }
    found = reader.search(arms, Filter(tags=(f"tag{number}",)), 5)
    assert [ranked.keys.tolist() for ranked in found.lists.values()] == [[key]] * 3
    assert [version.before for version in reader.history(key)] == [{"importance": 3}]
    (stored,) = reader.memories([key])
    assert (stored.content, stored.importance) == (numbered(number).content, 4)


def assert_sound(store: Store, acknowledged: set[int]) -> set[int]:
    """No problem found, nothing acknowledged is lost, nothing is there by halves; what is there."""
    assert store.check() == []
    there = numbers_in(store)
    assert acknowledged <= there
    reader = store.reader("default")
    status = reader.status()
    assert status["vectors"].get(MODEL, 0) == status["operations"] == len(there)
    assert status["edges"].get("temporal", 0) == max(len(there) - 1, 0)
    return there
