"""The curve of higher bounds, counted by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from bench.evidence import curve, training


def asked(author: str, kind: str, *, certain: bool = False, unheld: bool = False) -> Any:
    found = SimpleNamespace(unheld=unheld)
    return SimpleNamespace(family=author, kind=kind, large=True, certain=certain, found=found)


def test_shares_by_author_and_of_all() -> None:
    """Ana: of two answerable questions one is below 0 and certain, of two others one. Bo: one of one, one of two.

    At 0 wrong is (0 + 1) / 2 and right (1/2 + 1/2) / 2; of all, wrong is 1/3, right 2/4, near 1/2 and far 1/2.
    At -3 only the kind that no hit holds is refused: 1/4 of the others.
    """
    seen = [
        asked("ana", "answer"), asked("ana", "answer", certain=True), asked("ana", "near"), asked("ana", "far"),
        asked("bo", "answer"), asked("bo", "near", unheld=True), asked("bo", "far"),
    ]  # fmt: skip
    odds = np.array([2.0, -1.0, 1.0, -1.0, -1.0, 1.0, 1.0])
    lines = dict(line.split(": ", 1) for line in curve.lines(seen, training.Scores(odds, odds + 5.0, [])))
    assert lines["large, +0.0"] == "authors 50 / 50, all 33 / 50 / 50 / 50"
    assert lines["large, -3.0"] == "authors 0 / 25, all 0 / 25 / 50 / 0"
    assert not any(line.startswith("small") for line in lines)
    # The topic's log-odds are 5 more: with a bound of 5 they refuse the same questions at any other bound.
    topic = dict(line.split(": ", 1) for line in curve.lines(seen, training.Scores(odds, odds + 5.0, []), 5.0))
    assert topic["large, -3.0"] == topic["large, +0.0"] == lines["large, +0.0"]
