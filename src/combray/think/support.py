"""Check whether a memory supports a sentence of a model's answer, and prepare the memory for that.

Names, numbers and dates must occur in the memory or the question, and so must most other words; the polarity must
agree. An embedder can only lower the required share of words.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from combray.language import polarity
from combray.language.caches import keyed_by_text
from combray.language.claim_tokens import Token, tokenise, vocabulary
from combray.language.dates import has_time_expression
from combray.language.dates.statements import Dated, days_named, edges_named
from combray.language.entities import extract, names
from combray.language.questions import ASSISTANTS, USERS
from combray.language.sentences import clauses, sentences
from combray.language.tokens import is_stop, term_set
from combray.records import dataclass
from combray.think.thought import How
from combray.types import Memory

NEW_WORDS = 0.6
"""Minimum share of the sentence's words not in the question that must be in the memory."""
ALL_WORDS = 0.5
"""Minimum share of all words of the sentence, so that a single new word is not enough."""
WORDS_NEAR = 0.33
"""Minimum of either share if the embedder finds the sentence and its quote similar."""
NEAR = 0.6
"""Cosine from which a sentence and its quote are similar."""

Nearness = Callable[[str, str], float]


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The question's words, and the names known in the namespace. `of_now`: it asks how things are."""

    keys: frozenset[str]
    terms: frozenset[str]
    text: str
    known: frozenset[str]
    of_now: bool = True


@dataclass(frozen=True, slots=True)
class SentenceSupport:
    """How a memory supports a sentence, and the quote that does. `how` is None without support; see `problem`.

    `share`, 0 to 1: the share of the sentence's words that the memory has.
    """

    how: How | None
    quote: str = ""
    problem: str = ""
    share: float = 0.0


def asked(question: str, known: Sequence[str], *, of_now: bool = True) -> QuestionWords:
    """Prepare a question for checks."""
    keys = frozenset(token.key for token in tokenise(question))
    return QuestionWords(keys, term_set(question), question, frozenset(known), of_now)


def check(
    sentence: str, against: Evidence, question: QuestionWords, near: Nearness | None = None
) -> SentenceSupport:
    """Check whether the evidence supports the sentence."""
    rest, problem = _without_dates(sentence, against, question)
    problem = problem or _stranger(rest, against, question)
    if problem:
        return SentenceSupport(None, problem=problem)
    spelt = [token for token in tokenise(rest) if token.kind == "number" and not token.word.isdigit()]
    # "Previously" of a superseded memory, as the prompt asks for, is no word of that memory.
    passing = term_set(" ".join([*sorted(vocabulary().adverbs), *(token.word for token in spelt)]))
    terms = term_set(rest) - _terms_of_authors(against) - passing
    if not terms and (spelt or rest != sentence):
        return _value_alone(against, question)
    quote = _place(terms, against)
    if not quote:
        return SentenceSupport(None, problem="the memory does not mention it")
    problem = _opposite(sentence, quote)
    if problem:
        return SentenceSupport(None, problem=problem)
    how = _words_shared(terms, against, question, lambda: near is not None and near(sentence, quote) >= NEAR)
    problem = "" if how else "too few of its words are in the memory"
    return SentenceSupport(how, quote, problem, _share(terms, against))


def _without_dates(sentence: str, against: Evidence, question: QuestionWords) -> tuple[str, str]:
    """Return the sentence without the dates that the evidence or the question confirms, and any problem found."""
    if not has_time_expression(sentence):
        return sentence, ""
    rest = sentence
    told = against.dates(term_set(sentence))
    # A memory's moment decides what "yesterday" means, in the memory and in a sentence about it.
    read = [(memory, dates, days_named(sentence, memory.moment, memory.valid_from)) for memory, dates in told]
    for dated in read[0][2]:
        readings = [(memory, dates, e) for memory, dates, every in read for e in every if e.span == dated.span]
        named = any(_named(each, memory, dates, sentence) for memory, dates, each in readings)
        if not named and dated.text.casefold() not in question.text.casefold():
            return rest, f"the date {dated.text!r} is not in the memory"
        rest = rest.replace(dated.text, " ", 1)
    for memory, dates in told:
        edges = {*_day_of(memory), *(edge for each in dates for edge in (each.first, each.end))}
        for text, edge in edges_named(rest, memory.moment):
            # A wrong date stays in the sentence, and its numbers are checked like others.
            rest = rest.replace(text, " ", 1) if edge in edges else rest
    return rest, ""


def _day_of(memory: Memory) -> tuple[datetime, datetime]:
    """Return the start and end of the memory's day."""
    first = memory.moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return first, first + timedelta(days=1)


def _named(dated: Dated, memory: Memory, dates: Sequence[Dated], sentence: str) -> bool:
    """Whether the memory names a time in those days. Its own date counts unless it names another time."""
    if any(dated.first <= each.first and each.end <= dated.end for each in dates):
        return True
    repeated = any(each.text.casefold() in sentence.casefold() for each in dates)
    first, end = _day_of(memory)
    return (repeated or not dates) and dated.first <= first and end <= dated.end


def _stranger(rest: str, against: Evidence, question: QuestionWords) -> str:
    """Return a problem if the sentence has a number or name that neither the evidence nor the question has."""
    named = [*names(rest), *extract(rest), *(name for name in question.known if name in rest)]
    own_words = question.text.casefold()
    for name in named:
        if name.casefold() not in against.words and name.casefold() not in own_words:
            return f"the name {name!r} is not in the memory"
    allowed = against.keys | question.keys
    for token in tokenise(rest):
        if token.key in allowed:
            continue
        # "one" is usually not a number.
        if token.kind in ("number", "date", "unit") and token.word != "one":
            return f"{token.word!r} is not in the memory"
        if token.capital and not _ordinary(token) and not term_set(token.word) <= against.terms | question.terms:
            return f"the name {token.word.capitalize()!r} is not in the memory"
    return _of_another(rest, against, question)


