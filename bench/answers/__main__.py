"""Accuracy, tokens and cost of answers, end to end: `python -m bench.answers --data DATA`.

    python -m bench.answers --data DATA --model openai:MODEL --judge openai:MODEL --prices openai:MODEL=0.6

Without --model the arm `think` answers with the memories' own sentences, and nothing leaves the machine.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from bench.answers import running, sets
from bench.answers.arms import ARMS, Setting
from bench.answers.protocols import Prompts
from combray import models, settings
from combray.runtime import LanguageModel


def main(arguments: list[str] | None = None) -> int:
    """Print a table an arm."""
    options = _options(arguments)
    talks = [] if options.data is None else sets.read(Path(options.data), options.set)
    if options.limit_questions:
        talks = [sets.Talk(each.collection, each.questions[: options.limit_questions]) for each in talks]
    if not talks:
        print("no questions: give --data FOLDER with locomo/*.json or longmemeval/*.json", file=sys.stderr)
        return 1
    model = _model(options.model)
    judge = _model(options.judge)
    arms = options.arm or (["think"] if model is None else list(ARMS))
    if model is None:
        print("No model is set: answers are the memories' own sentences (extractive think).")
        if needing := [each for each in arms if each != "think"]:
            print(f"the arms {', '.join(needing)} need --model", file=sys.stderr)
            return 1
    if judge is None:
        print("No judge is set: F1 and held are by words; “right” is left open.")
    prompts = Prompts.read(options.prompts)
    whose = f"given: {', '.join(prompts.given)}" if prompts.given else "own wording"
    print(f"Prompts {prompts.digest} ({whose}); model {options.model}, judge {options.judge}.")
    setting = Setting(model, prompts, options.preset, options.embedder, options.limit, options.budget)
    chosen = [options.model, options.judge, prompts.digest, options.preset, options.embedder]
    run_of = hashlib.sha256(repr([*chosen, options.limit, options.budget]).encode()).hexdigest()[:12]
    kept = running.read(options.json, run_of)
    known = settings.read_prices(options.prices)
    for arm in arms:
        results = []
        for result in running.run(arm, talks, setting, judge, kept):
            results.append(result)
            if options.json and (result.arm, result.talk, result.question) not in kept:
                with options.json.open("a", encoding="utf-8") as file:
                    file.write(running.line(result, run_of) + "\n")
        _show(arm, running.rows(results, _price(model, known), _price(judge, known)))
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = argparse.ArgumentParser(prog="python -m bench.answers", description=__doc__)
    made.add_argument("--data", default=os.environ.get("COMBRAY_DATA"), help="folder of the sets")
    made.add_argument("--set", action="append", choices=("locomo", "longmemeval"), help="default: both")
    made.add_argument("--arm", action="append", choices=ARMS, help="default: all that the models allow")
    made.add_argument("--model", help="answers; a spec as of COMBRAY_LANGUAGE_MODEL")
    made.add_argument("--judge", help="judges the answers; a spec likewise")
    made.add_argument(
        "--prices", default=os.environ.get("COMBRAY_PRICES", ""), help="SPEC=PRICE of a million tokens"
    )
    made.add_argument("--prompts", type=Path, metavar="FOLDER", help="prompts that replace ours, NAME.txt each")
    made.add_argument("--preset", default="default")
    made.add_argument("--embedder", default="wordllama")
    made.add_argument("--limit", type=int, default=20, help="memories that are found for a question")
    made.add_argument("--budget", type=int, default=8_000, help="tokens of the arm sessions")
    made.add_argument("--limit-questions", type=int, metavar="N", help="at most N a conversation")
    made.add_argument("--json", type=Path, help="keep every result here; a later run goes on from it")
    options = made.parse_args(arguments)
    options.set = options.set or ["locomo", "longmemeval"]
    return options


def _model(spec: str | None) -> LanguageModel | None:
    return models.language_model(spec) if spec else None


def _price(model: LanguageModel | None, known: Mapping[str, float]) -> float | None:
    return None if model is None else known.get(model.name)


def _show(arm: str, rows: dict[str, dict[str, str]]) -> None:
    print(f"\n{arm}")
    print(f"{'':26}" + "".join(f"{name:>14}" for name in rows[next(iter(rows))]))
    for category, row in rows.items():
        print(f"{category:26}" + "".join(f"{value:>14}" for value in row.values()))


if __name__ == "__main__":
    raise SystemExit(main())
