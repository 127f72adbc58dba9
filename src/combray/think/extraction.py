"""Extractive answers, without a language model: the best sentences of the memories, verbatim.

They are quoted either way; `think` says that it knows only if one holds what the question asks about. A sentence
can be near a question and say nothing of it: "My bike is a Trek" is the nearest to "Which editor do I use?" in a
store about bikes.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from combray.language.dates import has_time_expression
from combray.language.dates.statements import Dated, days_named
from combray.language.entities import names
from combray.language.intent import Cue, asked, cues
from combray.language.intent import asked as asked_cue
from combray.language.questions import Question, is_of_speaker
from combray.language.restatements import denies
from combray.language.sentences import sentences
from combray.language.tokens import query_terms, term_set, word_count
from combray.records import dataclass, replace
from combray.think.prompt import Source, Wording, one_line
from combray.think.thought import Citation

UNSURE = 0.3
"""Below this confidence, a better match about another person makes the answer unknown."""
MOST = 3
"""Sentences of an answer."""
_MOST_READ = 60
"""Sentences scored of one memory: of a longer one those that share most with the question."""

Similarity = Callable[[Sequence[str]], Sequence[float]]
"""Cosine of each text with the question."""


@dataclass(frozen=True)
class Weights:
    """Weights of a sentence's score; each part is in [0, 1]. Tuned on LoCoMo, see docs/explanation/think.md.

    own: share of the question's words in the sentence, weighted by rarity; meaning: cosine with the question;
    place: 1 / rank of the memory; relative: the memory's score relative to the best; kind: the sentence has the
    kind of answer asked for; speaker: it is about the question's subject (subtracted if about another person);
    asks: subtracted for a question; short: subtracted below four words. A `further` sentence needs at least this
    share of the best score.
    """

    own: float = 1.0
    meaning: float = 0.2
    place: float = 0.75
    relative: float = 0.3
    kind: float = 0.5
    speaker: float = 0.1
    asks: float = 0.3
    short: float = 0.3
    further: float = 0.7


WEIGHTS = Weights()


@dataclass(frozen=True, slots=True)
class Pick:
    """A sentence and its score.

    `own` and `coverage`: shares of the question's words in the sentence and in its memory. `about`: whether it is
    about the question's subject, None if unknown.
    `earlier`: it is a superseded value. `later`: it is of a later memory that may replace the one before it.
    """

    source: Source
    sentence: str
    score: float = 0.0
    own: float = 0.0
    coverage: float = 0.0
    about: bool | None = None
    earlier: bool = False
    later: bool = False


def picks(sources: Sequence[Source], question: Question, similarity: Similarity) -> list[Pick]:
    """Score every sentence of the current memories, best first; ties keep the order of hits and text."""
    wanted = query_terms(question.bare or question.text)
    held = [source for source in sources if not source.replaced_by]
    every = [(source, sentence) for source in held for sentence in _read(source, frozenset(wanted))]
    if not every:
        return []
    counts = Counter(term for _, sentence in every for term in term_set(sentence))
    weight = {term: math.log(1 + len(every) / (1 + counts[term])) for term in wanted}
    cosines = similarity([sentence for _, sentence in every])
    best = max(source.hit.score for source, _ in every)
    texts = {source.number: (source.memory.content, source.memory.context) for source in held}
    coverage = {number: _share(weight, term_set(a) | term_set(b)) for number, (a, b) in texts.items()}
    found = []
    for (source, sentence), cosine in zip(every, cosines, strict=True):
        own = _share(weight, term_set(sentence))
        about = None
        if question.subject and source.memory.author:
            about = source.memory.author == question.subject or question.subject.split()[0] in sentence
        score = WEIGHTS.own * own + WEIGHTS.meaning * max(0.0, cosine) + WEIGHTS.place / source.number
        score += WEIGHTS.relative * max(0.0, source.hit.score / best) if best > 0 else 0.0
        score += WEIGHTS.speaker * ((about is True) - (about is False)) + _shape(sentence, question)
        found.append(Pick(source, sentence, score, own, coverage[source.number], about))
    return sorted(found, key=lambda pick: -pick.score)


def _read(source: Source, wanted: frozenset[str]) -> list[str]:
    parts = sentences(source.memory.content)
    if len(parts) <= _MOST_READ:
        return parts
    nearest = sorted(range(len(parts)), key=lambda place: -len(wanted & term_set(parts[place])))
    return [parts[place] for place in sorted(nearest[:_MOST_READ])]


def _share(weight: dict[str, float], terms: frozenset[str]) -> float:
    whole = sum(weight.values())
    return sum(value for term, value in weight.items() if term in terms) / whole if whole else 0.0


def _shape(sentence: str, question: Question) -> float:
    """Return the part of the score that depends on the kind of sentence."""
    score = 0.0
    cue = asked_cue(question.text)
    if question.asks_when:
        score += WEIGHTS.kind * has_time_expression(sentence)
    elif cue is not None:
        score += WEIGHTS.kind * bool(cues(sentence) & cue)
    if sentence.rstrip("\"'”’)»").endswith(("?", "？")):
        score -= WEIGHTS.asks
    if word_count(sentence) < 4:
        score -= WEIGHTS.short
    return score


def chosen(ranked: Sequence[Pick], sources: Sequence[Source]) -> list[Pick]:
    """Select one to three sentences: the best, others nearly as good that add something, superseded values."""
    kept: list[Pick] = []
    for pick in ranked:
        if len(kept) == MOST or (kept and pick.score < WEIGHTS.further * kept[0].score):
            break
        if not any(_repeats(pick.sentence, each.sentence) for each in kept):
            kept.append(pick)
    found: list[Pick] = []
    for pick in kept:
        # What was shown as the later memory of an earlier pick is not said twice.
        if any((each.source.number, each.sentence) == (pick.source.number, pick.sentence) for each in found):
            continue
        found.append(pick)
        # A superseding memory is followed by the nearest sentence of each memory it superseded.
        for source in sources:
            if source.replaced_by == pick.source.number:
                parts = sentences(source.memory.content)
                nearest = max(parts, key=lambda part: len(term_set(part) & term_set(pick.sentence)), default="")
                if nearest:
                    found.append(Pick(source, nearest, earlier=True))
        found += _later(pick, ranked, found)
    return found


def _repeats(one: str, other: str) -> bool:
    """Return whether one sentence has no content word that the other lacks, and neither denies the other."""
    mine, said = term_set(one), term_set(other)
    return (mine <= said or said <= mine) and not denies(one, other)


def _later(pick: Pick, ranked: Sequence[Pick], found: Sequence[Pick]) -> list[Pick]:
    """Return the best sentence of the memory that may replace a pick's: where it is doubtful, both are shown."""
    wanted = pick.source.hit.may_be_outdated_by
    if wanted is None or any(each.source.memory.id == wanted for each in found):
        return []
    return [replace(each, later=True) for each in ranked if each.source.memory.id == wanted][:1]


