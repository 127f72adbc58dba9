"""What age does in every preset, as a picture: `python -m bench.quality.curves OUT.png`.

Every constant is read from the preset's own stages, so the picture is of the code as it stands.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray import presets
from combray.remember.retain import RefreshImportance
from combray.scoring.decay import half_life, weibull
from combray.types import TIERS

Days = NDArray[np.float64]
PANELS = {
    "factor": "the score is multiplied by",
    "term": "the score has this much from age (another scale)",
    "retention": "effective importance: what is kept longest",
}
"""What a curve is, with the title of its panel. A factor can take everything, a term no more than its weight."""


@dataclass(frozen=True)
class Curve:
    """One line: a preset, what of it fades, which panel it belongs in, and its value at an age in days."""

    preset: str
    label: str
    panel: str
    left: Callable[[Days], Days]


def setting(preset: str, stage: str, name: str) -> Any:
    """A constant of a stage of a preset's recall."""
    stages = {each["stage"]: each["settings"] for each in presets.load(preset).recall.describe()}
    return stages[stage][name]


def curves() -> list[Curve]:
    """All curves, preset by preset; a preset in which nothing fades has none."""
    found: dict[str, Callable[[], list[Curve]]] = {
        "mnemo": _mnemo,
        "openclaw": _openclaw,
        "default": _default,
        "engram": _engram,
        "semantic-facts": _semantic_facts,
        "mnemon": _mnemon,
    }
    return [curve for name in presets.names() if name in found for curve in found[name]()]


def _mnemo() -> list[Curve]:
    shapes, scales = (setting("mnemo", "WeibullDecay", name) for name in ("shapes", "scales"))

    def of(tier: str) -> Curve:
        shape, scale = np.float64(shapes[tier]), np.float64(scales[tier])
        label = f"mnemo, {tier}: exp(-(d/{scale:g})^{shape:g})"
        return Curve("mnemo", label, "factor", lambda days: weibull(days, np.array(scale), np.array(shape)))

    return [of(tier) for tier in TIERS]


def _openclaw() -> list[Curve]:
    half = setting("openclaw", "FileAgeDecay", "half_life_days")
    switched = "" if setting("openclaw", "FileAgeDecay", "enabled") else ", switched off"
    label = f"openclaw, dated files{switched}: 0.5^(d/{half:g})"
    return [Curve("openclaw", label, "factor", lambda days: half_life(days, half))]


def _default() -> list[Curve]:
    half, weight, always = (
        setting("default", "AgePrior", name) for name in ("half_life_days", "weight_when_asked", "enabled")
    )
    when = "always" if always else "only when the latest is asked for"
    label = f"default, {when}: {weight:g} · 0.5^(d/{half:g})"
    return [Curve("default", label, "term", lambda days: weight * half_life(days, half))]


def _engram() -> list[Curve]:
    rate = setting("engram", "ScoreComposite", "decay_rate")
    weight = setting("engram", "ScoreComposite", "weights")["recency"]
    label = f"engram: {weight:g} · exp(-{rate:g} d)"
    return [Curve("engram", label, "term", lambda days: weight * np.exp(-rate * days))]


def _semantic_facts() -> list[Curve]:
    rate, weight = (setting("semantic-facts", "WeighRelevance", name) for name in ("fading", "recency"))
    label = f"semantic-facts: {weight:g} · exp(-{rate:g} d)"
    return [Curve("semantic-facts", label, "term", lambda days: weight * np.exp(-rate * days))]


def _mnemon() -> list[Curve]:
    def of(importance: int) -> Curve:
        def left(days: Days) -> Days:
            return np.array([RefreshImportance().effective(importance, 0, day, 0) for day in days])

        return Curve("mnemon", f"mnemon, importance {importance}, never recalled", "retention", left)

    return [of(importance) for importance in (5, 3, 1)]


def plot(path: Path, drawn: Sequence[Curve], most_days: int = 180) -> None:
    """One panel for each way in which age works. Needs matplotlib (dependency group bench)."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    days = np.linspace(0.0, most_days, 4 * most_days + 1)
    figure, axes = pyplot.subplots(1, len(PANELS), figsize=(15, 4.6), layout="constrained")
    for axis, (panel, title) in zip(axes, PANELS.items(), strict=True):
        for number, curve in enumerate(curve for curve in drawn if curve.panel == panel):
            style = ("-", "--", "-.", ":")[number % 4]
            axis.plot(days, curve.left(days), style, label=curve.label, linewidth=1.8)
        top = max((float(line.get_ydata().max()) for line in axis.get_lines()), default=1.0)
        axis.set(title=title, xlabel="age in days", xlim=(0, most_days), ylim=(0, 1.02 * top))
        axis.grid(alpha=0.25)
        axis.legend(fontsize=8, loc="upper right")
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def main(arguments: list[str] | None = None) -> int:
    """Draw."""
    parser = argparse.ArgumentParser(prog="python -m bench.quality.curves", description="Draw the decay curves.")
    parser.add_argument("path", type=Path, metavar="OUT.png")
    plot(parser.parse_args(arguments).path, curves())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
