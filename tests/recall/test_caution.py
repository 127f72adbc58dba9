"""Setting `caution`: how sure a recall must be that memories hold the answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import combray
from combray import Engine, presets
from combray.errors import InvalidInputError
from combray.testing.fakes import FakeClock

TEXTS = (
    "Tom works as an electrician in Leeds.",
    "Tom's sister Ada moved to Madrid in May.",
    "The boiler is serviced every September.",
    "Our landlord wants the rent by the third of the month.",
    "The wifi password is written under the router.",
)
UNKNOWN = "Who repairs the boiler?"
"""The boiler is known, and nobody who repairs it."""
Filled = Callable[..., Engine]


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> Filled:
    """Make stores with the texts and a caution."""

    def fill(caution: float, embedder: str, preset: str = "default") -> Engine:
        monkeypatch.setenv("COMBRAY_CAUTION", str(caution))
        engine = combray.open(":memory:", preset=preset, embedder=embedder, clock=FakeClock())
        for text in TEXTS:
            engine.remember(text, diff=False)
        return engine

    return fill


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_more_caution_leaves_an_unknown_detail_empty(filled: Filled, embedder: str) -> None:
    assert filled(-5, embedder).recall(UNKNOWN)
    answer = filled(5, embedder).recall(UNKNOWN)
    assert not answer
    assert answer.reason


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize("preset", presets.names())
def test_a_memory_finds_itself_with_any_caution(filled: Filled, preset: str, embedder: str) -> None:
    engine = filled(5, embedder, preset)
    for text in TEXTS:
        assert text in [hit.memory.content for hit in engine.recall(text)]


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_the_evidence_is_the_same_with_any_caution(filled: Filled, embedder: str) -> None:
    question = "Where does Tom work?"
    details = [filled(caution, embedder).recall(question).details for caution in (-5, 0, 5)]
    assert len({each["evidence"] for each in details}) == 1


@pytest.mark.parametrize("caution", [-6, 5.1])
def test_caution_outside_its_range_is_refused(filled: Filled, caution: float) -> None:
    with pytest.raises(InvalidInputError, match="caution"):
        filled(caution, "none")