def replacing(
    sources: Sequence[Source], cited: Sequence[Citation], words: Wording
) -> tuple[list[str], list[Citation]]:
    """Return a line, and its citation, for each memory that may replace a cited one and is not cited itself.

    The line has the dates of both.
    """
    by_id = {source.memory.id: source for source in sources}
    known = {each.memory_id for each in cited}
    lines, citations = [], []
    for each in dict.fromkeys(citation.memory_id for citation in cited):
        later = by_id.get(by_id[each].hit.may_be_outdated_by or "")
        if later is None or later.memory.id in known:
            continue
        known.add(later.memory.id)
        quote = max(sentences(later.memory.content), key=len, default=later.memory.content)
        notes = f"{later.label()}; [{by_id[each].number}] = {by_id[each].memory.moment:%Y-%m-%d}"
        lines.append(f"{words.later} “{one_line(quote)}” ({notes}) [{later.number}]")
        citations.append(Citation(later.number, later.memory.id, lines[-1], quote, "verbatim"))
    return lines, citations


def weakness(ranked: Sequence[Pick], question: Question, recalled: Mapping[str, Any]) -> str:
    """Return why the best sentence is not an answer; "" if it is one. `recalled`: the details of recall's answer.

    It is not an answer if recall reports weak evidence; if it is about another person; or if recall's confidence
    is low and the sentence with most of the question's words is about another person.
    """
    if not ranked:
        return "the memories have no text"
    if "weak" in recalled:
        return f"the evidence is weak: {recalled['weak']}"
    best = ranked[0]
    if best.about is False:
        return f"the matching memories are about {best.source.memory.author}, not about {question.subject}"
    others = max((pick.own for pick in ranked if pick.about is False), default=0.0)
    theirs = max((pick.own for pick in ranked if pick.about is True), default=0.0)
    if question.subject and recalled.get("confidence", 1.0) < UNSURE and theirs < others:
        return f"the best match was not said by {question.subject}"
    return ""


