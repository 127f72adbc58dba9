"""Promotion and demotion between tiers; constants of upstream notes 3.2, "Tiers" and "Decay engine"."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import combray
from combray import Engine
from combray.designs.mnemo.tiers import MoveTiers
from combray.pipeline import Pipeline, Transaction
from combray.presets import WRITE, Preset, load
from combray.remember.diff import Diff
from combray.remember.embed import Embed, FindNearest
from combray.remember.extract import ExtractEntities
from combray.remember.time import ReadTime
from combray.remember.validate import Validate
from combray.remember.write import Settle, TakeSurvey, Write
from combray.runtime import Rows
from combray.scoring.ageing import TierRule
from combray.testing.fakes import FakeClock
from combray.types import TIERS, Tier

DAY = 86_400.0
NOW = 1_000 * DAY
composite, moves = TierRule().composite, TierRule().moves


def rows(*each: dict[str, Any]) -> tuple[Rows, np.ndarray, np.ndarray]:
    """Rows with accesses and last use: `age` and `unused` in days, importance 3, confidence 0.7, tier working."""
    whole: dict[str, Any] = {"tier": "working", "importance": 3, "confidence": 0.7, "age": 0.0, "accesses": 0}
    filled = [whole | {"unused": each_.get("age", 0.0)} | each_ for each_ in each]
    count = len(filled)

    def column(name: str) -> np.ndarray:
        return np.array([float(each_[name]) for each_ in filled])

    recorded = NOW - column("age") * DAY
    zeros, no = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.bool_)
    made = Rows(
        keys=np.arange(1, count + 1), author=zeros, author_names=(), session=zeros, position=zeros, words=zeros,
        moment=recorded, recorded=recorded, importance=column("importance"), confidence=column("confidence"),
        tier=np.array([TIERS.index(each_["tier"]) for each_ in filled]), asks=no, times=no, cues=zeros,
        status=zeros, valid_from=recorded, valid_to=recorded, happened=recorded, happened_to=recorded,
        gain=np.ones(count),
    )  # fmt: skip
    return made, column("accesses"), NOW - column("unused") * DAY


def moved(**each: Any) -> Tier | None:
    """The new tier of one such memory, if it moves."""
    found = moves(*rows(each), NOW)
    return found[0][1] if found else None


# -- composite by hand ---------------------------------------------------------------------------------


def value(**each: Any) -> float:
    return float(composite(*rows(each), NOW)[0])


def test_composite_of_a_new_memory_by_hand() -> None:
    """ "composite = 0.4 recency + 0.3 frequency + 0.3 intrinsic"; importance 3 of 5 is 0.6."""
    # recency 1, frequency 0, intrinsic .6 · .7 = .42: .4 + 0 + .126
    assert value() == pytest.approx(0.526)


def test_half_of_the_recency_is_left_after_the_half_life_in_every_tier() -> None:
    """ "HL = 30 exp(1.5 importance)": 30 · e^(1.5 · 0.2) = 40.496 days for one star."""
    for tier in TIERS:
        # .4 · .5 + .3 · (.2 · .7)
        assert value(tier=tier, importance=1, age=40.49576) == pytest.approx(0.242, abs=1e-6)
    # Twice that: 2^-2^.8 = .2991, 2^-2 = .25, 2^-2^1.3 = .1815.
    left = [value(tier=tier, importance=1, confidence=0, age=80.99153) / 0.4 for tier in TIERS]
    assert left == pytest.approx([0.2991, 0.25, 0.1815], abs=1e-4)


def test_frequency_by_hand() -> None:
    """ "frequency = 1 - e^(-n/5), x (0.5 + 0.5 e^(-avgGap/30)) if n > 1"."""
    # One access today: .4 + .3 · (1 - e^-.2 = .1813) + .126
    assert value(accesses=1, age=60, unused=0) == pytest.approx(0.4 + 0.3 * 0.18127 + 0.126, abs=1e-5)
    # Four accesses in 60 days, 15 apart: (1 - e^-.8 = .55067) · (.5 + .5 · e^-.5 = .80327) = .44233
    assert value(accesses=4, age=60, unused=0) == pytest.approx(0.4 + 0.3 * 0.44233 + 0.126, abs=1e-5)


# -- the four moves ------------------------------------------------------------------------------------


def test_peripheral_to_working_needs_three_accesses_and_a_composite_of_04() -> None:
    """ "peripheral->working: access >= 3 and composite >= .4"."""
    assert moved(tier="peripheral", accesses=3) == "working"
    assert moved(tier="peripheral", accesses=2) is None
    # Unused for a year: recency is nearly 0, so at most .3 · .45 + .126 is left.
    assert moved(tier="peripheral", accesses=3, age=365) is None


def test_working_to_core_needs_ten_accesses_a_composite_of_07_and_four_stars() -> None:
    """ "working->core: access >= 10, composite >= .7, importance >= .8"."""
    # .4 + .3 · (1 - e^-2 = .8647) + .3 · .8 · .7 = .827
    assert moved(accesses=10, importance=4) == "core"
    assert moved(accesses=9, importance=4) is None
    assert moved(accesses=10, importance=3) is None
    # Last used 90 days ago, HL 30 · e^1.2 = 99.6: .4 · 2^(-.9036) = .2138, in all .641.
    assert moved(accesses=10, importance=4, age=90) is None


def test_working_to_peripheral_by_low_composite_or_by_age_without_use() -> None:
    """ "working->peripheral: composite < .15 or (age > 60 d and access < 3)"."""
    assert moved(age=61) == "peripheral"
    assert moved(age=60) is None
    assert moved(age=61, accesses=3, unused=30) is None
    # Three accesses long ago: recency 0, so .3 · .451 · about .5 + .3 · .2 · .1 = .073.
    assert moved(age=2000, unused=1000, accesses=3, importance=1, confidence=0.1) == "peripheral"


def test_core_to_working_needs_both() -> None:
    """ "core->working: composite < .15 and access < 3"."""
    # recency: 2^-(2000/40.5)^.8 is 0; intrinsic .3 · .2 · .7 = .042.
    assert moved(tier="core", importance=1, age=2000) == "working"
    assert moved(tier="core", importance=1, age=2000, accesses=3) is None
    # Five stars keep .3 · 1 · .7 = .21 for ever.
    assert moved(tier="core", importance=5, age=2000) is None


def test_one_step_at_a_time_in_the_order_of_the_rows() -> None:
    state = rows({"age": 61}, {}, {"tier": "peripheral", "accesses": 20, "importance": 5}, {"age": 99})
    assert moves(*state, NOW) == [(1, "peripheral"), (3, "working"), (4, "peripheral")]


# -- the stage -----------------------------------------------------------------------------------------


def opened(clock: FakeClock, stage: MoveTiers | None = None) -> Engine:

    inner = (Settle(), TakeSurvey(), stage or MoveTiers(), Write())
    stages = (
        Validate(),
        ReadTime(),
        ExtractEntities(),
        Embed(),
        FindNearest(),
        Diff(certain=True),
        Transaction(inner),
    )
    preset = Preset("tiers", "", "", Pipeline("tiers.remember", stages, WRITE), load("default").recall)
    return combray.open(":memory:", embedder="none", clock=clock, preset=preset)


def tiers(engine: Engine) -> dict[str, str]:
    return {
        memory.content: memory.tier
        for memory in engine.reader.memories(engine.reader.scan(combray.runtime.Filter()))
    }


def test_new_memories_are_working_and_what_lies_unused_for_60_days_becomes_peripheral() -> None:
    """ "new = working"; each change is a version row."""
    clock = FakeClock()
    engine = opened(clock)
    old = engine.remember("the first house").id
    assert tiers(engine) == {"the first house": "working"}
    clock.pass_(days=61)
    engine.remember("the second house")
    assert tiers(engine) == {"the first house": "peripheral", "the second house": "working"}
    (version,) = engine.history(old)
    assert (version.operation, version.actor, version.before) == ("move_tier", "remember", {"tier": "working"})
    assert engine.get(old).status == "active"
    assert [line["detail"] for line in engine.reader.log(10) if line["operation"] == "move_tiers"] == ["1 moved"]


def test_what_is_recalled_comes_back_with_the_next_write_and_no_recall_moves_anything() -> None:
    clock = FakeClock()
    engine = opened(clock)
    engine.remember("the first house")
    clock.pass_(days=61)
    engine.remember("a tree")
    for _ in range(3):
        assert engine.recall("first house")[0].memory.tier == "peripheral"
    clock.pass_(hours=1)
    assert tiers(engine)["the first house"] == "peripheral"
    engine.remember("a road")
    assert tiers(engine)["the first house"] == "working"


def test_it_runs_with_the_first_write_of_a_clock_hour_only() -> None:
    """ "Lifecycle runs at most hourly"."""
    clock = FakeClock()
    engine = opened(clock)
    first = engine.remember("the first house").id
    clock.pass_(days=60, minutes=59)
    engine.remember("a tree")
    assert tiers(engine)["the first house"] == "peripheral"
    engine.retention.keep(first)
    clock.pass_(seconds=30)
    engine.remember("a road")
    assert tiers(engine)["the first house"] == "peripheral", "the hour is the same"
    clock.pass_(seconds=40)
    engine.remember("a gate")
    assert tiers(engine)["the first house"] == "working"


def test_another_namespace_is_left_alone() -> None:
    clock = FakeClock()
    engine = opened(clock)
    engine.remember("the first house")
    other = engine.within("other")
    clock.pass_(days=61)
    other.remember("a tree")
    assert tiers(engine) == {"the first house": "working"}


def test_turns_of_conversations_and_expired_memories_stay_as_they_are() -> None:
    clock = FakeClock()
    engine = opened(clock)
    turn = engine.remember("I said something", kind="episode").id
    expired = engine.remember("the offer of the week", expires_at="2024-05-08").id
    clock.pass_(days=61)
    engine.remember("a tree")
    assert [engine.get(each).tier for each in (turn, expired)] == ["working", "working"]
    assert engine.get(expired).status == "active", "expiry hides and never deletes"


def test_a_run_is_bounded_and_every_memory_gets_its_turn() -> None:
    clock = FakeClock()
    engine = opened(clock, MoveTiers(looked_at=4, most=3))
    engine.remember_many([f"house{n} stands" for n in range(8)])
    clock.pass_(days=61)
    counts = []
    for number in range(6):
        engine.remember(f"tree{number} grows")
        counts.append(sum(tier == "peripheral" for tier in tiers(engine).values()))
        clock.pass_(hours=1)
    assert counts[0] <= 3
    assert max(np.diff([0, *counts])) <= 3
    assert counts[-1] == 8
