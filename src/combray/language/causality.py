"""Causal signals: whether a text names something as its cause.

The phrases are data (`causality` in words.json): causes, enables, prevents. Source: Mnemon, see
docs/reference/presets.md.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from combray.language.lexicon import word_marks
from combray.language.text import Text, read_once

SubType = Literal["causes", "enables", "prevents"]
Side = Literal["new", "old"]

# Strongest first: "prevented because" is about prevention.
_ORDER: tuple[SubType, ...] = ("prevents", "enables", "causes")


class CausalLink(NamedTuple):
    """The causal reading of two texts: which one is the effect, and how the cause acts on it."""

    effect: Side
    sub_type: SubType


@read_once
def signal(text: Text) -> SubType | None:
    """Return the causal type a text signals, prevents before enables before causes; None without a signal."""
    marks = word_marks(text)
    return next((sub_type for sub_type in _ORDER if marks.has(f"causality.{sub_type}")), None)


def read_signals(new: SubType | None, old: SubType | None) -> CausalLink | None:
    """Return the causal reading of a new and an older text from their signals, or None if neither has one.

    The text with the signal is the effect ("... because of X" states what X caused), so the edge runs from the
    other text to it. If both have a signal, the new text is the effect.
    """
    if new is not None:
        return CausalLink("new", new)
    return CausalLink("old", old) if old is not None else None
