"""Trains and measures the ranker of revisions: `python -m bench.truth.training FILE… [--out FILE]`.

All stories of a language and file are told to one store, in time order, by the default preset. For each statement
the candidates of `SuggestRevisions` and their features are recorded. A candidate is right if a question of the
story calls it stale and the statement current.

The shipped weights (`src/combray/facts/ranker.json`) come from `bench/truth/sets`: the stories with odd
numbers of two authors, all stories of three others, the pairs with odd numbers, and the situations of `training`.
The even ones are unseen. Figures are from a cross-validation in which the stories of an author are scored by
models that have not seen that author (`--by story`: not that story). Situations and pairs only teach. Length of
texts is no feature: in these stories the current statements are longer, which is no rule of life.

    python -m bench.truth.training SETS/stories.jsonl:odd SETS/more-stories.jsonl SETS/pairs.jsonl:odd \
        SETS/training --onnx MODEL --out src/combray/facts/ranker.json

`--check` measures the shipped weights and trains nothing: give it stories that were not trained on
(`FILE:even --check --onnx MODEL`).
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import combray
from bench.truth.choice import Lists, best_of_lists, choose, weigh
from bench.truth.stories import Question, Statement, Story, load, together
from combray import presets
from combray.facts.candidates import FEATURES, NO_CHANGE, SuggestRevisions, features, level_of
from combray.facts.ranker import Ranker, probabilities
from combray.forms.remembering import Remembering
from combray.pipeline import walk
from combray.runtime import Runtime

FOLDS = 5
OF_ALONE, OF_PAIRS = 0.5, 1.0
"""Weight of a story in a store of its own, since most stores are large, and of a pair."""
RIDGE_OF_CHOICE, RIDGE_OF_CHANCE = 5.0, 20.0
RAISED = {"none": 0.35, "static": 0.35, "contextual": 0.35}
"""Probability that raises a suggestion in a store of few writes, about `least @8%` of the cross-validation."""
EMBEDDERS = {"none": "none", "static": "wordllama"}
Scores = NDArray[np.float64]
Scorer = Callable[[NDArray[np.float64]], Scores]


@dataclass(slots=True)
class Time:
    """The clock of a story."""

    at: float = 0.0

    def __call__(self) -> float:
        """Return the moment that was set."""
        return self.at


@dataclass(frozen=True, slots=True)
class Told:
    """One statement: its candidates, and which of them it makes stale. `changes`: any statement at all."""

    story: str
    kind: str
    language: str
    text: str
    candidates: tuple[str, ...]
    features: NDArray[np.float64]
    right: NDArray[np.float64]
    changes: bool
    weight: float = 1.0
    measured: bool = True
    """False for what only teaches."""


@dataclass(frozen=True)
class AddAll:
    """Stands for `Diff`: every text is new."""

    needs = ("drafts",)
    gives = ("decisions",)

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        return state


@dataclass(frozen=True)
class Recording:
    """Stands for `SuggestRevisions` in the pipeline: records the pool of each draft and suggests nothing."""

    rows: list[tuple[list[int], NDArray[np.float64]]]
    stage: SuggestRevisions
    needs = ("settled", "claims", "nearest", "survey")
    gives = ("suspects",)

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        for place, draft in enumerate(state.drafts):
            pool = None
            if draft.claim.tense not in NO_CHANGE:
                pool = self.stage.pool(draft, place, state, level_of(runtime))
            if pool is None:
                self.rows.append(([], np.zeros((0, len(FEATURES)))))
            else:
                self.rows.append((list(pool.keys), features(draft, pool)))
        return state


def tell(stories: Sequence[Story], embedder: str, *, alone: bool = False) -> Iterator[Told]:
    """Yield every statement of the stories, which share a store by language, or have one each (`alone`)."""
    kinds = {each.ref: story.kind for story in stories for each in story.statements}
    revisions = {new: old for story in stories for new, old in story.revisions.items()}
    preset = presets.load("default")
    stage = next(each for each in walk(preset.remember.stages) if isinstance(each, SuggestRevisions))
    for merged in stories if alone else together(stories):
        rows: list[tuple[list[int], NDArray[np.float64]]] = []
        # Every statement is stored, and none is superseded: the stories say what is right.
        pipeline = preset.remember.replace("SuggestRevisions", Recording(rows, stage))
        pipeline = pipeline.replace("Diff", AddAll())
        chosen = replace(preset, remember=pipeline)
        now = Time()
        with combray.open(":memory:", preset=chosen, embedder=embedder, clock=now) as engine:
            refs: dict[int, str] = {}
            for statement in merged.statements:
                now.at = statement.at
                done = engine.remember(statement.text, author=statement.author, occurred_at=statement.at)
                refs[engine.reader.keys_of([done.id])[done.id]] = statement.ref
                keys, table = rows[-1]
                stale = revisions.get(statement.ref, frozenset())
                found = tuple(refs[key] for key in keys)
                yield Told(
                    statement.ref.rpartition(":")[0],
                    kinds[statement.ref],
                    merged.language,
                    statement.text,
                    found,
                    table,
                    np.array([ref in stale for ref in found], dtype=np.float64),
                    bool(stale),
                )


def train(told: Sequence[Told]) -> dict[str, object]:
    """Return the weights of both models, trained on the given statements."""
    rows = [each for each in told if len(each.right)]
    lists = Lists.of([e.features for e in rows], [e.right for e in rows], [e.weight for e in rows])
    choice = choose(lists, RIDGE_OF_CHOICE)
    chance, bias = weigh(*best_of_lists(lists, choice), lists.weights, RIDGE_OF_CHANCE)
    return {"choice": choice.tolist(), "chance": chance.tolist(), "bias": bias}


def scorer(trained: dict[str, object]) -> Scorer:
    """Return the probabilities of trained models."""
    made = Ranker(np.array(trained["choice"]), np.array(trained["chance"]), float(str(trained["bias"])), 0.0)
    return lambda table: made.probabilities(table) if len(table) else np.zeros(0)


def measured(told: Sequence[Told], scores: Sequence[Scores]) -> dict[str, float]:
    """Return the shares: right one first, among three, and raised at a share of the writes without change."""
    best = np.array([each.max() if len(each) else 0.0 for each in scores])
    changing = np.array([each.changes for each in told])
    first, three = np.zeros(len(told), dtype=bool), np.zeros(len(told), dtype=bool)
    for place, (each, score) in enumerate(zip(told, scores, strict=True)):
        ranked = each.right[np.argsort(-score, kind="stable")]
        first[place], three[place] = ranked[:1].any(), ranked[:3].any()
    found = {"changes": float(changing.sum()), "others": float((~changing).sum())}
    found |= {"first": float(first[changing].mean()), "three": float(three[changing].mean())}
    found["covered"] = float(np.mean([each.right.any() for each in told if each.changes]))
    for percent in (3, 5, 8, 10):
        least = np.quantile(best[~changing], 1 - percent / 100)
        raised = changing & (best > least)
        found[f"first @{percent}%"] = float((raised & first)[changing].mean())
        found[f"three @{percent}%"] = float((raised & three)[changing].mean())
        found[f"least @{percent}%"] = float(least)
    return found


def cross_validated(told: Sequence[Told], by: str) -> list[Scores]:
    """Return the scores of every statement that is measured, by models that have not seen its story or author."""
    asked = [each for each in told if each.measured]
    scores: list[Scores] = [np.zeros(0)] * len(asked)
    for part in sorted({fold(each, by) for each in asked}):
        score = scorer(train([each for each in told if fold(each, by) != part]))
        for place, each in enumerate(asked):
            if fold(each, by) == part:
                scores[place] = score(each.features)
    return scores


def fold(told: Told, by: str) -> str:
    """Return the part of the cross-validation that the statement's story belongs to: a number, or its author."""
    author = told.story.partition("-")[0]
    return author if by == "author" else str(zlib.crc32(told.story.encode()) % FOLDS)


