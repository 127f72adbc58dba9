"""What a tree costs: processor time of a recall in a large store, and its lines and kB by room.

`python -m bench.judge.weight FILE EMBEDDER` is the timed process of one tree: it imports nothing but `combray`,
writes the texts of FILE, and asks all questions once for each line it reads.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PASSES, WARM_UP, QUESTIONS = 5, 1, 100


def environment(source: Path) -> dict[str, str]:
    """Return the environment in which `combray` is the one of a source tree, without settings of this machine."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COMBRAY_")}
    path = os.pathsep.join([str(source.resolve()), str(Path(__file__).resolve().parents[2])])
    # Forgetting at a number of memories is no matter of recall, and would change what a size means.
    return kept | {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "COMBRAY_MAX_MEMORIES": "0"}


def recalls(trees: Sequence[Path], embedder: str, count: int, data: Path | None) -> list[list[float]]:
    """Return for each tree the milliseconds of each question: the median of passes, made in turn."""
    from bench.speed import texts

    made = list(texts.texts(texts.clauses(texts.sources(data / "locomo" if data else None)), count))
    items = [{"content": each.text, "author": each.author} for each in made]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.json"
        file.write_text(json.dumps({"items": items, "questions": texts.questions(made, QUESTIONS)}))
        command = [sys.executable, "-m", "bench.judge.weight", str(file), embedder]
        timed = [
            subprocess.Popen(
                command, env=environment(tree), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            for tree in trees
        ]
        passes = [[_passed(each) for each in timed] for _ in range(WARM_UP + PASSES)][WARM_UP:]
        for each in timed:
            each.communicate()
    return [[statistics.median(row) for row in zip(*side, strict=True)] for side in zip(*passes, strict=True)]


def _passed(process: subprocess.Popen[str]) -> list[float]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    found: list[float] = json.loads(process.stdout.readline())
    return found


def rooms(source: Path) -> dict[str, tuple[int, float]]:
    """Return lines of code and kB of every other file for each room, and of all."""
    found: dict[str, tuple[int, float]] = defaultdict(lambda: (0, 0.0))
    package = source / "combray"
    for path in sorted(package.rglob("*")):
        if not path.is_file() or "__pycache__" in path.parts:
            continue
        inside = path.relative_to(package).parts
        code = path.suffix == ".py"
        lines = len(path.read_text(encoding="utf-8").splitlines()) if code else 0
        for room in (inside[0] if len(inside) > 1 else "(root)", "all"):
            before = found[room]
            found[room] = before[0] + lines, before[1] + (0.0 if code else path.stat().st_size / 1000)
    return dict(found)


def main(file: str, embedder: str) -> int:
    """Fill a store, then answer each line with the milliseconds of each question."""
    import combray

    given: dict[str, Any] = json.loads(Path(file).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        engine = combray.open(Path(folder) / "memories.db", embedder=embedder, worker=False)
        engine.remember_many(given["items"], diff=False)
        for _ in sys.stdin:
            taken = []
            for question in given["questions"]:
                started = time.process_time()
                engine.recall(question, limit=10)
                taken.append(1000 * (time.process_time() - started))
            print(json.dumps(taken), flush=True)
        engine.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
