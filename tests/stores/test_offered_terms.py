"""The terms of a memory that this process wrote reach the cached posting lists without being read again."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import combray
from combray.stores.postings import Codes
from combray.stores.sqlite import postings

_THINGS = ("anchor", "barrel", "candle", "drum", "engine", "feather", "goblet", "hammer", "inkwell", "jacket")


def items(start: int, count: int) -> list[str]:
    every = range(start, start + count)
    return [
        f"The {_THINGS[n % 10]} is on shelf {n} beside the {_THINGS[n * 7 % 10]} of row {n % 13}." for n in every
    ]


def answers(engine: combray.Engine) -> list[list[tuple[str, float]]]:
    asked = ("Where is the drum?", "anchor beside the candle", "What is on shelf 250?", "goblet of row 7")
    return [[(hit.memory.content, hit.score) for hit in engine.recall(each)] for each in asked]


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_lists_that_grew_in_memory_answer_like_lists_that_are_read(
    tmp_path: Path, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "a.db")
    with combray.open(path, embedder=embedder) as engine:
        engine.remember_many(items(0, 150))
        answers(engine)
        read: list[str] = []
        of_file = postings.read_codes

        def noted(connection: sqlite3.Connection, term: str) -> Codes:
            read.append(term)
            return of_file(connection, term)

        answers(engine)
        monkeypatch.setattr(postings, "read_codes", noted)
        engine.remember_many(items(150, 150))
        grown = answers(engine)
        engine.remember("The drum is on shelf 900 now.")
        then = answers(engine)
        # More than sixty-four additions, and yet no list is read again.
        assert not [term for term in read if "drum" in term or "goblet" in term or "shelf" in term]
    with combray.open(path, embedder=embedder) as engine:
        assert answers(engine) == then
    assert grown != then


def test_additions_of_another_process_are_read(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with combray.open(path, embedder="none") as engine:
        engine.remember_many(items(0, 100))
        before = answers(engine)
        with combray.open(path, embedder="none") as other:
            other.remember_many(items(100, 100))
        after = answers(engine)
    with combray.open(path, embedder="none") as engine:
        assert answers(engine) == after != before
