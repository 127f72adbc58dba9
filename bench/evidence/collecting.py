"""Features of the first hits of questions with and without an answer, on stores of several shapes.

Sources: the stores of `texts/` (`own.jsonl`; `a.jsonl` to `d.jsonl` by four independent authors),
the sets of `bench.precision` (two more authors), the small sets of `bench/sets`, and from DATA LoCoMo
conversations 1-5. Not answerable: what the sets say, LoCoMo's category 5, and the questions
of one conversation asked of another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.precision import sets as precision
from bench.precision.measuring import LIMIT, NOW
from bench.quality import loaders
from bench.quality.abstention import foreign
from bench.quality.sets import Collection, QuestionSet
from bench.quality.systems import _converse, shared_embedder
from combray import presets, settings, wiring
from combray.engine import Engine
from combray.pipeline import Pipeline
from combray.recall.abstain import Abstain
from combray.recall.answer_features import AnswerEvidence, evidence
from combray.recall.state import Recalling
from combray.runtime import Runtime

TEXTS = Path(__file__).parent / "texts"
SETS = Path(__file__).parents[1] / "sets"
MOST = 12


@dataclass(frozen=True)
class Seen:
    """A question with the features of its hits, and which of them are right (`gold`).

    `kind`: "answer", or why there is none.
    """

    store: str
    family: str
    kind: str
    text: str
    hits: NDArray[np.float64]
    found: AnswerEvidence
    gold: NDArray[np.bool_]
    wanted: int
    """How many memories answer it."""
    certain: bool
    """Whether no bound applies: its own text or a declared entity."""
    message: bool
    """Whether it is a whole message, which is never refused."""
    large: bool = False
    """Whether its store has `bench.precision.sets.LARGE` memories or more."""


@dataclass(frozen=True)
class _Record:
    """A stage in place of the cut: keeps what it sees."""

    needs = ("sorted", "question")
    label: str = "KeepStrong"
    seen: list[tuple[list[str], AnswerEvidence, bool, bool]] = field(default_factory=list, compare=False)

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        self.seen.clear()
        if len(state.keys):
            found = evidence(state, runtime, MOST)
            refs = [str(each.metadata["ref"]) for each in state.reader.memories(state.keys[:MOST].tolist())]
            self.seen.append((refs, found, state.certain, len(state.parts) > 1))
        return state


def _watched(recall: Pipeline[Recalling], record: _Record) -> Pipeline[Recalling]:
    # Refuses nothing, and says how much evidence a store of this size needs.
    recall = recall.replace("Abstain", Abstain(share=0.0)).replace("KeepStrong", record)
    stages = [each["stage"] for each in recall.describe()]
    return recall.without("JudgeAnswers") if "JudgeAnswers" in stages else recall


def collect(embedder: str, data: Path) -> Iterator[Seen]:
    """Yield every question of the sources with what the default preset finds for it."""
    yield from collect_notes(embedder)
    for family, questions in _conversations(data):
        generator = np.random.default_rng(0)
        for collection in questions.collections:
            yield from _of_conversation(embedder, family, questions, collection, generator)


def collect_notes(embedder: str) -> Iterator[Seen]:
    """Yield the questions to notes."""
    for family, store in notes():
        record = _Record()
        engine = _engine(embedder, store.name, NOW, record)
        items: list[Any] = list(store.memories)
        engine.remember_many(items)
        for question in store.questions:
            tags = [f"scope:{each}" for each in question.scopes] or None
            place = (f"{family} {store.name}", family, kind_of(question))
            for each in _ask(engine, record, place, question.text, question.gold, tags):
                yield replace(each, large=len(store.memories) >= precision.LARGE)
        engine.close()


def kind_of(question: precision.Question) -> str:
    """Return "answer", or why a question of `notes` has none: "near", "far" or "none" where no set says it."""
    return "answer" if question.gold else {True: "near", False: "far", None: "none"}[question.near]


def notes() -> Iterator[tuple[str, precision.Store]]:
    """Yield the stores of notes, each with its family."""
    for path in sorted(TEXTS.glob("*.jsonl")):
        for store in precision.read(path):
            yield path.stem, store
    for name in ("small", "two-hundred", "team"):
        for store in precision.load(name, "all"):
            yield name, store


def _conversations(data: Path) -> Iterator[tuple[str, QuestionSet]]:
    yield "locomo", loaders.load("locomo", data / "locomo" / "conversations-1-5.json")
    for name in ("chinese", "vietnamese", "assistant-chats"):
        yield "sets", loaders.load(name, SETS / f"{name}.jsonl")


def _of_conversation(
    embedder: str, family: str, questions: QuestionSet, here: Collection, generator: np.random.Generator
) -> Iterator[Seen]:
    record = _Record()
    engine = _engine(embedder, here.name, here.now.timestamp(), record)
    _converse(engine, here.items)
    if engine.vectors.pending():
        engine.vectors.make()
    for question in here.questions:
        kind = "answer" if question.answerable and question.gold else "" if question.answerable else "adversarial"
        if kind:
            yield from _ask(
                engine,
                record,
                (here.name, family, kind),
                question.text,
                question.gold if kind == "answer" else frozenset(),
            )
    for kind, text in foreign(questions.collections, here, generator):
        yield from _ask(engine, record, (here.name, family, kind), text, frozenset())
    engine.close()


def _engine(embedder: str, name: str, now: float, record: _Record) -> Engine:
    runtime = wiring.build(":memory:", settings.load(), clock=lambda: now, model=shared_embedder(embedder))
    if embedder == "none":
        runtime = replace(runtime, embedder=None, words=None)
    preset = presets.load("default")
    unpruned = {"max_memories": 0, "decay": settings.load().decay}
    return Engine(runtime, name, replace(preset, recall=_watched(preset.recall, record)), unpruned)


def _ask(
    engine: Engine,
    record: _Record,
    place: tuple[str, str, str],
    text: str,
    gold: frozenset[str],
    tags: list[str] | None = None,
) -> Iterator[Seen]:
    record.seen.clear()
    engine.recall(text, limit=LIMIT, tags=tags)
    for refs, found, certain, message in record.seen:
        right = np.array([ref in gold for ref in refs])
        yield Seen(*place, text, found.hits, found, right, len(gold), certain, message)
