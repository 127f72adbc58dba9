"""An answer without a language model: the sentences of the memories that answer best, as they were stored."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from combray.language import claims
from combray.language.cues import asked as asked_cue
from combray.language.cues import cues
from combray.language.dates import has_time_expression
from combray.language.questions import Question
from combray.language.tokens import query_terms, term_set, word_count
from combray.think.dating import Dated, days_named
from combray.think.prompting import Wording
from combray.think.sentences import sentences
from combray.think.sources import Source, one_line
from combray.think.thought import Citation

UNSURE = 0.3
"""Below, recall's confidence is no reason to overlook that somebody else said it (docs/explanation/think.md)."""
LEAST_SHARE, LEAST_MEANING = 0.22, 0.35
"""Where recall gives no confidence: a memory holds this share of the question's words, rare ones counting more,
or has a sentence of this cosine with it (docs/explanation/think.md)."""
MOST = 3
"""Sentences of an answer."""
_MOST_READ = 60
"""Sentences scored of one memory: of a longer one those that share most with the question."""

Similarity = Callable[[Sequence[str]], Sequence[float]]
"""Cosine of each text with the question."""


@dataclass(frozen=True)
class Weights:
    """What a sentence's score is made of; each part is in [0, 1]. Chosen on LoCoMo (docs/explanation/think.md).

    own: share of the question's words in the sentence, rare ones counting more; meaning: cosine with the
    question; place: 1 / the memory's place among the hits; standing: its score as a share of the best; kind: it
    holds the kind of answer asked for; speaker: it is about whom the question is about (taken off where it is
    not); asks: taken off a question; short: taken off what has fewer than four words. A `further` sentence has at
    least this share of the best one's score.
    """

    own: float = 1.0
    meaning: float = 0.2
    place: float = 0.75
    standing: float = 0.3
    kind: float = 0.5
    speaker: float = 0.1
    asks: float = 0.3
    short: float = 0.3
    further: float = 0.7


@dataclass(frozen=True, slots=True)
class Pick:
    """A sentence and its score.

    `own` and `coverage` are the shares of the question's words that the sentence, and its memory, hold; `meaning`
    is its cosine with the question, 0 without an embedder; `about`: whether it is about the question's subject,
    None where that cannot be told.
    """

    source: Source
    sentence: str
    score: float = 0.0
    own: float = 0.0
    coverage: float = 0.0
    meaning: float = 0.0
    about: bool | None = None
    earlier: bool = False


def picks(
    sources: Sequence[Source], question: Question, similarity: Similarity | None, weights: Weights
) -> list[Pick]:
    """Every sentence of the memories in force, best first; ties in the order of hits and text."""
    wanted = query_terms(question.bare or question.text)
    held = [source for source in sources if not source.replaced_by]
    every = [(source, sentence) for source in held for sentence in _read(source, frozenset(wanted))]
    if not every:
        return []
    weight = _rarity(wanted, [term_set(sentence) for _, sentence in every])
    cosines = similarity([sentence for _, sentence in every]) if similarity else [0.0] * len(every)
    best = max(source.hit.score for source, _ in every)
    coverage = {source.number: _share(weight, _terms(source)) for source in held}
    found = []
    for (source, sentence), cosine in zip(every, cosines, strict=True):
        own = _share(weight, term_set(sentence))
        about = _about(sentence, source, question)
        score = weights.own * own + weights.meaning * max(0.0, cosine) + weights.place / source.number
        score += weights.standing * max(0.0, source.hit.score / best) if best > 0 else 0.0
        score += weights.speaker * ((about is True) - (about is False)) + _shape(sentence, question, weights)
        found.append(Pick(source, sentence, score, own, coverage[source.number], cosine, about))
    return sorted(found, key=lambda pick: -pick.score)


def _terms(source: Source) -> frozenset[str]:
    return term_set(source.memory.content) | term_set(source.memory.context)


def _read(source: Source, wanted: frozenset[str]) -> list[str]:
    parts = sentences(source.memory.content)
    if len(parts) <= _MOST_READ:
        return parts
    nearest = sorted(range(len(parts)), key=lambda place: -len(wanted & term_set(parts[place])))
    return [parts[place] for place in sorted(nearest[:_MOST_READ])]


def _rarity(wanted: Sequence[str], held: Sequence[frozenset[str]]) -> dict[str, float]:
    counts = Counter(term for terms in held for term in terms)
    return {term: math.log(1 + len(held) / (1 + counts[term])) for term in wanted}


def _share(weight: dict[str, float], terms: frozenset[str]) -> float:
    whole = sum(weight.values())
    return sum(value for term, value in weight.items() if term in terms) / whole if whole else 0.0


def _about(sentence: str, source: Source, question: Question) -> bool | None:
    """Whether the question's subject says it or is named in it."""
    author = source.memory.author
    if not question.subject or not author:
        return None
    return author == question.subject or question.subject.split()[0] in sentence


