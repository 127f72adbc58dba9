"""Clusters by density need the extra `cluster`; without it they say so."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from combray.consolidate.distil import clusters
from combray.errors import MissingExtraError
from combray.runtime import Vectors
from combray.scoring.density import density_clusters


def rows(*angles: float) -> Vectors:
    """Unit vectors at these angles, in degrees."""
    turned = np.radians(np.array(angles))
    return np.column_stack([np.cos(turned), np.sin(turned)]).astype(np.float32)


TWO_HEAPS = (0.0, 1.0, 2.0, 3.0, 45.0, 90.0, 91.0, 92.0, 93.0)
"""Four rows around 1.5 degrees, four around 91.5, and one alone between them."""


def test_leaders_need_no_extra_and_leave_out_what_stands_alone() -> None:
    """cos(3 degrees) = 0.9986: each row of a heap is near all others of it; 45 degrees is near nobody (0.71)."""
    found = clusters(rows(*TWO_HEAPS), "leaders", least=3, similar_from=0.9)
    assert found == [[0, 1, 2, 3], [5, 6, 7, 8]]
    assert clusters(rows(*TWO_HEAPS), "leaders", least=5, similar_from=0.9) == []


def test_the_same_rows_give_the_same_groups() -> None:
    turned = rows(*(float(angle) for angle in np.random.default_rng(3).uniform(0, 360, 200)))
    once = clusters(turned, "leaders", least=3, similar_from=0.95)
    assert once == clusters(turned.copy(), "leaders", least=3, similar_from=0.95)
    assert len({place for group in once for place in group}) == sum(map(len, once)), "nobody is in two"


def test_density_without_its_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    with pytest.raises(MissingExtraError, match=r"combray\[cluster\]"):
        density_clusters(rows(*TWO_HEAPS))
    assert density_clusters(rows(0.0, 1.0)) == [], "nothing to cluster, nothing to load"


def test_density_finds_the_heaps() -> None:
    found = density_clusters(rows(*TWO_HEAPS))
    assert {0, 1, 2, 3} <= set(found[0])
    assert {5, 6, 7, 8} <= set(found[1])