def written(kept: Sequence[Pick], question: Question, words: Wording) -> tuple[str, list[Citation], list[Dated]]:
    """Return the answer, one line per sentence; its citations; and the relative dates it explains."""
    lines, citations, explained = [], [], []
    for pick in kept:
        memory = pick.source.memory
        named = days_named(pick.sentence, memory.moment, memory.valid_from) if question.asks_date else []
        dates = [each for each in named if each.relative]
        explained += dates
        notes = "; ".join([pick.source.label(), *(f"{one_line(each.text)} = {each}" for each in dates)])
        before = f"{words.earlier} " if pick.earlier else f"{words.later} " if pick.later else ""
        line = f"{before}“{one_line(pick.sentence)}” ({notes}) [{pick.source.number}]"
        lines.append(line)
        citations.append(Citation(pick.source.number, memory.id, line, pick.sentence, "verbatim"))
    return "\n".join(lines), citations, explained


# -- whether a sentence holds what the question asks about -----------------------------------------

_GENITIVE = re.compile(r"\w['’]s?\s+(\w+)")
"""The English genitive and what it owns: "my sister's name"."""
_STEM = 4
"""Letters from which a stem may differ in the last: "leav" and "leaf"."""


def holds(question: Question, pick: Pick) -> bool:
    """Return whether a sentence has every content word of the question, more, and what the question asks for.

    Names may stand elsewhere in the memory, or be its author's. A question for a day or a number needs one in
    the sentence, one for a reason needs it in the memory.
    """
    text = question.bare or question.text
    wanted = frozenset(query_terms(text))
    if not wanted:
        return False
    named = term_set(" ".join(names(text))) & wanted
    memory = pick.source.memory
    around = term_set(f"{memory.author or ''} {memory.content} {memory.context}")
    said = term_set(pick.sentence)
    if _lacking(wanted - named, said) or _lacking(named, around) or said <= wanted:
        return False
    # "My laptop" is not that of another: a question of the first person needs a sentence in it.
    of_speaker = is_of_speaker(question.text.rstrip("?？ "))
    if of_speaker and (not is_of_speaker(pick.sentence) or _of_others(pick.sentence, text) & wanted):
        return False
    if question.asks_when:
        return has_time_expression(pick.sentence)
    kind = asked(question.text)
    # A place or a person need not have a name; a number and a reason show. The reason may be the next sentence.
    if kind == Cue.REASON:
        return bool(cues(memory.content) & kind)
    return kind != Cue.NUMBER or bool(cues(pick.sentence) & kind)


def _lacking(wanted: frozenset[str], held: frozenset[str]) -> frozenset[str]:
    """Return the terms that are not held, whole or but for the last letter, in which stems of a word differ."""
    short = {term[:-1] for term in held if len(term) >= _STEM}
    return frozenset(term for term in wanted - held if len(term) < _STEM or term[:-1] not in short)


def _of_others(sentence: str, question: str) -> frozenset[str]:
    """Return the terms that somebody else owns in the sentence, and nobody in the question."""
    return term_set(" ".join(_GENITIVE.findall(sentence))) - term_set(" ".join(_GENITIVE.findall(question)))
