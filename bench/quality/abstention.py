"""Does the engine know when the answer is not there?

Answerable: the questions recall is measured on. Not answerable: the set's own (LoCoMo category 5), the
questions of one collection asked of another, and the same with the other collection's authors put in place
of the question's own, so that a known name alone gives nothing away.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rich.table import Table

from bench.quality import metrics
from bench.quality.sets import Collection, QuestionSet
from bench.quality.systems import Asked, Combray

PER_PAIR = 40
"""Foreign questions asked of each collection, from each other collection."""


@dataclass(slots=True)
class Doubt:
    """Confidence and refusals of one engine, by kind of question; "answerable" is one of the kinds."""

    system: str
    confidence: dict[str, list[float]] = field(default_factory=dict)
    refused: dict[str, list[bool]] = field(default_factory=dict)
    lost: list[float] = field(default_factory=list)
    """Recall@10 that a refusal cost each answerable question."""

    def note(self, kind: str, asked: Asked, question: str) -> list[str]:
        """Ask, keep the confidence (an answer without one counts as 0 if empty, else 1); the refs."""
        found = asked.ask(question)
        sure = found.confidence if found.confidence is not None else float(bool(found.refs))
        self.confidence.setdefault(kind, []).append(sure)
        self.refused.setdefault(kind, []).append(not found.refs)
        return found.refs

    def as_json(self) -> dict[str, Any]:
        """ROC-AUC, share refused and ROC points for every unanswerable kind; the cost in recall."""
        known = self.confidence["answerable"]
        kinds = {
            kind: {
                "questions": len(values),
                "auc": metrics.roc_auc(known, values),
                "refused": float(np.mean(self.refused[kind])),
                "roc": metrics.roc_points(known, values),
            }
            for kind, values in self.confidence.items()
            if kind != "answerable"
        }
        return {
            "system": self.system,
            "questions": len(known),
            "refused": float(np.mean(self.refused["answerable"])),
            "recall@10 lost": float(np.mean(self.lost)),
            "kinds": kinds,
        }


def doubts(questions: QuestionSet, system: Combray, progress: Callable[[str], None], seed: int = 0) -> Doubt:
    """Ask every collection its own and the others' questions. The cost is measured against no threshold."""
    doubt = Doubt(system.name)
    generator = np.random.default_rng(seed)
    for collection in questions.collections:
        progress(f"{system.name}: {collection.name}")
        asked, unbounded = system.fill(collection), system.never_refusing().fill(collection)
        try:
            for question in collection.asked:
                refs = doubt.note("answerable", asked, question.text)
                full = refs or unbounded.ask(question.text).refs
                doubt.lost.append(
                    metrics.recall(collection.units(full), question.gold, 10)
                    - metrics.recall(collection.units(refs), question.gold, 10)
                )
            for question in collection.questions:
                if not question.answerable:
                    doubt.note("its own", asked, question.text)
            for kind, text in foreign(questions.collections, collection, generator):
                doubt.note(kind, asked, text)
        finally:
            asked.close()
            unbounded.close()
    return doubt


def foreign(
    collections: Sequence[Collection], here: Collection, generator: np.random.Generator
) -> Iterator[tuple[str, str]]:
    """Kind and text of questions that only the other collections can answer."""
    for other in collections:
        if other is here or not other.asked:
            continue
        places = generator.permutation(len(other.asked))[:PER_PAIR]
        for place in sorted(places.tolist()):
            text = other.asked[place].text
            yield "another's", text
            renamed = with_authors_of(text, other, here)
            if renamed != text:
                yield "another's, renamed", renamed


def with_authors_of(text: str, other: Collection, here: Collection) -> str:
    """The text with each author of `other` replaced by the author of the same rank in `here`."""
    theirs, ours = (
        sorted({item.author for item in collection.items if item.author}) for collection in (other, here)
    )
    renaming = dict(zip(theirs, ours, strict=False))
    if not renaming:
        return text
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, renaming)) + r")\b")
    return pattern.sub(lambda match: renaming[match[1]], text)


def table(name: str, found: list[Doubt]) -> Table:
    """One line an engine and kind."""
    shown = Table(title=f"{name}: questions whose answer is not there", min_width=60)
    figures = ("questions", "ROC-AUC", "refused %", "answerable refused %", "recall@10 lost")
    for column in ("system", "kind", *figures):
        shown.add_column(column, justify="left" if column in ("system", "kind") else "right")
    for doubt in found:
        result = doubt.as_json()
        for kind, each in result["kinds"].items():
            shown.add_row(
                doubt.system,
                kind,
                str(each["questions"]),
                f"{each['auc']:.3f}",
                f"{100 * each['refused']:.1f}",
                f"{100 * result['refused']:.1f}",
                f"{100 * result['recall@10 lost']:.2f}",
            )
    return shown
