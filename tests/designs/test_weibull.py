"""How age enters the score of preset mnemo."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import numpy as np
import pytest

import combray
from combray import Engine
from combray.designs.mnemo.results import WeibullDecay
from combray.forms.recalling import Recalling
from combray.runtime import Filter
from combray.testing.fakes import FakeClock
from combray.types import Tier

DAY = 86_400.0


def aged(*each: tuple[float, Tier], days_since: float = 0.0) -> tuple[Engine, Recalling]:
    """A state of memories so many days old, of those tiers, all fused alike."""
    engine = combray.open(":memory:", embedder="none", clock=FakeClock())
    now = engine.runtime.clock()
    for place, (days, tier) in enumerate(each):
        moment = datetime.fromtimestamp(now - days * DAY, UTC)
        made = engine.remember(f"note{place} of the house", occurred_at=moment, diff=False)
        key = engine._at.key_of(made.id)
        with engine.runtime.store.transaction(engine.namespace) as tx:
            tx.change(key, "move_tier", "test", now, tier=tier)
    keys = np.sort(engine.reader.scan(Filter()))
    state = Recalling("note", engine.namespace, engine.reader, now + days_since * DAY, keys=keys)
    state.signals = {"anchor": np.ones(len(keys))}
    return engine, state


def test_score_and_weibull_by_hand() -> None:
    """Stage 5: "score x exp(-(t/lambda)^beta)", "Core 0.8 | Working 1.0 | Peripheral 1.3"; lambda 30 days.

    Notes: floor of the core tier 0.9, so age takes a tenth at most.
    """
    engine, state = aged((0, "working"), (60, "core"), (60, "working"), (60, "peripheral"))
    state.signals["anchor"] = np.array([0.5, 1.0, 1.0, 1.0])
    state = WeibullDecay()(state, engine.runtime)
    # (60/30)^0.8 = 1.7411, 2^1 = 2, 2^1.3 = 2.4623; e to the minus of it: .1753, .1353, .0852.
    assert state.signals["decay"] == pytest.approx([1.0, 0.1753, 0.1353, 0.0852], abs=5e-5)
    # 1 - 0.1 · (1 - .1753) = .91753, and so on; nothing else speaks for these.
    assert state.scores == pytest.approx([0.5, 0.91753, 0.91353, 0.90852], abs=1e-5)


def test_what_matches_best_loses_less_to_age_than_one_rank() -> None:
    engine, state = aged((3000, "working"), (3000, "working"), (3000, "working"))
    state.signals |= {"bm25": np.array([0.8, 0.4, 0.0]), "vector": np.array([0.4, 0.1, 0.0])}
    # Evidence: 1; max(.4/.8, .1/.4) = .5; 0. So 1 - .1 · (1 - .99), 1 - .1 · (1 - .495), 1 - .1.
    assert WeibullDecay()(state, engine.runtime).scores == pytest.approx([0.999, 0.9495, 0.9])


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize(
    ("exact", "question", "noise"),
    [
        (
            "Ticket OPS-4711: the backup disk was full",
            "What was OPS-4711?",
            "Ticket OPS-{n}: the printer was jammed",
        ),
        ("Marta Klein signed the lease", "Marta Klein", "Marta said that the {n}th delivery of the week is late"),
    ],
)
def test_an_exact_name_or_number_is_not_below_recent_noise(
    embedder: str, exact: str, question: str, noise: str
) -> None:
    """Issue: "an exact name or ticket number ("OPS-4711", "Marta Klein") ranks under recent noise"."""
    clock = FakeClock()
    engine = combray.open(":memory:", preset="mnemo", embedder=embedder, clock=clock)
    engine.remember(exact)
    clock.pass_(days=400)
    for n in range(40):
        engine.remember(noise.format(n=n + 100), diff=False)
    assert engine.recall(question)[0].memory.content == exact


def test_each_tier_may_have_a_scale_of_its_own() -> None:
    engine, state = aged((60, "core"), (60, "working"))
    state = WeibullDecay(scales={"core": 60.0, "working": 20.0, "peripheral": 30.0})(state, engine.runtime)
    assert state.signals["decay"] == pytest.approx([math.exp(-1.0), math.exp(-3.0)])


def test_a_moment_still_to_come_has_age_0() -> None:
    engine, state = aged((-40, "peripheral"), (0, "core"))
    assert WeibullDecay()(state, engine.runtime).signals["decay"].tolist() == [1.0, 1.0]


def test_the_age_counts_from_when_it_happened_to_the_clock_of_the_question() -> None:
    engine, state = aged((10, "working"), days_since=20.0)
    assert WeibullDecay()(state, engine.runtime).signals["decay"] == pytest.approx([math.exp(-1.0)])


def test_no_candidates_no_scores() -> None:
    engine, state = aged()
    assert len(WeibullDecay()(state, engine.runtime).scores) == 0
