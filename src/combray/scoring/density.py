"""Clusters by density: HDBSCAN over unit vectors (Campello et al. 2013), from the extra `cluster`."""

from __future__ import annotations

from importlib.util import find_spec

from combray.errors import MissingExtraError
from combray.runtime.retrieval import Vectors


def available() -> bool:
    """Whether the extra is installed; asking loads nothing."""
    return find_spec("sklearn") is not None


def density_clusters(vectors: Vectors, least: int = 3) -> list[list[int]]:
    """Groups of at least `least` rows that lie closer together than those around them; noise is in none.

    Rows are of unit length, so that Euclidean distance orders as the cosine does. Members ascend, groups go by
    their first member: the same rows give the same groups. Raises MissingExtraError.
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
