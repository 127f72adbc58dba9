"""Density-based clustering of unit vectors with HDBSCAN, from the extra `cluster`.

Source: Campello, Moulavi and Sander, "Density-based clustering based on hierarchical density estimates", PAKDD
2013, https://doi.org/10.1007/978-3-642-37456-2_14.
"""

from __future__ import annotations

from importlib.util import find_spec

from combray.errors import MissingExtraError
from combray.runtime.retrieval import Vectors


def available() -> bool:
    """Return whether the extra is installed, without loading it."""
    return find_spec("sklearn") is not None


def density_clusters(vectors: Vectors, least: int = 3) -> list[list[int]]:
    """Return clusters of at least `least` rows; noise is in none.

    Rows have unit length, so that Euclidean distance orders as the cosine does. Members ascend and groups are in
    order of their first member: the same rows give the same groups. Raises MissingExtraError.
    """
    if len(vectors) < max(least, 2):
        return []
    try:
        from sklearn.cluster import HDBSCAN
    except ImportError as error:
        raise MissingExtraError("clustering by density", "cluster") from error
    labels = HDBSCAN(min_cluster_size=max(least, 2), metric="euclidean", copy=True).fit_predict(vectors)
    groups: dict[int, list[int]] = {}
    for place, label in enumerate(labels.tolist()):
        if label >= 0:
            groups.setdefault(label, []).append(place)
    return sorted(groups.values())
