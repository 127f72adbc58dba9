"""Training of `combray.scoring.forest` by gradient boosting: logistic loss, histograms, oblivious trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Boosting:
    """Settings of the training. `share` is the part of the columns that a tree may use."""

    trees: int = 300
    depth: int = 3
    rate: float = 0.08
    bins: int = 24
    share: float = 0.35
    ridge: float = 5.0
    least: float = 2.0
    """Least sum of second derivatives in a leaf that gets a value of its own."""
    seed: int = 0

    def fit(
        self,
        features: NDArray[np.float64],
        right: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
    ) -> dict[str, object]:
        """Return columns, thresholds, values and bias of a forest. `right` is 0 or 1 by row."""
        weight = np.ones(len(right)) if weights is None else weights
        edges = [np.unique(np.quantile(column, np.linspace(0, 1, self.bins + 1)[1:-1])) for column in features.T]
        codes = np.stack(
            [np.searchsorted(edge, column, side="left") for edge, column in zip(edges, features.T, strict=True)],
            axis=1,
        ).astype(np.int64)
        share = float((right * weight).sum() / weight.sum())
        bias = float(np.log(share / (1 - share)))
        score = np.full(len(right), bias)
        random = np.random.default_rng(self.seed)
        width = features.shape[1]
        found: dict[str, list[object]] = {"columns": [], "thresholds": [], "values": []}
        for _ in range(self.trees):
            p = 1 / (1 + np.exp(-score))
            gradient, curvature = (p - right) * weight, np.maximum(p * (1 - p), 1e-6) * weight
            usable = random.permutation(width)[: max(1, int(width * self.share))]
            usable = usable[[len(edges[each]) > 0 for each in usable]]
            leaf = np.zeros(len(right), dtype=np.int64)
            columns, thresholds = [], []
            for _level in range(self.depth):
                column, place = self._split(codes[:, usable], leaf, gradient, curvature)
                column = int(usable[column])
                columns.append(column)
                place = min(place, len(edges[column]) - 1)
                thresholds.append(float(edges[column][place]))
                leaf = leaf * 2 + (codes[:, column] > place)
            size = 2**self.depth
            g = np.bincount(leaf, gradient, size)
            h = np.bincount(leaf, curvature, size)
            values = np.where(h >= self.least / 4, -self.rate * g / (h + self.ridge), 0.0)
            score += values[leaf]
            found["columns"].append(columns)
            found["thresholds"].append([round(each, 6) for each in thresholds])
            found["values"].append([round(float(each), 5) for each in values])
        return {**found, "bias": round(bias, 5)}

    def _split(
        self,
        codes: NDArray[np.int64],
        leaf: NDArray[np.int64],
        gradient: NDArray[np.float64],
        curvature: NDArray[np.float64],
    ) -> tuple[int, int]:
        """Return the column and bin whose question divides all leaves best."""
        width = codes.shape[1]
        leaves = int(leaf.max()) + 1
        place = ((leaf[:, None] * width + np.arange(width)) * self.bins + codes).ravel()
        total = leaves * width * self.bins
        shape = (leaves, width, self.bins)
        g = np.bincount(place, np.repeat(gradient, width), total).reshape(shape).cumsum(axis=2)
        h = np.bincount(place, np.repeat(curvature, width), total).reshape(shape).cumsum(axis=2)
        right_g, right_h = g[:, :, -1:] - g, h[:, :, -1:] - h
        gain = g**2 / (h + self.ridge) + right_g**2 / (right_h + self.ridge)
        gain[(h < self.least / 4) | (right_h < self.least / 4)] = 0
        base = g[:, :, -1:] ** 2 / (h[:, :, -1:] + self.ridge)
        gain = np.maximum(gain - base, 0).sum(axis=0)
        column, bin_ = np.unravel_index(int(gain.argmax()), gain.shape)
        return int(column), int(bin_)