def _ordinary(token: Token) -> bool:
    """Whether a capitalised word may just start a sentence."""
    known = vocabulary()
    listed = known.verbs | known.neutral | known.adverbs | known.hedges | known.states | known.definite
    pronoun = token.word in known.pronouns or token.word in known.owner_before | known.indefinite
    return token.kind != "word" or token.word in listed or pronoun or is_stop(token.word)


def _of_another(rest: str, against: Evidence, question: QuestionWords) -> str:
    """Return a problem if the sentence attributes one person's statement to another."""
    authors = {memory.author for memory in against.memories if memory.author}
    if not authors or {author.casefold() for author in authors} & (USERS | ASSISTANTS):
        return ""
    people = {name for name in question.known if name in rest}
    if people and not people & authors and not any(name.casefold() in against.words for name in people):
        return f"it attributes to {min(people)} what {min(authors)} said"
    return ""


def _place(terms: frozenset[str], against: Evidence) -> str:
    """Return the part of the evidence that shares most terms, the shortest of equals; questions are skipped."""
    said = [part for part in against.parts if not part.text.rstrip("\"'”’)»").endswith(("?", "？"))]
    best = max(said, key=lambda part: (len(terms & part.terms), -len(part.text)), default=None)
    return best.text if best is not None and terms & best.terms else ""


def _opposite(sentence: str, quote: str) -> str:
    if bool(polarity.negations(sentence)) != bool(polarity.negations(quote)):
        return "the memory says the opposite"
    first, second = ({token.word for token in tokenise(text)} for text in (quote, sentence))
    pairs = polarity.antonyms(quote, sentence, sorted(first - second), sorted(second - first))
    return f"the memory says {pairs[0][0]!r}, not {pairs[0][1]!r}" if pairs else ""


def _terms_of_authors(against: Evidence) -> frozenset[str]:
    return frozenset(term for memory in against.memories for term in term_set(memory.author or ""))


def _value_alone(against: Evidence, question: QuestionWords) -> SentenceSupport:
    """Check an answer that is only a date or number: the memory must be about the question."""
    wanted = question.terms - _terms_of_authors(against)
    quote = _place(wanted, against)
    if not quote or len(wanted & against.terms) < ALL_WORDS * len(wanted):
        return SentenceSupport(None, problem="the memory is not about the question")
    return SentenceSupport("words", quote, share=_share(wanted, against))


def _share(terms: frozenset[str], against: Evidence) -> float:
    return len(terms & against.terms) / max(1, len(terms))


def _words_shared(
    terms: frozenset[str], against: Evidence, question: QuestionWords, near: Callable[[], bool]
) -> How | None:
    new = terms - question.terms
    every = _share(terms, against)
    share = len(new & against.terms) / len(new) if new else every
    if share >= NEW_WORDS and every >= ALL_WORDS:
        return "words"
    return "meaning" if min(share, every) >= WORDS_NEAR and near() else None


# -- the memory ------------------------------------------------------------------------------------

_MOST_DATED = 20
"""Maximum sentences of a memory whose dates are resolved: those closest to the checked sentence."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence or clause, and its terms."""

    text: str
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One memory, or several combined. `said`: each memory with its sentences; `parts`: sentences and clauses."""

    said: tuple[tuple[Memory, tuple[Clause, ...]], ...]
    parts: tuple[Clause, ...]
    keys: frozenset[str]
    terms: frozenset[str]
    words: str

    @property
    def memories(self) -> list[Memory]:
        """The memories."""
        return [memory for memory, _ in self.said]

    def dates(self, terms: frozenset[str]) -> list[tuple[Memory, list[Dated]]]:
        """Return each memory with the dates in its sentences about the terms."""
        found = []
        for memory, parts in self.said:
            speaking = [part for part in parts if terms & part.terms] or list(parts)
            nearest = sorted(speaking, key=lambda part: -len(terms & part.terms))[:_MOST_DATED]
            found.append(
                (
                    memory,
                    [date for part in nearest for date in _dates(part.text, memory.moment, memory.valid_from)],
                )
            )
        return found


def evidence(memory: Memory) -> Evidence:
    """Prepare one memory."""
    said = tuple(
        Clause(each, term_set(each)) for text in (memory.content, memory.context) for each in sentences(text)
    )
    halves = [Clause(half, term_set(half)) for each in said for half in clauses(each.text) if half != each.text]
    words = "\n".join([memory.content, memory.context, memory.author or "", " ".join(memory.entities)])
    return Evidence(
        said=((memory, said),),
        parts=(*said, *(half for half in halves if len(half.terms) > 1)),
        keys=frozenset(token.key for token in tokenise(words)),
        terms=term_set(memory.author or "").union(*(each.terms for each in said)),
        words=words.casefold(),
    )


def joined(several: Sequence[Evidence]) -> Evidence:
    """Combine several memories."""
    return Evidence(
        said=tuple(each for one in several for each in one.said),
        parts=tuple(each for one in several for each in one.parts),
        keys=frozenset().union(*(one.keys for one in several)),
        terms=frozenset().union(*(one.terms for one in several)),
        words="\n".join(one.words for one in several),
    )


@keyed_by_text
@functools.lru_cache(maxsize=2000)
def _dates(text: str, moment: datetime, begins: datetime | None) -> tuple[Dated, ...]:
    return tuple(days_named(text, moment, begins))