def main(arguments: list[str] | None = None) -> int:
    """Train or check; print the measures of every level as JSON lines."""
    parser = argparse.ArgumentParser(prog="python -m bench.truth.training", description=__doc__)
    parser.add_argument(
        "file",
        type=Path,
        nargs="+",
        help="stories, .jsonl, `FILE:odd` or `FILE:even` takes half; or situations, a folder",
    )
    parser.add_argument("--level", action="append", choices=("none", "static", "contextual"))
    parser.add_argument("--onnx", help="folder of the contextual model, all-MiniLM-L6-v2 for the shipped weights")
    parser.add_argument("--by", choices=("author", "story"), default="author", help="of the cross-validation")
    parser.add_argument("--check", action="store_true", help="measure the shipped weights; train nothing")
    parser.add_argument("--out", type=Path, help="the ranker's file, which gets the weights")
    options = parser.parse_args(arguments)
    embedders = EMBEDDERS | ({"contextual": f"onnx:{options.onnx}"} if options.onnx else {})
    levels: dict[str, dict[str, object]] = {}
    for level in options.level or tuple(embedders):
        sets = [halved(name) for name in map(str, options.file)]
        if options.check:
            told = [each for stories in sets for each in tell(stories, embedders[level])]
            scores = [probabilities(each.features, level) if len(each.features) else np.zeros(0) for each in told]
        else:
            every = [each for stories in sets for each in _lessons(stories, embedders[level])]
            told = [each for each in every if each.measured]
            scores = cross_validated(every, options.by)
        found = measured(told, scores)
        sys.stdout.write(json.dumps({"level": level, **{k: round(v, 3) for k, v in found.items()}}) + "\n")
        sys.stdout.flush()
        if options.out:
            raised = RAISED.get(level, round(found["least @10%"], 4))
            levels[level] = {**train(every), "raise_from": raised}
    if options.out:
        shown = json.loads(options.out.read_text(encoding="utf-8"))["showing"]
        file = {"features": list(FEATURES), "levels": levels, "showing": shown}
        options.out.write_text(json.dumps(file) + "\n", encoding="utf-8")
    return 0


