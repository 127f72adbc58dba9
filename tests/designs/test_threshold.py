"""The threshold: which hits stay, and in which order."""

from __future__ import annotations

import numpy as np

import combray
from combray.designs.openclaw.search import Threshold
from combray.forms.recalling import Recalling, RecallRequest


def kept(scores: list[float], text: list[float], min_score: float | None = None) -> tuple[list[int], str]:
    engine = combray.open(":memory:", embedder="none")
    state = Recalling("q", "default", engine.reader, 0.0, asked=RecallRequest(min_score=min_score))
    state.keys, state.scores = np.arange(len(scores)), np.array(scores)
    state.signals = {"text": np.array(text)}
    state = Threshold(0.35)(state, engine.runtime)
    return state.keys.tolist(), state.reason


def test_strict_hits_first_then_hits_of_words() -> None:
    """SEEDS.md 2: "strict hits first; remaining places go to keyword hits, never dropped by" a cosine."""
    # A hit of words alone scores .3; 3 has both and still too little; 2 has only its vector.
    assert kept([0.9, 0.30, 0.34, 0.2, 0.35], [0.0, 1.0, 0.0, 0.4, 0.0]) == ([0, 4, 1, 3], "")


def test_without_strict_hits_the_words_answer() -> None:
    assert kept([0.34, 0.3, 0.05], [0.0, 1.0, 0.1]) == ([1, 2], "")


def test_an_empty_answer_says_why() -> None:
    keys, reason = kept([0.34, 0.2], [0.0, 0.0])
    assert (keys, reason) == ([], "nothing here holds a word of this or scores 0.35 by meaning")


def test_the_callers_own_minimum_takes_its_place() -> None:
    """ "This can be overridden per-call via the minScore parameter": then `Cut` holds every hit to it."""
    assert kept([0.9, 0.1], [0.0, 0.0], min_score=0.0) == ([0, 1], "")
