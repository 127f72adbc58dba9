"""Keyword search with context expansion, with the weights that every preset shares."""

from __future__ import annotations

from collections.abc import Iterable

from combray.runtime import KeywordArm

MET = "met"
"""Name of the arm that `met_arm` makes."""

FIELDS = (1.0, 1.0, 0.0, 0.3)
"""Weights of the index fields: content, context, author and date, entities and tags.

Authors count nothing: the questions are read without the names of authors (`ReadQuestion`)."""
BEFORE = (0.5, 0.3, 0.2, 0.1, 0.1, 0.1)
"""Weights of the turns before a turn, the adjacent one first. A flat optimum (bench/results/quality.md)."""
AFTER = (0.3, 0.2, 0.1, 0.1, 0.1, 0.1)
"""Weights of the turns after it."""


def context_arm(
    terms: Iterable[str], *, normalise: bool = False, lends: tuple[tuple[str, tuple[str, ...], float], ...] = ()
) -> KeywordArm:
    """BM25F over a turn and, at lower weight, the turns around it in its session.

    A memory without a session has no neighbours, and its score is plain BM25F.
    """
    weighted = tuple((term, 1.0) for term in terms)
    return KeywordArm(weighted, fields=FIELDS, before=BEFORE, after=AFTER, normalise=normalise, lends=lends)


def met_arm(terms: Iterable[str], lends: tuple[tuple[str, tuple[str, ...], float], ...] = ()) -> KeywordArm:
    """Share of the terms that a memory holds, weighted by idf: with k1 = 0 a word counts once."""
    return KeywordArm(tuple((term, 1.0) for term in terms), k1=0.0, normalise=True, lends=lends)
