"""Logistic models with signs: evidence never speaks against an answer.

Notes are cross-validated by author, conversations by store: an author's own questions would train the author.
"""

from __future__ import annotations

from collections import Counter, defaultdict
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

SHARES = {"locomo": 2.0, "sets": 1.5}
"""Weight of each family of conversations. Within one, both labels weigh the same."""
SHAPES: dict[str, tuple[str, ...]] = {
    "turns": ("locomo", "sets"),
    "notes": ("own", "a", "b", "c", "d", "e", "small", "two-hundred", "team"),
}
"""Families that train the models of a shape of store."""
AUTHORS = {"two-hundred": "small"}
"""Author of a family of notes, where it is not the family's own."""
LOST = {"none": {"turns": (0.004, 0.0), "notes": (0.01, 0.0)}}
LOST_ELSE = {"turns": (0.002, 0.002), "notes": (0.02, 0.005)}
"""Shares of answerable questions that the bounds of answer and topic may refuse, by level and shape."""
CALIBRATED = 0.05
"""Share of answerable questions that is refused alike in small and large stores of notes."""
GAPS = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 7.0)
CUT_LOST = {"turns": 0.001, "notes": 0.005}
"""Recall that the cut of the list may lose beside `KEEP`."""
FOLDS, INNER, RIDGE, STEPS = 8, 3, 3.0, 400
LISTED = 10
_LESS = {"lacks", "may lack", "focus", "conflict", "stranger", "aside", "missing", "lacking", "unheld", "unnamed"}
_FREE = {"store", "known", "named", "typed", "words", "owner", "self", "some", "method"}
_TOPIC = (
    "confidence", "store", "known", "named", "words", "missing", "unnamed", "owner", "self", "some", "method",
    "top own", "top central", "top covered", "top keywords",
)  # fmt: skip
_NEAR = frozenset(("near", "adversarial"))
"""Kinds of questions whose topic is in the store."""


def _sign(name: str) -> int:
    bare = name.removeprefix("best ")
    return 0 if bare in _FREE else -1 if bare in _LESS else 1


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


def author(each: Seen) -> str:
    """The author of a question of notes."""
    return AUTHORS.get(each.family, each.family)


def weights(seen: Sequence[Seen]) -> NDArray[np.float64]:
    """A weight a question; their mean is 1.

    Notes: small and large stores of an author weigh as the root of their number of questions, and of these both
    labels weigh the same. Conversations: by `SHARES`, kinds of a family and label alike.
    """
    if not any(each.family in SHARES for each in seen):
        groups = [(author(each), each.large) for each in seen]
        labels = [(*group, each.kind == "answer") for group, each in zip(groups, seen, strict=True)]
        some, same = Counter(groups), Counter(labels)
        return _to_mean_one(np.array([some[label[:2]] ** 0.5 / same[label] for label in labels]))
    count: dict[tuple[str, str], int] = defaultdict(int)
    kinds: dict[tuple[str, bool], set[str]] = defaultdict(set)
    for each in seen:
        count[each.family, each.kind] += 1
        kinds[each.family, each.kind == "answer"].add(each.kind)
    found = [
        SHARES[each.family] / len(kinds[each.family, each.kind == "answer"]) / count[each.family, each.kind]
        for each in seen
    ]
    return _to_mean_one(np.array(found))


