"""Trains the model of restatements: `python -m bench.pairs --train [OUT]`.

A logistic model (ridge 1) of the features of `language.restatements`, on pairs whose relation the tables do not
decide: those of our statements and negations, of situations in which facts change (`bench/truth/sets`, odd
numbers, which all say different things), and of every author in `authors/`. A feature whose weight has the wrong
sign is left out. For each author a model that has not seen the author is measured as well. Chance has no part:
the same texts give the same weights.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from bench.pairs.sources import AUTHORS, author_pairs, negation_pairs, situation_pairs, statement_pairs
from combray.language import restatements
from combray.language.relations import open_pair

WEIGHTS = Path(restatements.__file__).with_name("restatements.json")
RIDGE = 1.0
SIGNS = (1, 1, 1, 0, -1, 0, 0)
"""What a weight may be: who shares more is more alike, who puts other words there is less; 0: anything."""
CUTS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Model:
    """Weights of the features, and the bias."""

    weights: NDArray[np.float64]
    bias: float

    def chance(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each row."""
        result: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-(rows @ self.weights + self.bias)))
        return result


def fit(rows: NDArray[np.float64], right: NDArray[np.float64]) -> Model:
    """Fit by Newton's method. The ridge is on standardised features."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    table = np.column_stack([(rows - mean) / spread, np.ones(len(rows))])
    penalty = RIDGE * np.diag([1.0] * rows.shape[1] + [0.0])
    found = np.zeros(table.shape[1])
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-(table @ found)))
        slope = table.T @ (chance - right) + penalty @ found
        curve = table.T @ (table * (chance * (1.0 - chance))[:, None]) + penalty
        found = found - np.linalg.solve(curve, slope)
    weights = found[:-1] / spread
    return Model(weights, float(found[-1] - weights @ mean))


def fit_signed(rows: NDArray[np.float64], right: NDArray[np.float64]) -> Model:
    """Fit, leaving out one feature after the other whose weight has the wrong sign, the strongest first."""
    used = list(range(rows.shape[1]))
    while True:
        model = fit(rows[:, used], right)
        wrong = [place for place, at in enumerate(used) if model.weights[place] * SIGNS[at] < 0]
        if not wrong:
            break
        strength = np.abs(model.weights) * rows[:, used].std(axis=0)
        used.pop(max(wrong, key=lambda place: float(strength[place])))
    weights = np.zeros(rows.shape[1])
    weights[used] = model.weights
    return Model(weights, model.bias)


def train(console: Console, out: Path = WEIGHTS) -> None:
    """Train on every pair, write the weights, and show what models do with the author they have not seen."""
    pairs = [*statement_pairs(), *negation_pairs(), *situation_pairs(), *author_pairs()]
    found = [(pair, open_pair(pair.old, pair.new)) for pair in pairs]
    known = [(pair, features) for pair, features in found if features is not None]
    rows = np.array([features for _, features in known])
    right = np.array([float(pair.relation == "duplicate") for pair, _ in known])
    authors = [pair.source for pair, _ in known]
    console.print(f"{len(pairs)} pairs, {len(known)} undecided by the tables, {int(right.sum())} restatements")
    shown = Table(title="an author whom the model has not seen: restatements / others linked", min_width=60)
    shown.add_column("author")
    shown.add_column("undecided", justify="right")
    for cut in CUTS:
        shown.add_column(f"{cut:g}", justify="right")
    for author in AUTHORS:
        own = np.array([each == f"author {author}" for each in authors])
        chance = fit_signed(rows[~own], right[~own]).chance(rows[own])
        shown.add_row(author, _shares(right[own]), *(_linked(chance >= cut, right[own]) for cut in CUTS))
    console.print(shown)
    model = fit_signed(rows, right)
    chance = model.chance(rows)
    console.print("trained on all:", *(f"{cut:g}: {_linked(chance >= cut, right)};" for cut in CUTS))
    trained = {
        "features": list(restatements.FEATURES),
        "weights": [round(float(each), 4) for each in model.weights],
        "bias": round(model.bias, 4),
    }
    out.write_text(json.dumps(trained, indent=1) + "\n", encoding="utf-8")


def _shares(right: Sequence[float] | NDArray[np.float64]) -> str:
    return f"{int(np.sum(right))} / {len(right) - int(np.sum(right))}"


def _linked(linked: NDArray[np.bool_], right: NDArray[np.float64]) -> str:
    return _shares(right[linked])
