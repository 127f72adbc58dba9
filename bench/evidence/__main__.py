"""The command: `python -m bench.evidence --data DATA [--embedder SPEC] [--train]`.

Prints the cross-validated figures of each level, for notes also by author; with `--train` writes
`src/combray/scoring/answers.json`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.evidence import training
from bench.evidence.collecting import Seen, collect

WEIGHTS = Path(__file__).parents[2] / "src" / "combray" / "scoring" / "answers.json"


def level_of(embedder: str) -> str:
    """The level of an embedder's specification."""
    return {"none": "none", "wordllama": "static"}.get(embedder, "contextual")


def trained(seen: Sequence[Seen], level: str) -> dict[str, Any]:
    """Print what the models of one level give out of fold, and return them by shape."""
    made: dict[str, Any] = {}
    for shape in training.SHAPES:
        some = training.of_shape(seen, shape)
        scores = training.out_of_fold(some)
        bounds = training.bounds(some, scores, level, shape)
        gap = training.gap_of(some, scores, level, shape)
        keep = training.keep_beside(level, shape)
        for line in training.report(some, scores, bounds.refused(some, scores), gap, keep):
            print(line)
        for line in training.left_out(some, scores, level, shape) if shape == "notes" else ():
            print(line)
        models = training.train(some)
        shown = {name: getattr(models, name).shown() for name in ("hit", "answer", "topic")}
        made[shape] = shown | {"refuse": bounds.refuse, "far": bounds.far, "gap": gap}
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """Collect, train, print; write with --train."""
    parser = argparse.ArgumentParser(prog="python -m bench.evidence", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder with locomo/conversations-1-5.json")
    parser.add_argument("--embedder", action="append", help="repeatable; default none and wordllama")
    parser.add_argument("--train", action="store_true", help="write the weights of these levels")
    options = parser.parse_args(arguments)
    np.seterr(over="ignore")
    levels = json.loads(WEIGHTS.read_text(encoding="utf-8")) if WEIGHTS.exists() else {}
    for embedder in options.embedder or ["none", "wordllama"]:
        print(f"== {embedder}")
        level = level_of(embedder)
        levels[level] = trained(list(collect(embedder, options.data)), level)
    if options.train:
        WEIGHTS.write_text(json.dumps(dict(sorted(levels.items())), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