_DAY = 86_400.0
_START, _STEP = 1_740_000_000.0, 3 * _DAY


def _lessons(stories: Sequence[Story], embedder: str) -> Iterator[Told]:
    """Yield what a set teaches: stories told together, and again alone; pairs alone; situations together."""
    if all(each.kind == "pair" for each in stories):
        for each in tell(stories, embedder, alone=True):
            yield replace(each, weight=OF_PAIRS, measured=False)
        return
    situations = all(each.name.startswith("situation") for each in stories)
    for each in tell(stories, embedder):
        yield replace(each, measured=not situations)
    if not situations:
        for each in tell(stories, embedder, alone=True):
            yield replace(each, weight=OF_ALONE, measured=False)


def of_pairs(path: str) -> list[Story]:
    """Return a story for each pair of `sets/pairs.jsonl`; one of verdict "supersedes" is a change."""
    stories = []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        statements = tuple(
            Statement(f"{entry['id']}:{place}", _START + place * _STEP, said["author"], said["text"])
            for place, said in enumerate((entry["earlier"], entry["later"]))
        )
        first, last = (frozenset((each.ref,)) for each in statements)
        question = Question(entry["id"], "pair", entry["lang"], _START + 2 * _STEP, "?", last, first)
        asked = (question,) if entry["verdict"] == "supersedes" else ()
        stories.append(Story(entry["id"], "pair", entry["lang"], statements, asked, last))
    return stories


def of_situations(path: str) -> list[Story]:
    """Return a story for each line `earlier | earlier => later @ number` of a file of situations.

    The number is that of the earlier statement that the later one changes, 0 for none. "Name> " names the author,
    who otherwise is "user". A line that begins with "## " names the kind of the lines below it. The file's name
    begins with its language.
    """
    file = Path(path)
    language, kind, stories = file.stem.partition("-")[0], "", []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("## "):
            kind = line[3:]
            continue
        before, _, rest = line.partition(" => ")
        after, _, changed = rest.rpartition(" @ ")
        name = f"situation-{file.stem}-{number}"
        said = [
            (each.partition("> ") if "> " in each else ("user", "", each))
            for each in [*before.split(" | "), after]
        ]
        # A fixed but irregular order: the situations of a file are told among one another.
        start = _START + (number * 37 % 101) * _DAY
        at = [start + place * _DAY for place in range(len(said) - 1)]
        at.append(at[-1] + (3 + number * 53 % 97) * _DAY)
        statements = tuple(
            Statement(f"{name}:{place}", at[place] + number, author, text)
            for place, (author, _, text) in enumerate(said)
        )
        last = frozenset((statements[-1].ref,))
        old = frozenset((statements[int(changed) - 1].ref,)) if int(changed) else frozenset()
        question = Question(name, kind, language, at[-1] + _DAY, "?", last, old)
        stories.append(Story(name, kind, language, statements, (question,) if old else (), last))
    return stories


def halved(name: str) -> list[Story]:
    """Return the stories of a file; with `:odd` or `:even` behind its name, those whose id has such a number."""
    path, _, half = name.partition(":")
    if Path(path).is_dir():
        return [each for file in sorted(Path(path).glob("*.txt")) for each in of_situations(str(file))]
    first = Path(path).read_text(encoding="utf-8").partition("\n")[0]
    stories = load(Path(path)) if '"statements"' in first else of_pairs(path)
    if not half:
        return stories
    return [each for each in stories if int(each.name.rpartition("-")[2]) % 2 == int(half == "odd")]


if __name__ == "__main__":
    raise SystemExit(main())
