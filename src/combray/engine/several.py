"""Answers of several namespaces as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from combray.types import Answer


def merged(answers: Sequence[Answer], limit: int) -> Answer:
    """The best `limit` hits of all answers, by score; ties go to the namespace that is named first."""
    first = answers[0]
    if len(answers) == 1:
        return first
    hits = sorted((hit for answer in answers for hit in answer.hits), key=lambda hit: -hit.score)
    reasons = dict.fromkeys(answer.reason for answer in answers if answer.reason and bool(answer) == bool(hits))
    trace = tuple(step for answer in answers for step in answer.trace)
    return replace(first, hits=tuple(hits[:limit]), reason="; ".join(reasons), trace=trace)
