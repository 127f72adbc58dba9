"""Two logistic models with signs: evidence never speaks against an answer. Cross-validated by store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.evidence.collecting import Seen
from bench.quality.metrics import roc_auc
from combray.recall.answer_features import FEATURES, WHOLE
from combray.recall.keep import KEEP
from combray.scoring.answers import Weights

SHARES = {"locomo": 2.0, "own": 2.0, "small": 1.2, "two-hundred": 1.2, "team": 0.6, "sets": 1.5}
"""Weight of each family. Within one, questions with and without an answer weigh the same."""
NOTES = ("own", "small", "two-hundred", "team")
LOST_TURNS, LOST_NOTES = 0.004, 0.03
"""Shares of answerable questions that a bound may refuse."""
GAPS = (3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 7.0)
CUT_LOST_TURNS, CUT_LOST_NOTES = 0.001, 0.01
"""Recall that the cut of the list may lose beside `KEEP`."""
FOLDS, RIDGE, STEPS = 8, 10.0, 1500
LISTED = 10
_LESS = {"stranger", "missing", "no kind", *FEATURES[11:]}
_FREE = {"store", "known", "named", "typed", "session"}


def _sign(name: str) -> int:
    bare = name.split(" ", 1)[-1] if name.split(" ")[0] in ("first", "best", "least") else name
    if name == "least":
        return 1
    return 0 if name in _FREE else -1 if bare in _LESS else 1


@dataclass(frozen=True)
class Model:
    """A linear model of named features."""

    names: tuple[str, ...]
    weights: NDArray[np.float64]
    bias: float

    def __call__(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        scores: NDArray[np.float64] = rows @ self.weights + self.bias
        return scores

    def shown(self) -> dict[str, Any]:
        """Weights that are not 0, the strongest first."""
        listed = sorted(
            zip(self.names, self.weights.tolist(), strict=True), key=lambda each: (-abs(each[1]), each[0])
        )
        return {
            "weights": {name: round(w, 4) for name, w in listed if abs(w) >= 0.005},
            "bias": round(self.bias, 4),
        }

    def rounded(self) -> Model:
        """The model as the file holds it."""
        shown = self.shown()
        weights = Weights(shown["weights"], shown["bias"])
        return Model(self.names, np.array([weights.weights.get(name, 0.0) for name in self.names]), weights.bias)


def fit(
    names: Sequence[str], rows: NDArray[np.float64], right: NDArray[np.float64], weight: NDArray[np.float64]
) -> Model:
    """Logistic regression with an L2 penalty and the signs of `_sign`, by accelerated projected gradient.

    Source: Beck and Teboulle, "A fast iterative shrinkage-thresholding algorithm", SIAM J. Imaging Sciences
    2 (2009).
    """
    mean, spread = np.average(rows, axis=0, weights=weight), rows.std(axis=0) + 1e-3
    table = np.c_[(rows - mean) / spread, np.ones(len(rows))]
    signs = np.array([*map(_sign, names), 0])
    ridge = np.append(np.full(len(names), RIDGE), 1e-6)
    step = 1.0 / (np.linalg.eigvalsh((table * weight[:, None]).T @ table / 4).max() + RIDGE)
    found = ahead = np.zeros(table.shape[1])
    speed = 1.0
    for _ in range(STEPS):
        p = 1.0 / (1.0 + np.exp(-table @ ahead))
        new = ahead - step * (table.T @ (weight * (p - right)) + ridge * ahead)
        new = np.where(signs * new < 0, 0.0, new)
        faster = (1.0 + np.sqrt(1.0 + 4.0 * speed**2)) / 2.0
        ahead, found, speed = new + (speed - 1.0) / faster * (new - found), new, faster
    weights = found[:-1] / spread
    return Model(tuple(names), weights, float(found[-1] - mean @ weights))


def weights(seen: Sequence[Seen]) -> NDArray[np.float64]:
    """A weight a question: families by `SHARES`, kinds within a family and label alike. Their mean is 1."""
    count: dict[tuple[str, str], int] = defaultdict(int)
    kinds: dict[tuple[str, bool], set[str]] = defaultdict(set)
    for each in seen:
        count[each.family, each.kind] += 1
        kinds[each.family, each.kind == "answer"].add(each.kind)
    found = np.array(
        [
            SHARES[each.family] / len(kinds[each.family, each.kind == "answer"]) / count[each.family, each.kind]
            for each in seen
        ]
    )
    result: NDArray[np.float64] = found * len(found) / found.sum()
    return result


def folds(seen: Sequence[Seen]) -> NDArray[np.int64]:
    """The fold of each question: all questions of a store are in one."""
    place = {store: number % FOLDS for number, store in enumerate(sorted({each.store for each in seen}))}
    return np.array([place[each.store] for each in seen])


def train_answers(seen: Sequence[Seen]) -> tuple[Model, NDArray[np.float64]]:
    """Return the model of the whole answer, and the scores out of fold."""
    rows = np.array([each.whole for each in seen])
    right = np.array([float(each.kind == "answer") for each in seen])
    weight, fold = weights(seen), folds(seen)
    scores = np.zeros(len(seen))
    for number in range(FOLDS):
        inside = fold != number
        scores[~inside] = fit(WHOLE, rows[inside], right[inside], weight[inside])(rows[~inside])
    return fit(WHOLE, rows, right, weight).rounded(), scores


def train_hits(seen: Sequence[Seen]) -> tuple[Model, list[NDArray[np.float64]]]:
    """Return the model of a hit, trained on answerable questions, and the scores out of fold."""
    rows = np.vstack([each.hits for each in seen])
    right = np.concatenate([each.gold for each in seen]).astype(np.float64)
    sizes = [len(each.hits) for each in seen]
    weight, fold = np.repeat(weights(seen), sizes), np.repeat(folds(seen), sizes)
    scores = np.zeros(len(rows))
    for number in range(FOLDS):
        inside = fold != number
        scores[~inside] = fit(FEATURES, rows[inside], right[inside], weight[inside])(rows[~inside])
    return fit(FEATURES, rows, right, weight).rounded(), np.split(scores, np.cumsum(sizes)[:-1])


def is_turns(each: Seen) -> bool:
    """Whether the model's bound for conversations applies."""
    return bool(each.whole[WHOLE.index("session")] >= 0.5)


