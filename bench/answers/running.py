"""A run over questions: answer, judge, count; each result is kept at once, so that a run can go on later."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from bench.answers.arms import Reading, Setting
from bench.answers.protocols import Asked
from bench.answers.sets import Talk
from bench.think import f1, held
from combray.errors import ModelError
from combray.runtime import LanguageModel


@dataclass(frozen=True)
class Result:
    """One answer. `right` is the judge's verdict, or None without one; `error`: a call that failed."""

    arm: str
    talk: str
    question: str
    category: str
    answerable: bool
    answer: str
    response: str
    known: bool
    right: bool | None
    f1: float
    held: bool
    tokens: int
    judge_tokens: int
    seconds: float
    error: str = ""


def run(
    arm: str,
    talks: Sequence[Talk],
    setting: Setting,
    judge: LanguageModel | None,
    kept: Mapping[tuple[str, str, str], Result],
) -> Iterator[Result]:
    """Ask every question in one arm. Results that are kept already are given again and cost nothing."""
    for talk in talks:
        name = talk.collection.name
        known = [kept.get((arm, name, each.text)) for each in talk.questions]
        reading = None if all(known) else Reading(arm, talk.collection, setting)
        try:
            for asked, before in zip(talk.questions, known, strict=True):
                if before is not None:
                    yield before
                elif reading is not None:
                    yield _asked(arm, name, asked, reading, setting, judge)
        finally:
            if reading is not None:
                reading.close()


def _asked(
    arm: str, talk: str, asked: Asked, reading: Reading, setting: Setting, judge: LanguageModel | None
) -> Result:
    spent, judged, begun = tokens(setting.model), 0, time.perf_counter()
    response, known, right, error = "", False, None, ""
    try:
        said = reading.ask(asked)
        response, known = said.text, said.known
    except ModelError as failed:
        error, right = str(failed), False
    seconds, used = time.perf_counter() - begun, tokens(setting.model) - spent
    if judge is not None and not error:
        before = tokens(judge)
        try:
            right = asked.verdict(judge.complete("", asked.judging(setting.prompts, response), max_tokens=256))
            error = "" if right is not None else "the judge gave no verdict"
        except ModelError as failed:
            error = str(failed)
        judged = tokens(judge) - before
    return Result(
        arm,
        talk,
        asked.text,
        asked.category,
        asked.answerable,
        asked.answer,
        response,
        known,
        right,
        f1(asked.answer, response) if known else 0.0,
        known and held(asked.answer, response),
        used,
        judged,
        seconds,
        error,
    )


def tokens(model: LanguageModel | None) -> int:
    """Return the tokens that a service has reported so far; 0 for a model that reports none."""
    usage = getattr(model, "usage", None)
    return 0 if usage is None else int(usage.snapshot()["tokens"])


def read(path: Path | None, run_of: str) -> dict[tuple[str, str, str], Result]:
    """Return the results of an earlier run with the same settings. One that failed is asked again."""
    if path is None or not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = [Result(**line["result"]) for line in lines if line["run"] == run_of]
    return {(each.arm, each.talk, each.question): each for each in found if not each.error}


def line(result: Result, run_of: str) -> str:
    """Return a result as a line of a file that `read` reads."""
    return json.dumps({"run": run_of, "result": asdict(result)}, ensure_ascii=False)


def rows(results: Sequence[Result], price: float | None, judge_price: float | None) -> dict[str, dict[str, str]]:
    """Return a row for all answerable questions, one a category, and one for those without an answer."""
    groups: dict[str, list[Result]] = defaultdict(list)
    for each in results:
        if each.answerable:
            groups["all"].append(each)
        groups[each.category if each.answerable else "unanswerable"].append(each)
    return {name: _row(some, price, judge_price) for name, some in groups.items()}


def _row(results: Sequence[Result], price: float | None, judge_price: float | None) -> dict[str, str]:
    judged = [each.right for each in results if each.right is not None]
    answering, judging = fmean(each.tokens for each in results), fmean(each.judge_tokens for each in results)
    return {
        "questions": str(len(results)),
        "right": f"{fmean(judged):.1%}" if judged else "–",
        "f1": f"{fmean(each.f1 for each in results):.1%}",
        "held": f"{fmean(each.held for each in results):.1%}",
        "said unknown": f"{fmean(not each.known for each in results):.1%}",
        "tokens": f"{answering:.0f}",
        "cost": "–" if price is None else f"{answering * price / 1e6:.5f}",
        "judge tokens": f"{judging:.0f}",
        "judge cost": "–" if judge_price is None else f"{judging * judge_price / 1e6:.5f}",
        "seconds": f"{fmean(each.seconds for each in results):.2f}",
        "failed": str(sum(bool(each.error) for each in results)),
    }