def _shape(sentence: str, question: Question, weights: Weights) -> float:
    """What speaks for and against a sentence besides the words it shares."""
    score = 0.0
    cue = asked_cue(question.text)
    if question.asks_when:
        score += weights.kind * has_time_expression(sentence)
    elif cue is not None:
        score += weights.kind * bool(cues(sentence) & cue)
    if sentence.rstrip("\"'”’)»").endswith(("?", "？")):
        score -= weights.asks
    if word_count(sentence) < 4:
        score -= weights.short
    return score


def chosen(ranked: Sequence[Pick], sources: Sequence[Source], weights: Weights) -> list[Pick]:
    """One to three sentences: the best, those nearly as good that say something else, and what was so earlier."""
    kept: list[Pick] = []
    for pick in ranked:
        if len(kept) == MOST or (kept and pick.score < weights.further * kept[0].score):
            break
        if all(not _repeats(pick.sentence, each.sentence) for each in kept):
            kept.append(pick)
    kept = _disagreeing(kept, ranked)
    return _with_replaced(kept, sources)


def weakness(ranked: Sequence[Pick], question: Question, recalled: Mapping[str, Any]) -> str:
    """Why the best sentence is no answer; empty where it is one. `recalled` are the details of recall's answer.

    It is none when recall found weak evidence, or gave no confidence and the memories share next to nothing with
    the question; when it is about somebody else; and when recall was not sure (confidence 0-1) and the sentence
    that holds most of the question's words is about somebody else: then it was they who said or did it.
    """
    if not ranked:
        return "the memories hold no text"
    if "weak" in recalled:
        return f"the evidence is weak: {recalled['weak']}"
    if "confidence" not in recalled and _shares_little(ranked):
        return "the evidence is weak: the memories share next to nothing with the question"
    best = ranked[0]
    if best.about is False:
        return f"what is remembered of it is about {best.source.memory.author}, not about {question.subject}"
    others = max((pick.own for pick in ranked if pick.about is False), default=0.0)
    theirs = max((pick.own for pick in ranked if pick.about is True), default=0.0)
    if question.subject and recalled.get("confidence", 1.0) < UNSURE and theirs < others:
        return f"somebody else than {question.subject} said what is nearest to it"
    return ""


def _shares_little(ranked: Sequence[Pick]) -> bool:
    near = any(pick.meaning >= LEAST_MEANING for pick in ranked)
    return not near and max(pick.coverage for pick in ranked) < LEAST_SHARE


def _repeats(one: str, other: str) -> bool:
    first, second = term_set(one), term_set(other)
    return first <= second or second <= first


def _disagreeing(kept: list[Pick], ranked: Sequence[Pick]) -> list[Pick]:
    """With the best sentence of a memory that says otherwise: the later first, the other as earlier."""
    first = kept[0]
    seen = {first.source.number}
    for pick in ranked:
        if pick.source.number in seen or pick.source.memory.author != first.source.memory.author:
            continue
        seen.add(pick.source.number)
        old, new = sorted((first, pick), key=lambda each: each.source.memory.moment)
        if claims.compare(old.sentence, new.sentence).verdict in ("contradicts", "update"):
            before = replace(old, earlier=True)
            others = [each for each in kept if each not in (old, new)]
            return [new, before, *others][:MOST]
    return kept


def _with_replaced(kept: list[Pick], sources: Sequence[Source]) -> list[Pick]:
    """Behind what replaced a memory, the first sentence of that memory that differs."""
    told: list[Pick] = []
    for pick in kept:
        told.append(pick)
        for source in sources:
            if source.replaced_by == pick.source.number:
                parts = sentences(source.memory.content)
                nearest = max(parts, key=lambda part: len(term_set(part) & term_set(pick.sentence)), default="")
                if nearest:
                    told.append(Pick(source, nearest, earlier=True))
    return told


def written(kept: Sequence[Pick], question: Question, words: Wording) -> tuple[str, list[Citation], list[Dated]]:
    """The answer, one line a sentence; its citations; the relative dates it explains."""
    lines, citations, explained = [], [], []
    for pick in kept:
        dates = _explained(pick, question)
        explained += dates
        notes = "; ".join([pick.source.told(), *(f"{one_line(each.text)} = {each}" for each in dates)])
        before = f"{words.earlier} " if pick.earlier else ""
        line = f"{before}“{one_line(pick.sentence)}” ({notes}) [{pick.source.number}]"
        lines.append(line)
        memory = pick.source.memory
        citations.append(Citation(pick.source.number, memory.id, line, pick.sentence, "verbatim"))
    return "\n".join(lines), citations, explained


def _explained(pick: Pick, question: Question) -> list[Dated]:
    if not question.asks_when:
        return []
    return [each for each in days_named(pick.sentence, pick.source.memory.moment) if each.relative]
