"""Answers of several namespaces as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from combray.types import Answer


def merged(answers: Sequence[Answer], limit: int) -> Answer:
    """Return the best `limit` hits of all answers by score; ties go to the namespace that is named first.

    Scores are compared as they are. Measured on LoCoMo conversation 1 with its turns split at random into two
    namespaces (recall@10, mean of two splits; one namespace, this rule, alternating by rank, scaled to the best
    hit): default 82.3, 79.3, 78.9, 78.8; semantic-facts 65.2, 65.3, 63.7, 61.5; engram 57.2, 59.1, 56.8, 55.3;
    openclaw 65.8, 64.6, 66.7, 64.9; mnemon 49.1, 48.2, 48.1, 47.4; mnemo 34.4, 22.3, 22.5, 22.3. What is lost is
    the context of turns whose neighbours are in the other namespace.
    """
    first = answers[0]
    if len(answers) == 1:
        return first
    hits = sorted((hit for answer in answers for hit in answer.hits), key=lambda hit: -hit.score)
    reasons = dict.fromkeys(answer.reason for answer in answers if answer.reason and bool(answer) == bool(hits))
    trace = tuple(step for answer in answers for step in answer.trace)
    return replace(first, hits=tuple(hits[:limit]), reason="; ".join(reasons), trace=trace)
