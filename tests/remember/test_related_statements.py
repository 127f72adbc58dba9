"""Relations at write: linked and reported, nothing skipped or hidden (default preset)."""

from pathlib import Path

import pytest

import combray

_OTHERS = [f"Note {number}: the {thing} was checked." for number in range(20) for thing in ("pump", "valve")]


@pytest.mark.parametrize("embedder", ["wordllama", "none"])
def test_a_contradiction_is_reported_and_both_are_kept(tmp_path: Path, embedder: str) -> None:
    with combray.open(tmp_path / "store.db", embedder=embedder) as engine:
        engine.remember_many([*_OTHERS, "The lake is safe for swimming."])
        result = engine.remember("Swimming in the lake is dangerous.")
        assert (result.action, result.diff_suggestion) == ("added", "CONFLICT")
        assert "safe against dangerous" in result.reason
        found = [hit.memory.content for hit in engine.recall("Is the lake safe for swimming?").hits]
        assert {"The lake is safe for swimming.", "Swimming in the lake is dangerous."} <= set(found)


def test_a_restatement_is_linked_and_both_are_kept(tmp_path: Path) -> None:
    with combray.open(tmp_path / "store.db") as engine:
        first = engine.remember_many([*_OTHERS, "Our contract with Bluebell ends in June."])[-1]
        result = engine.remember("The agreement we have with Bluebell expires in June.")
        assert (result.action, result.diff_suggestion) == ("added", "ADD")
        linked = engine.related(result.id, type="restates", depth=1)
        assert [each.memory.id for each in linked] == [first.id]


def test_a_batch_relates_its_texts_as_single_writes_do(tmp_path: Path) -> None:
    with combray.open(tmp_path / "store.db") as engine:
        results = engine.remember_many(["The warehouse is full.", "The warehouse is nearly empty."])
        assert [each.diff_suggestion for each in results] == ["ADD", "CONFLICT"]


def test_statements_of_two_authors_are_not_related(tmp_path: Path) -> None:
    with combray.open(tmp_path / "store.db") as engine:
        engine.remember("The lake is safe for swimming.", author="Ana")
        assert engine.remember("The lake is dangerous.", author="Ben").diff_suggestion == "ADD"
