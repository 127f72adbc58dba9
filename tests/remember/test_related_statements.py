"""Relations at write: linked and reported, nothing skipped or hidden (default preset)."""

from pathlib import Path
from typing import Any

import pytest

import combray
from combray.remember import embed
from combray.remember.state import Remembering
from combray.runtime import Reader

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


_EARLIER = [
    *_OTHERS,
    "The attic is warm in summer.",
    "Our lawyer charges 200 euros an hour.",
    "The parking garage closes at midnight.",
    "The flat is noisy.",
    "My mother purchased a car.",
]
_LATER = [
    "In summer it is cold in the attic.",
    "The apartment is quiet.",
    "Mum bought an automobile.",
    "At midnight the car park closes.",
    "The attorney that we have charges 200 euros an hour.",
    "The attic is not warm in summer.",
]


@pytest.mark.parametrize("embedder", ["wordllama", "none"])
def test_a_batch_finds_the_relations_to_stored_memories_that_single_writes_find(embedder: str) -> None:
    """Whatever the cosine of the two is: from `related_from`, 0.35, on they are compared."""

    def found(*, together: bool) -> list[tuple[str, str, list[str]]]:
        with combray.open(":memory:", embedder=embedder) as engine:
            engine.remember_many(_EARLIER, diff=False)
            results = engine.remember_many(_LATER) if together else [engine.remember(each) for each in _LATER]
            linked = [engine.related(each.id, type="restates", depth=1) for each in results]
            return [
                (each.diff_suggestion, each.reason, [near.memory.content for near in others])
                for each, others in zip(results, linked, strict=True)
            ]

    single = found(together=False)
    assert found(together=True) == single
    assert sum(decision == "CONFLICT" for decision, _, _ in single) >= 2
    assert sum(bool(others) for _, _, others in single) >= 1


def test_a_batch_into_a_large_store_looks_at_near_texts_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is only a little near grows with the store; a write must not."""
    least: list[float] = []
    search = embed.search_nearest

    def noted(state: Remembering, reader: Reader, **options: Any) -> None:
        least.append(options["minimum"])
        search(state, reader, **options)

    monkeypatch.setattr(embed, "search_nearest", noted)
    with combray.open(":memory:") as engine:
        engine.remember_many(_EARLIER, diff=False)
        engine.remember_many(_LATER)
        monkeypatch.setattr(embed, "SMALL", len(_EARLIER))
        engine.remember_many(["The attic is hot in July.", "The flat is dark."])
    assert set(least[:-1]) == {0.35}
    assert least[-1] == 0.65
