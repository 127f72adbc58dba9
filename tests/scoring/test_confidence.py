"""Growth, fading and steps of confidence, worked by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from combray.scoring.ageing import DEPRECATED_BELOW, STREAMED_ABOVE, faded, grown, stepped

DAY = 86_400.0
fractions = st.floats(0.0, 1.0)


def test_each_episode_takes_a_twentieth_of_the_doubt() -> None:
    """Semantic facts, section 3: `confidence += 0.05 * (1 - confidence)`."""
    assert grown(0.7, 0) == 0.7
    assert grown(0.7, 1) == pytest.approx(0.7 + 0.05 * 0.3)
    assert grown(0.7, 2) == pytest.approx(0.715 + 0.05 * 0.285)


@given(fractions, st.integers(0, 30), st.integers(0, 30))
def test_growth_over_two_nights_is_growth_at_once_to_the_last_bit(start: float, one: int, other: int) -> None:
    assert grown(grown(start, one), other) == grown(start, one + other) <= 1.0


def test_a_tenth_fades_in_ten_days() -> None:
    """Semantic facts, section 3: `confidence *= exp(-days * 0.01)`, about 10 % in 10 days."""
    assert faded(0.7, 0) == 0.7
    assert faded(1.0, 10 * DAY) == pytest.approx(math.exp(-0.1)) == pytest.approx(0.905, abs=0.001)
    assert faded(0.7, -5 * DAY) == 0.7


def test_seven_tenths_fall_below_three_after_85_days_and_not_after_13() -> None:
    """SEEDS.md 18: multiplied every night it took 13."""
    assert faded(0.7, 13 * DAY) == pytest.approx(0.7 * math.exp(-0.13))
    assert faded(0.7, 84 * DAY) > DEPRECATED_BELOW > faded(0.7, 85 * DAY)


def test_steps_are_hundredths_rounded_up_and_never_above_the_base() -> None:
    assert stepped(0.5186, 0.7) == 0.52
    assert stepped(0.52, 0.7) == 0.52
    assert stepped(0.123, 0.123) == 0.123
    assert stepped(0.0, 0.5) == 0.0


@given(fractions, st.floats(0.0, 1.0))
def test_a_stored_value_is_in_the_band_of_the_exact_one(base: float, left: float) -> None:
    """Semantic facts, section 3: below 0.3, to 0.5, above. A value a billionth beside a bound counts as on it."""
    value = round(base * left, 9)
    shown = stepped(value, max(base, value))
    assert (shown > STREAMED_ABOVE) == (value > STREAMED_ABOVE)
    assert (shown < DEPRECATED_BELOW) <= (value < DEPRECATED_BELOW)
    assert value <= shown <= value + 0.01 + 1e-9
