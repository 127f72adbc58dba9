"""Training of `combray.facts.ranker`: a conditional logit that orders candidates, a logit for the best one.

Both are fitted by Newton's method with an L2 penalty on standardised columns, so a fit has no random part. The
returned weights are those of the columns as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from combray.facts.ranker import of_list

Row = NDArray[np.float64]
Table = NDArray[np.float64]
_STEPS = 40
_SMALL = 1e-8
DIGITS = 5
"""Decimals of a weight."""


@dataclass(frozen=True)
class Lists:
    """Candidates of many texts: one row for each candidate, `owner` is its text, in order."""

    table: Table
    owner: NDArray[np.int64]
    right: Row
    weights: Row
    """Of the texts."""

    @classmethod
    def of(cls, tables: Sequence[Table], right: Sequence[Row], weights: Sequence[float]) -> Lists:
        """Join the candidates of texts that have some."""
        owner = np.repeat(np.arange(len(tables)), [len(each) for each in tables])
        return cls(np.vstack(tables), owner, np.concatenate(right), np.array(weights))


def choose(lists: Lists, ridge: float) -> Row:
    """Return the weights with which the right candidates get the highest scores of their lists.

    Lists without a right candidate say nothing. Where several are right, each counts as a part.
    """
    count = len(lists.weights)
    held = np.bincount(lists.owner, lists.right, count)
    use = (held > 0)[lists.owner]
    z, spread = _standard(lists.table[use])
    owner, right = lists.owner[use], lists.right[use] / held[lists.owner[use]]
    beta = np.zeros(z.shape[1])
    weight = lists.weights

    def fits(beta: Row) -> tuple[float, Row]:
        """Return the penalised loss and the chance of each candidate."""
        score = z @ beta
        highest = np.full(count, -np.inf)
        np.maximum.at(highest, owner, score)
        raw = np.exp(score - highest[owner])
        chance = raw / np.bincount(owner, raw, count)[owner]
        likely = np.log(np.maximum(chance, np.finfo(float).tiny))
        return float(-(right * likely * weight[owner]).sum() + ridge * (beta @ beta) / 2), chance

    loss, chance = fits(beta)
    for _ in range(_STEPS):
        slope = z.T @ ((chance - right) * weight[owner]) + ridge * beta
        mean = np.zeros((count, z.shape[1]))
        np.add.at(mean, owner, z * chance[:, None])
        curve = (z * (chance * weight[owner])[:, None]).T @ z - (mean * weight[:, None]).T @ mean
        step = np.linalg.solve(curve + ridge * np.eye(len(beta)), slope)
        # A whole step can overshoot.
        while (found := fits(beta - step))[0] > loss and np.abs(step).max() > _SMALL:
            step = step / 2
        beta, (loss, chance) = beta - step, found
        if np.abs(step).max() < _SMALL:
            break
    result: Row = np.round(beta / spread, DIGITS)
    return result


def best_of_lists(lists: Lists, choice: Row) -> tuple[Table, Row]:
    """Return for each text what the second model sees, and whether the best candidate is right."""
    ends = np.cumsum(np.bincount(lists.owner))[:-1]
    rows, right = [], []
    for table, truth in zip(np.split(lists.table, ends), np.split(lists.right, ends), strict=True):
        scores = table @ choice
        best = int(scores.argmax())
        rows.append(np.concatenate([of_list(scores), table[best]]))
        right.append(truth[best])
    return np.array(rows), np.array(right)


def weigh(table: Table, right: Row, weights: Row, ridge: float) -> tuple[Row, float]:
    """Return weights and bias of a logistic regression."""
    z, spread = _standard(table)
    mean = table.mean(axis=0)
    rows = np.hstack([np.ones((len(z), 1)), z])
    beta = np.zeros(rows.shape[1])
    penalty = ridge * np.eye(len(beta))
    penalty[0, 0] = _SMALL
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(rows @ beta, -30, 30)))
        slope = rows.T @ ((chance - right) * weights) + penalty @ beta
        curve = (rows * (chance * (1 - chance) * weights)[:, None]).T @ rows + penalty
        step = np.linalg.solve(curve, slope)
        beta -= step
        if np.abs(step).max() < _SMALL:
            break
    found = np.round(beta[1:] / spread, DIGITS)
    return found, round(float(beta[0] - mean @ found), DIGITS)


def _standard(table: Table) -> tuple[Table, Row]:
    spread = table.std(axis=0)
    # A column that never changes gets no weight, because its penalty is all that it adds.
    spread[spread < _SMALL] = 1.0
    return (table - table.mean(axis=0)) / spread, spread
