"""Clusters of similar episodes: by density if the extra `cluster` is installed, else around leaders."""

from __future__ import annotations

from typing import Literal

import numpy as np

from combray.runtime import Vectors
from combray.scoring.density import available, density_clusters
from combray.scoring.leaders import clusters_by_leader

Method = Literal["auto", "density", "leaders"]


def clusters(vectors: Vectors, method: Method, *, least: int, similar_from: float) -> list[list[int]]:
    """Return groups of at least `least` row numbers, each ascending. Other rows are in no group.

    "auto" is "density" if its extra is installed. Leaders are the rows with the most neighbours (cosine of at
    least `similar_from`); ties go to the first.
    """
    if method == "density" or (method == "auto" and available()):
        return density_clusters(vectors, least)
    near = [np.flatnonzero(vectors @ row >= similar_from) for row in vectors]
    order = sorted(range(len(near)), key=lambda place: (-len(near[place]), place))
    rank = {place: at for at, place in enumerate(order)}
    found = clusters_by_leader(
        len(order), lambda at: (rank[place] for place in near[order[at]].tolist()), lambda _, __: True
    )
    groups = [sorted(order[at] for at in group) for group in found]
    return sorted(group for group in groups if len(group) >= least)
