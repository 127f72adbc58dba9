"""The decay curves are those of the presets' stages: each value below is worked by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from bench.quality.curves import curves, plot
from combray import presets

AT_30_DAYS = {
    # λ = 30, so d/λ = 1 and any shape keeps 1/e.
    "mnemo": [1 / math.e, 1 / math.e, 1 / math.e],
    # A half-life of 30 days.
    "openclaw": [0.5],
    # 0.10 · 0.5
    "default": [0.05],
    # 0.1 · e^(-0.03 · 30) = 0.1 · e^(-0.9)
    "engram": [0.0406570],
    # 0.1 · e^(-0.01 · 30) = 0.1 · e^(-0.3)
    "semantic-facts": [0.0740818],
    # Base 1, .5 and .15 for importance 5, 3 and 1, halved.
    "mnemon": [0.5, 0.25, 0.075],
}


@pytest.mark.parametrize("name", [name for name in presets.names() if name in AT_30_DAYS])
def test_a_curve_has_the_value_that_the_presets_constants_give(name: str) -> None:
    mine = [curve for curve in curves() if curve.preset == name]
    values = [float(curve.left(np.array([30.0]))[0]) for curve in mine]
    assert values == pytest.approx(AT_30_DAYS[name], abs=1e-6)


def test_the_tiers_of_mnemo_cross_at_lambda() -> None:
    tiers = {curve.label.split()[1]: curve for curve in curves() if curve.preset == "mnemo"}
    early, late = np.array([10.0]), np.array([90.0])
    # (10/30)^0.8 = .415, (10/30)^1.3 = .240; 3^0.8 = 2.41, 3^1.3 = 4.17: the smaller exponent keeps more.
    assert tiers["core:"].left(early) < tiers["peripheral:"].left(early)
    assert tiers["core:"].left(late) > tiers["peripheral:"].left(late)


def test_the_picture_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot(tmp_path / "curves.png", curves())
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
