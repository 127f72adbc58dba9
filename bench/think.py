"""How good the extractive answer of `think` is, and its check, on LoCoMo: `python -m bench.think --data FOLDER`.

Answers and gold turns are read here and nowhere else. A question's answer counts as held when all its words
(stemmed, without stop words; dates as year, month and day) are in what `think` said.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from bench.quality import loaders
from bench.quality.sets import Collection, Question
from bench.quality.systems import Combray
from combray.language.tokens import terms
from combray.think.support import asked, check, evidence
from combray.think.thought import Thought

_ISO = re.compile(r"\b(\d{4})-(\d\d)(?:-(\d\d))?\b")
_MARK = re.compile(r"\[\d+\]")
_NOTHING_SAID = frozenset(
    ("a", "an", "the", "and", "or", "of", "in", "on", "at", "to", "for", "her", "his", "their", "is")
)


@dataclass(frozen=True)
class Case:
    """One question, its answer ("" where there is none), and what came back."""

    question: Question
    answer: str
    thought: Thought


def words(text: str) -> list[str]:
    """Stemmed words of a text; "2023-05-07" as 2023, may and 7."""
    plain = _ISO.sub(lambda day: f" {_spelt(day[1], day[2], day[3])} ", _MARK.sub(" ", text))
    return [term.lstrip("0") or term for term in terms(plain) if term not in _NOTHING_SAID]


def _spelt(year: str, month: str, day: str | None) -> str:
    if not 1 <= int(month) <= 12:
        return f"{year} {month}"
    return f"{date(2000, int(month), 1):%B} {int(day) if day else ''} {year}"


def held(answer: str, said: str) -> bool:
    """Whether all words of the answer were said."""
    return set(words(answer)) <= set(words(said))


def f1(answer: str, said: str) -> float:
    """Token F1 of what was said against the answer."""
    wanted, given = Counter(words(answer)), Counter(words(said))
    shared = (wanted & given).total()
    return 2 * shared / (wanted.total() + given.total()) if shared else 0.0


def gold_share(case: Case) -> float:
    """Share of the citations whose memory is gold."""
    refs = {hit.memory.id: str(hit.memory.metadata["ref"]) for hit in case.thought.sources}
    cited = [refs[each.memory_id] in case.question.gold for each in case.thought.citations]
    return sum(cited) / len(cited) if cited else 0.0


def ask(system: Combray, collections: Sequence[tuple[Collection, list[str]]], most: int | None) -> list[Case]:
    """Every question of every collection."""
    cases = []
    for collection, answers in collections:
        engine = system.fill(collection).engine
        try:
            for question, answer in list(zip(collection.questions, answers, strict=True))[:most]:
                cases.append(Case(question, answer, engine.think(question.text)))
        finally:
            engine.close()
    return cases


def check_shares(cases: Sequence[Case]) -> dict[str, float]:
    """How the check judges the right answer behind its own turn, and behind other turns that were recalled.

    Of questions with one gold turn, where that was recalled: a share of right answers let through, and of the
    same answers with a wrong citation, refused.
    """
    right, wrong = [], []
    for case in cases:
        hits = case.thought.sources
        refs = [str(hit.memory.metadata["ref"]) for hit in hits]
        if not case.question.answerable or len(case.question.gold) != 1 or not case.question.gold <= set(refs):
            continue
        names = {hit.memory.author for hit in hits if hit.memory.author}
        question = asked(case.question.text, sorted(names))
        for hit, ref in zip(hits, refs, strict=True):
            passed = check(f"{case.answer}.", evidence(hit.memory), question).how is not None
            if ref in case.question.gold:
                right.append(passed)
            else:
                wrong.append(not passed)
    return {
        "right answers": len(right),
        "let through": statistics.fmean(right),
        "wrong citations": len(wrong),
        "refused": statistics.fmean(wrong),
    }


def figures(cases: Sequence[Case]) -> dict[str, float]:
    """Means over answerable questions with gold, and refusals of both kinds."""
    asked = [case for case in cases if case.question.answerable and case.question.gold]
    told = [case for case in asked if case.thought.known]
    open_ = [case for case in cases if not case.question.answerable]
    return {
        "questions": len(asked),
        "held": statistics.fmean(case.thought.known and held(case.answer, case.thought.answer) for case in asked),
        "f1": statistics.fmean(case.thought.known * f1(case.answer, case.thought.answer) for case in asked),
        "first_gold": statistics.fmean(_first_gold(case) for case in asked),
        "any_gold": statistics.fmean(gold_share(case) > 0 for case in asked),
        "gold": statistics.fmean(map(gold_share, told)) if told else 0.0,
        "refused": 1 - len(told) / len(asked),
        "unanswerable": len(open_),
        "unanswerable_refused": statistics.fmean(not case.thought.known for case in open_) if open_ else 0.0,
        "words": statistics.fmean(len(case.thought.answer.split()) for case in told) if told else 0.0,
    }


def _first_gold(case: Case) -> bool:
    refs = {hit.memory.id: str(hit.memory.metadata["ref"]) for hit in case.thought.sources}
    return bool(case.thought.citations) and refs[case.thought.citations[0].memory_id] in case.question.gold


def read(path: Path) -> list[tuple[Collection, list[str]]]:
    """Collections of a LoCoMo file with the answers to their questions."""
    data: Any = json.loads(path.read_text(encoding="utf-8"))
    entries = list(data.values()) if isinstance(data, dict) else data
    answers = [[str(each.get("answer", "")) for each in entry["qa"]] for entry in entries]
    return list(zip(loaders.load("locomo", path).collections, answers, strict=True))


def main(arguments: list[str] | None = None) -> int:
    """Print a table a model: all, then by category."""
    made = argparse.ArgumentParser(prog="python -m bench.think", description=__doc__)
    made.add_argument("--data", type=Path, default=os.environ.get("COMBRAY_DATA"), help="has locomo/*.json")
    made.add_argument("--embedder", action="append", help="default: none and wordllama")
    made.add_argument("--preset", default="default")
    made.add_argument("--limit-questions", type=int, metavar="N", help="at most N a conversation")
    options = made.parse_args(arguments)
    files = sorted(Path(options.data, "locomo").glob("*.json")) if options.data else []
    if not files:
        print("no LoCoMo file: give --data FOLDER with locomo/*.json", file=sys.stderr)
        return 1
    collections = [each for path in files for each in read(path)]
    for embedder in options.embedder or ["none", "wordllama"]:
        cases = ask(Combray(options.preset, embedder), collections, options.limit_questions)
        by_category = defaultdict(list)
        for case in cases:
            by_category[case.question.category].append(case)
        rows = {name: figures(some) for name, some in sorted(by_category.items()) if name != "adversarial"}
        _show(embedder, {"all": figures(cases)} | rows)
        if embedder == "none":
            _show("check of the right answers, as a model might write them", {"all": check_shares(cases)})
    return 0


def _show(title: str, rows: dict[str, dict[str, float]]) -> None:
    print(f"\n{title}")
    print(f"{'':12}" + "".join(f"{name[:21]:>22}" for name in rows["all"]))
    for category, row in rows.items():
        values = (f"{each:.0f}" if each > 1 else f"{each:.1%}" for each in row.values())
        print(f"{category:12}" + "".join(f"{value:>22}" for value in values))


if __name__ == "__main__":
    raise SystemExit(main())
