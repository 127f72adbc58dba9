"""Causal signals: whether a text names something as its cause.

The phrases are data (`causality` in words.json): causes, enables, prevents. Source: Mnemon, see
docs/reference/presets.md.
"""

from __future__ import annotations

import re
from operator import attrgetter
from typing import Literal, NamedTuple

from combray.language.caches import from_tables
from combray.language.lexicon import Phrases, matcher, phrases
from combray.language.text import Text, fold_of, fold_words, read_once

SubType = Literal["causes", "enables", "prevents"]
Side = Literal["new", "old"]

# Strongest first: "prevented because" is about prevention.
_ORDER: tuple[SubType, ...] = ("prevents", "enables", "causes")


class CausalLink(NamedTuple):
    """The causal reading of two texts: which one is the effect, and how the cause acts on it."""

    effect: Side
    sub_type: SubType


@from_tables
def _patterns() -> dict[SubType, re.Pattern[str]]:
    return {each: matcher(phrases(attrgetter(f"causality.{each}"))) for each in _ORDER}


@from_tables
def _any() -> Phrases:
    return Phrases(phrase for each in _ORDER for phrase in phrases(attrgetter(f"causality.{each}")))


@read_once
def signal(text: Text) -> SubType | None:
    """Return the causal type a text signals, prevents before enables before causes; None without a signal."""
    folded, listed = fold_of(text), _any()
    # Most texts signal nothing, and their words show it.
    if not listed.search(folded, fold_words(text)):
        return None
    return next((sub_type for sub_type, pattern in _patterns().items() if pattern.search(folded)), None)


def read_signals(new: SubType | None, old: SubType | None) -> CausalLink | None:
    """Return the causal reading of a new and an older text from their signals, or None if neither has one.

    The text with the signal is the effect ("... because of X" states what X caused), so the edge runs from the
    other text to it. If both have a signal, the new text is the effect.
    """
    if new is not None:
        return CausalLink("new", new)
    return CausalLink("old", old) if old is not None else None
