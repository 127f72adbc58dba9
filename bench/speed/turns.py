"""Speed on turns of real conversations, against another commit or without some stages.

    git worktree add ../then 315bf8d
    python -m bench.speed.turns --data DATA --against ../then/src
    python -m bench.speed.turns --data DATA --without KeepRevisions --without SuggestRevisions

Both are measured in processes of their own, in turns, and the best of the runs counts: other programs only ever
make a run slower. All figures are of processor time. The measuring process imports nothing but `combray`, so
that any commit whose `open`, `remember` and `recall` have these names can be measured.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve()
_BATCH = 256
_SINGLES = 150
_QUESTIONS = 300
_WARM_UP = 50
_LONG = 2_500
"""Characters of a long text: turns of a conversation, one after the other."""
_MEASURES = ("batches a second", "long texts a second", "single writes a second", "recall p50, ms")


def main(arguments: list[str] | None = None) -> int:
    """Measure in turns and print the best figures, with their ratio."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed.turns", description=(__doc__ or "").strip())
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("COMBRAY_DATA", ".")))
    parser.add_argument("--against", type=Path, metavar="SRC", help="the source folder of another commit")
    parser.add_argument("--without", action="append", default=[], metavar="STAGE", help="repeatable")
    parser.add_argument("--embedder", default="wordllama")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    file = options.data / "locomo" / "conversations-1-5.json"
    if not file.is_file():
        sys.stderr.write(f"no conversations at {file}: give the folder that holds locomo/ with --data\n")
        return 2
    if options.once:
        print(json.dumps(measured(file, options.embedder, options.without)))
        return 0
    if options.against is None and not options.without:
        parser.error("give --against or --without")
    own = _HERE.parents[2] / "src"
    other: tuple[Path, Sequence[str]] = (options.against or own, options.without)
    runs: list[tuple[dict[str, float], dict[str, float]]] = []
    try:
        for _ in range(options.runs):
            runs.append((_apart(own, (), options), _apart(*other, options)))
    except subprocess.CalledProcessError as error:
        return int(error.returncode)
    _show(runs, "without" if options.without else "other")
    return 0


def _apart(source: Path, without: Sequence[str], options: argparse.Namespace) -> dict[str, float]:
    command = [sys.executable, str(_HERE), "--once", "--data", str(options.data), "--embedder", options.embedder]
    command += [word for stage in without for word in ("--without", stage)]
    path = {"PYTHONPATH": str(source.resolve()), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, env={**os.environ, **path}, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout))


def _show(runs: Sequence[tuple[dict[str, float], dict[str, float]]], name: str) -> None:
    print(f"{'':24}{'this':>10}{name:>10}{'ratio':>8}")
    for measure in _MEASURES:
        best: Callable[[Iterable[float]], float] = min if measure.endswith("ms") else max
        this, other = (best(run[side][measure] for run in runs) for side in (0, 1))
        print(f"{measure:24}{this:10.1f}{other:10.1f}{this / other:8.2f}")


def measured(file: Path, embedder: str, without: Sequence[str]) -> dict[str, float]:
    """Return the figures of one run, on conversations of the LoCoMo format."""
    conversations = json.loads(file.read_text(encoding="utf-8"))
    turns = [turn for each in conversations for turn in _turns(each["conversation"])]
    questions = [each["question"] for conversation in conversations for each in conversation["qa"]]
    longs = list(_joined(each["content"] for each in turns))
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        engine = _open(Path(folder) / "turns.db", embedder, without)
        engine.remember_many(turns[:_BATCH])
        found[_MEASURES[0]] = _rate(turns[_BATCH:], engine.remember_many)
        found[_MEASURES[2]] = _rate(
            turns[:_SINGLES],
            lambda few: engine.remember(f"So {few[0]['content']}", author=few[0]["author"]),
            1,
        )
        taken = [_milliseconds(engine.recall, each) for each in questions[:_QUESTIONS]]
        found[_MEASURES[3]] = statistics.median(taken[_WARM_UP:])
        engine.close()
        engine = _open(Path(folder) / "long.db", embedder, without)
        engine.remember_many(longs[:4])
        found[_MEASURES[1]] = _rate(longs[4:], engine.remember_many)
        engine.close()
    return found


def _open(file: Path, embedder: str, without: Sequence[str]) -> Any:
    import combray

    if not without:
        return combray.open(file, embedder=embedder)
    from dataclasses import replace

    from combray.errors import PipelineError
    from combray.presets import default

    pipelines: list[Any] = [default.PRESET.remember, default.PRESET.recall]
    for stage in without:
        left, refused = [], []
        for pipeline in pipelines:
            try:
                left.append(pipeline.without(stage))
            except PipelineError as error:
                left.append(pipeline)
                refused.append(str(error))
        if len(refused) == len(pipelines):
            raise SystemExit("\n".join(refused))
        pipelines = left
    return combray.open(
        file, embedder=embedder, preset=replace(default.PRESET, remember=pipelines[0], recall=pipelines[1])
    )


def _turns(conversation: dict[str, Any]) -> Iterable[dict[str, str]]:
    count = sum(key.startswith("session_") and not key.endswith("date_time") for key in conversation)
    for number in range(1, count + 1):
        for turn in conversation.get(f"session_{number}", ()):
            yield {"content": turn["text"], "author": turn["speaker"]}


def _joined(texts: Iterable[str]) -> Iterable[str]:
    held = ""
    for text in texts:
        held += f"{text} "
        if len(held) >= _LONG:
            yield held[:_LONG]
            held = ""


def _rate(items: Sequence[Any], write: Callable[[Sequence[Any]], object], size: int = _BATCH) -> float:
    started = time.process_time()
    for start in range(0, len(items), size):
        write(items[start : start + size])
    return len(items) / (time.process_time() - started)


def _milliseconds(ask: Callable[[str], object], question: str) -> float:
    started = time.process_time()
    ask(question)
    return (time.process_time() - started) * 1000


if __name__ == "__main__":
    raise SystemExit(main())