def _to_mean_one(values: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = values * len(values) / values.sum()
    return result


def folds(seen: Sequence[Seen]) -> NDArray[np.int64]:
    """The fold of each question: all questions of an author of notes, or of a conversation, are in one."""
    of = [each.store if each.family in SHARES else author(each) for each in seen]
    place = {name: number % FOLDS for number, name in enumerate(sorted(set(of)))}
    return np.array([place[each] for each in of])


def of_shape(seen: Sequence[Seen], shape: str) -> list[Seen]:
    """The questions that train the models of a shape. Whole messages are never refused."""
    return [each for each in seen if each.family in SHAPES[shape] and not each.message]


def train_hits(seen: Sequence[Seen]) -> Model:
    """The model of a hit: does it answer, among the hits of all questions."""
    rows = np.vstack([each.hits for each in seen])
    right = np.concatenate([each.gold for each in seen]).astype(np.float64)
    # Of notes all questions weigh the same: a hit is right or wrong in a store of any size.
    each_weighs = weights(seen) if any(each.family in SHARES for each in seen) else np.ones(len(seen))
    weight = np.repeat(each_weighs, [len(each.hits) for each in seen])
    # Few hits are right: they weigh more, by the root of their rarity.
    more = (weight[right == 0].sum() / max(weight[right > 0].sum(), 1e-9)) ** 0.5
    weight = weight * np.where(right > 0, more, 1.0)
    return fit(FEATURES, rows, right, weight / weight.mean())


def rows_of(seen: Sequence[Seen], hit: Model) -> NDArray[np.float64]:
    """The row of `WHOLE` of each question."""
    return np.array([each.found.answer(hit(each.hits)) for each in seen])


def train_whole(
    seen: Sequence[Seen], rows: NDArray[np.float64], names: tuple[str, ...], without: frozenset[str] = frozenset()
) -> Model:
    """A model of the answer on some features, without questions of some kinds."""
    use = np.array([each.kind not in without for each in seen])
    right = np.array([float(each.kind == "answer") for each in seen])[use]
    weight = weights([each for each, used in zip(seen, use, strict=True) if used])
    places = [WHOLE.index(name) for name in names]
    few = fit(names, rows[use][:, places], right, weight)
    whole = np.zeros(len(WHOLE))
    whole[places] = few.weights
    return Model(WHOLE, whole, few.bias)


@dataclass(frozen=True)
class Trained:
    """The three models of a shape."""

    hit: Model
    answer: Model
    topic: Model


def train(seen: Sequence[Seen]) -> Trained:
    """Train the models. The rows of the answer come from models of a hit that did not see their store."""
    fold = folds(seen)
    rows = np.zeros((len(seen), len(WHOLE)))
    for number in range(INNER):
        out = fold % INNER == number
        hit = train_hits([each for each, held in zip(seen, out, strict=True) if not held])
        rows[out] = rows_of([each for each, held in zip(seen, out, strict=True) if held], hit)
    return Trained(
        train_hits(seen).rounded(),
        calibrated(seen, rows, train_whole(seen, rows, WHOLE)).rounded(),
        train_whole(seen, rows, _TOPIC, _NEAR).rounded(),
    )


def calibrated(seen: Sequence[Seen], rows: NDArray[np.float64], model: Model) -> Model:
    """The model with a weight of `store` at which the same share of small and large stores is refused.

    In a large store some memory is near any question, so that log-odds of all questions are higher there.
    """
    answered = np.array([each.kind == "answer" and not each.certain for each in seen])
    large = np.array([each.large for each in seen])
    if not (answered & large).any() or not (answered & ~large).any():
        return model
    odds, sizes = model(rows), rows[:, WHOLE.index("store")]
    low, size = (
        [float(what(values[answered & group])) for group in (large, ~large)]
        for what, values in ((lambda some: np.quantile(some, CALIBRATED), odds), (np.mean, sizes))
    )
    changed = model.weights.copy()
    changed[WHOLE.index("store")] -= (low[0] - low[1]) / (size[0] - size[1])
    return Model(model.names, changed, model.bias)


@dataclass(frozen=True)
class Scores:
    """Log-odds of each question out of fold: of the answer, of the topic, and of its hits."""

    answer: NDArray[np.float64]
    topic: NDArray[np.float64]
    hits: list[NDArray[np.float64]]


def out_of_fold(seen: Sequence[Seen]) -> Scores:
    """The scores of models that did not see the store."""
    fold = folds(seen)
    scores = Scores(np.zeros(len(seen)), np.zeros(len(seen)), [np.zeros(0)] * len(seen))
    for number in range(FOLDS):
        out = [int(at) for at in np.flatnonzero(fold == number)]
        if not out:
            continue
        made = train([each for each, at in zip(seen, fold, strict=True) if at != number])
        rows = rows_of([seen[at] for at in out], made.hit)
        scores.answer[out], scores.topic[out] = made.answer(rows), made.topic(rows)
        for at in out:
            scores.hits[at] = made.hit(seen[at].hits)
    return scores


@dataclass(frozen=True)
class Bounds:
    """Below `refuse` (answer) or `far` (topic) nothing is answered."""

    refuse: float
    far: float

    def refused(self, seen: Sequence[Seen], scores: Scores) -> NDArray[np.bool_]:
        """Which questions are refused."""
        certain = np.array([each.certain for each in seen])
        below: NDArray[np.bool_] = (scores.answer < self.refuse) | (scores.topic < self.far)
        result: NDArray[np.bool_] = below & ~certain
        return result


def bounds(seen: Sequence[Seen], scores: Scores, level: str, shape: str) -> Bounds:
    """The bounds that refuse the shares of `LOST`."""
    answer = np.array([each.kind == "answer" and not each.certain and each.family != "sets" for each in seen])
    lost = LOST.get(level, LOST_ELSE)[shape]
    found = (
        float(np.quantile(every[answer], share)) if share else -100.0
        for every, share in zip((scores.answer, scores.topic), lost, strict=True)
    )
    return Bounds(*(round(each, 4) for each in found))


def listed(each: Seen, odds: NDArray[np.float64], gap: float, keep: float = KEEP) -> tuple[float, float]:
    """Precision and recall of the list after both cuts."""
    ratio = each.hits[:LISTED, FEATURES.index("ratio")]
    kept = (odds[:LISTED] >= odds.max() - gap) & (ratio >= keep)
    kept[0] = True
    hits = float((each.gold[:LISTED] & kept).sum())
    return hits / kept.sum(), hits / each.wanted


def keep_beside(level: str, shape: str) -> float:
    """The share of the best score below which hits are dropped too: none where the gap replaces it."""
    return 0.0 if shape == "notes" and level != "none" else KEEP


def gap_of(seen: Sequence[Seen], scores: Scores, level: str, shape: str) -> float:
    """The smallest gap that loses no more recall than it may: in place of `KEEP`, no more than that."""
    pairs = [(each, odds) for each, odds in zip(seen, scores.hits, strict=True) if each.kind == "answer"]

    def recall(gap: float, keep: float) -> float:
        return float(np.mean([listed(each, odds, gap, keep)[1] for each, odds in pairs]))

    keep = keep_beside(level, shape)
    least = CUT_LOST[shape] if keep else 0.0
    whole = recall(np.inf, KEEP)
    return next((gap for gap in GAPS if recall(gap, keep) >= whole - least), 100.0)


def left_out(seen: Sequence[Seen], scores: Scores, level: str, shape: str) -> Iterator[str]:
    """A line an author and size of store: refused by models and bounds without the author's questions."""
    shares: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
    for name in sorted({author(each) for each in seen}):
        mine = np.array([author(each) == name for each in seen])
        others = [int(at) for at in np.flatnonzero(~mine)]
        some = [seen[at] for at in others]
        bound = bounds(some, Scores(scores.answer[others], scores.topic[others], []), level, shape)
        refused = bound.refused(seen, scores)
        for large in (False, True):
            here = mine & np.array([each.large == large for each in seen])
            right = here & np.array([each.kind == "answer" for each in seen])
            if not right.any():
                continue
            wrong, silent = float(refused[right].mean()), float(refused[here & ~right].mean())
            auc = roc_auc(scores.answer[right].tolist(), scores.answer[here & ~right].tolist())
            shares[large].append((wrong, silent))
            size = "large" if large else "small"
            yield f"{name}, {size} stores: {right.sum()} answerable, AUC {auc:.2f}, {100 * wrong:.0f} % refused"
            yield f"    and {100 * silent:.0f} % of {(here & ~right).sum()} without an answer"
    for large, found in shares.items():
        means = 100 * np.mean(found, axis=0) if found else (np.nan, np.nan)
        yield f"mean over authors, {'large' if large else 'small'}: {means[0]:.1f} and {means[1]:.0f} %"


def report(
    seen: Sequence[Seen], scores: Scores, refused: NDArray[np.bool_], gap: float, keep: float
) -> Iterator[str]:
    """A line a family and kind: ROC-AUC out of fold and the share that is refused; a line of the cut."""
    for family in sorted({each.family for each in seen}):
        mine = np.array([each.family == family for each in seen])
        answer = mine & np.array([each.kind == "answer" for each in seen])
        for kind in sorted({each.kind for each in seen if each.family == family}):
            some = mine & np.array([each.kind == kind for each in seen])
            auc = roc_auc(scores.answer[answer].tolist(), scores.answer[some].tolist())
            share = 100 * refused[some].mean()
            yield f"{family} {kind}: {some.sum()} questions, AUC {auc:.2f}, refused {share:.0f} %"
        pairs = [(seen[at], scores.hits[at]) for at in map(int, np.flatnonzero(answer))]
        cuts = [
            100 * np.mean([listed(each, odds, *cut) for each, odds in pairs], axis=0)
            for cut in ((np.inf, KEEP), (gap, keep))
        ]
        shown = " -> ".join(f"P {precision:.0f} R {recall:.0f}" for precision, recall in cuts)
        yield f"{family} cut: {shown}"
