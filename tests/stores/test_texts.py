"""Texts that recalls have read: kept up to a bound, and gone after an erasure."""

from __future__ import annotations

from pathlib import Path

import combray
from combray.language.caches import forget_texts
from combray.stores.cache import MOST_CHARACTERS, Texts


def test_texts_are_kept_by_key_until_they_are_too_many() -> None:
    texts = Texts()
    texts.add({1: "one", 2: "two"})
    assert texts.of([2, 3]) == {2: "two"}
    texts.add({3: "x" * MOST_CHARACTERS})
    assert texts.of([1, 2, 3]) == {}


def test_an_erasure_empties_them() -> None:
    texts = Texts()
    texts.add({1: "one"})
    forget_texts()
    assert texts.of([1]) == {}


def test_an_erased_text_is_not_found_again_by_another_engine(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with combray.open(path, embedder="none") as one, combray.open(path, embedder="none") as other:
        kept = one.remember("The quarry lake is closed for swimming in May.")
        gone = one.remember("The quarry lake is where Ines lost her ring.")
        asked = "What about the quarry lake?"
        assert {hit.memory.id for hit in other.recall(asked, keep=0.0)} == {kept.id, gone.id}
        one.erase(gone.id)
        found = other.recall(asked, keep=0.0)
        assert [hit.memory.id for hit in found] == [kept.id]
