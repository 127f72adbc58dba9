"""Ask every request of the set for a preview, and compare the groups with the two lists of ids.

python -m bench.forgetting --only odd [--set requests] [--embedder none] [--embedder wordllama] [--shown]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import combray

SETS = Path(__file__).parent / "sets"


def stores(only: str, name: str = "forgetting") -> list[dict[str, Any]]:
    """Return the stores of the odd or the even lines of a set, or all."""
    every = [json.loads(line) for line in (SETS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [each for number, each in enumerate(every, 1) if only in ("all", ("even", "odd")[number % 2])]


def measure(only: str, embedder: str, name: str = "forgetting", *, shown: bool) -> Counter[str]:
    """Count what is taken rightly and wrongly over all requests."""
    counts: Counter[str] = Counter()
    for each in stores(only, name):
        with (
            tempfile.TemporaryDirectory() as folder,
            combray.open(Path(folder) / "a.db", embedder=embedder, worker=False) as engine,
        ):
            ids = {}
            for memory in each["memories"]:
                fields = {"author": memory["author"], "occurred_at": memory["date"], "diff": False}
                ids[engine.remember(memory["content"], **fields).id] = memory["id"]
            for request in each["requests"]:
                _count(counts, engine, ids, each, request, shown=shown)
    return counts


def _count(
    counts: Counter[str],
    engine: combray.Engine,
    ids: dict[str, str],
    store: dict[str, Any],
    request: dict[str, Any],
    *,
    shown: bool,
) -> None:
    exact, paraphrase = set(request["exact"]), set(request["paraphrase"])
    try:
        found = engine.forget(about=request["say"])
    except combray.InvalidInputError:
        certain, every = set(), set()
    else:
        certain = {ids[match.memory.id] for match in found.certain}
        every = certain | {ids[match.memory.id] for match in found.possible}
    counts["requests"] += 1
    counts["exact"] += len(exact)
    counts["certain"] += len(certain)
    counts["right"] += len(certain & exact)
    counts["false"] += len(certain - exact - paraphrase)
    counts["wanted"] += len(exact | paraphrase)
    counts["every"] += len(every)
    counts["found"] += len(every & (exact | paraphrase))
    if shown and (certain != exact or not every >= paraphrase):
        texts = {memory["id"]: memory["content"] for memory in store["memories"]}
        print(f"{store['id']} {request['say']!r}")
        for name, some in (
            ("missed", exact - certain),
            ("false", certain - exact),
            ("not even possible", (exact | paraphrase) - every),
        ):
            for memory in sorted(some):
                mark = " (paraphrase)" if memory in paraphrase else ""
                print(f"   {name}{mark}: {texts[memory][:110]}")


def main() -> None:
    """Print one line a service level."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=("odd", "even", "all"), default="odd")
    parser.add_argument("--set", choices=("forgetting", "requests"), default="forgetting")
    parser.add_argument("--embedder", action="append", default=[])
    parser.add_argument("--shown", action="store_true", help="Show every difference; not for held-out lines.")
    asked = parser.parse_args()
    for embedder in asked.embedder or ["none", "wordllama"]:
        n = measure(asked.only, embedder, asked.set, shown=asked.shown and asked.only == "odd")
        precision, recall = n["right"] / max(1, n["certain"]), n["right"] / max(1, n["exact"])
        both, shared = n["found"] / max(1, n["wanted"]), n["found"] / max(1, n["every"])
        print(
            f"{asked.set}, {embedder.rpartition('/')[2]}, {asked.only}: {n['requests']} requests; "
            f"certain: precision {precision:.3f}, recall {recall:.3f}, false {n['false']} of {n['certain']}; "
            f"with possible: recall {both:.3f}, precision {shared:.3f}, "
            f"{n['every'] / n['requests']:.1f} shown a request"
        )


if __name__ == "__main__":
    main()
