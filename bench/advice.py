"""Write varied texts in batches and count failures: `python -m bench.advice [DATA ...] [--texts N]`.

A stage that only advises must not fail a write. The texts are turns of the conversations in DATA, the evaluation
sets of the repository, its pages and its code. Half of the texts are random splices of these, so that scripts,
languages and markup mix within a text.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import combray

ROOT = Path(__file__).parents[1]
SHORTEST, LONGEST = 20, 3_000
BATCH = 200
STORE = 5_000
"""Texts in one store: a write into a large one takes longer and tries nothing else."""
_PARAGRAPH = re.compile(r"\n\s*\n")
_MOST_PARTS = 4


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def parts_of(path: Path) -> Iterator[str]:
    """The texts of a file: strings of JSON, lines of tables, paragraphs of all others."""
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        if path.suffix == ".json":
            yield from strings(json.loads(text))
        elif path.suffix == ".jsonl":
            for line in text.splitlines():
                yield from strings(json.loads(line))
        else:
            yield from re.split(r"[\t\n]", text) if path.suffix == ".tsv" else _PARAGRAPH.split(text)
    except json.JSONDecodeError:
        yield from text.splitlines()


def corpus(data: list[Path]) -> list[str]:
    """All texts, each once, in a fixed order."""
    files = [
        path for folder in data for path in (sorted(folder.rglob("*.json*")) if folder.is_dir() else [folder])
    ]
    for folder, kinds in (("bench", "json jsonl tsv md py"), ("docs", "md"), ("src", "py json"), ("tests", "py")):
        files += sorted(path for path in (ROOT / folder).rglob("*.*") if path.suffix[1:] in kinds.split())
    found = (part.strip() for path in files for part in parts_of(path))
    return list(dict.fromkeys(part[:LONGEST] for part in found if part))


def drawn(texts: list[str], rng: random.Random) -> str:
    """A text of SHORTEST to LONGEST characters: one of the corpus, or a splice of up to four."""
    while True:
        chosen = rng.choice(texts)
        if rng.random() < 0.5:
            pieces = [chosen, *rng.choices(texts, k=rng.randint(1, _MOST_PARTS - 1))]
            cuts = [piece[(start := rng.randrange(len(piece))) : start + rng.randint(5, 800)] for piece in pieces]
            chosen = rng.choice(("", " ", "\n", ". ")).join(cuts)
        if len(chosen.strip()) >= SHORTEST and len(chosen) <= LONGEST:
            return chosen


def main() -> int:
    """1 if a batch raised, an item was lost or a stage gave no advice."""
    options = argparse.ArgumentParser(prog="python -m bench.advice", description=__doc__)
    options.add_argument("data", nargs="*", type=Path, help="JSON files or folders with conversations")
    options.add_argument("--texts", type=int, default=100_000)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    texts, rng = corpus(given.data), random.Random(given.seed)
    raised: Counter[str] = Counter()
    actions: Counter[str] = Counter()
    started = time.monotonic()
    failed = 0
    for store in range(0, given.texts, STORE):
        with combray.open(":memory:", worker=False) as engine:
            for first in range(store, min(store + STORE, given.texts), BATCH):
                batch = [drawn(texts, rng) for _ in range(min(BATCH, given.texts - first))]
                try:
                    actions.update(each.action for each in engine.remember_many(batch))
                except Exception as error:  # noqa: BLE001 - every failure is counted
                    raised[f"{type(error).__name__}: {str(error)[:80]}"] += 1
            failed += engine.store.status()["failed_advice"]
            print(f"{store + STORE}: {failed} failed, {time.monotonic() - started:.0f} s", file=sys.stderr)
    figures = {
        "texts": given.texts,
        "of": len(texts),
        "actions": dict(actions),
        "raised": dict(raised),
        "failed_advice": failed,
        "seconds": round(time.monotonic() - started),
    }
    print(json.dumps(figures, ensure_ascii=False))
    return int(bool(raised or failed))


if __name__ == "__main__":
    raise SystemExit(main())