def refusals(seen: Sequence[Seen], scores: NDArray[np.float64]) -> dict[str, float]:
    """The bounds below which an answer is refused, by kind of store."""
    answer = np.array([each.kind == "answer" and not each.certain for each in seen])
    turns = np.array([each.family == "locomo" for each in seen])
    notes = np.array([each.family in NOTES for each in seen])
    return {
        "turns": round(float(np.quantile(scores[answer & turns], LOST_TURNS)), 4),
        "notes": round(float(np.quantile(scores[answer & notes], LOST_NOTES)), 4),
    }


def listed(each: Seen, odds: NDArray[np.float64], gap: float) -> tuple[float, float]:
    """Precision and recall of the list after both cuts."""
    ratio = each.hits[:LISTED, FEATURES.index("ratio")]
    kept = (odds[:LISTED] >= odds.max() - gap) & (ratio >= KEEP)
    kept[0] = True
    hits = float((each.gold[:LISTED] & kept).sum())
    return hits / kept.sum(), hits / each.wanted


def gaps(seen: Sequence[Seen], odds: Sequence[NDArray[np.float64]]) -> dict[str, float]:
    """The smallest gap by kind of store that loses no more recall than it may."""
    found = {}
    for kind, families, lost in (("turns", ("locomo",), CUT_LOST_TURNS), ("notes", NOTES, CUT_LOST_NOTES)):
        pairs = [(each, some) for each, some in zip(seen, odds, strict=True) if each.family in families]

        def recall(gap: float, pairs: Any = pairs) -> float:
            return float(np.mean([listed(each, some, gap)[1] for each, some in pairs]))

        whole = recall(np.inf)
        found[kind] = next((gap for gap in GAPS if recall(gap) >= whole - lost), 100.0)
    return found


def report(seen: Sequence[Seen], scores: NDArray[np.float64], bounds: dict[str, float]) -> Iterator[str]:
    """A line a family and kind: ROC-AUC out of fold, and the share that the bounds refuse."""
    refused = np.array(
        [
            not each.certain and score < bounds["turns" if is_turns(each) else "notes"]
            for each, score in zip(seen, scores, strict=True)
        ]
    )
    for family in SHARES:
        mine = np.array([each.family == family for each in seen])
        answer = mine & np.array([each.kind == "answer" for each in seen])
        for kind in sorted({each.kind for each in seen if each.family == family}):
            some = mine & np.array([each.kind == kind for each in seen])
            auc = roc_auc(scores[answer].tolist(), scores[some].tolist())
            share = 100 * refused[some].mean()
            yield f"{family} {kind}: {some.sum()} questions, AUC {auc:.2f}, refused {share:.0f} %"


def report_cut(
    seen: Sequence[Seen], odds: Sequence[NDArray[np.float64]], found: dict[str, float]
) -> Iterator[str]:
    """A line a family: precision and recall without and with the cut."""
    for family in SHARES:
        pairs = [(each, some) for each, some in zip(seen, odds, strict=True) if each.family == family]
        means = [
            100
            * np.mean(
                [
                    listed(each, some, found["turns" if is_turns(each) else "notes"] if cut else np.inf)
                    for each, some in pairs
                ],
                axis=0,
            )
            for cut in (False, True)
        ]
        yield f"{family} cut: P {means[0][0]:.0f} R {means[0][1]:.0f} -> P {means[1][0]:.0f} R {means[1][1]:.0f}"
