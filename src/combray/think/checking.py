"""Whether a memory says what a sentence says. Nothing is believed because a model wrote it.

Names, numbers and dates must stand in the memory or the question, most other words too, and nothing may be
turned into its opposite. An embedder can only lower the share of words that must be found again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from combray.language import polarity
from combray.language.claim_tokens import Token, tokenise, vocabulary
from combray.language.dates import has_time_expression
from combray.language.entities import extract, names
from combray.language.questions import ASSISTANTS, USERS
from combray.language.tokens import is_stop, term_set
from combray.think.dating import Dated, day_of, days_named, edges_named
from combray.think.evidence import Evidence
from combray.think.thought import How
from combray.types import Memory

NEW_WORDS = 0.6
"""Share of a sentence's words beyond the question's that must be in the memory."""
ALL_WORDS = 0.5
"""Share of all words of the sentence, so that one new word alone ties no memory to what was asked."""
WORDS_NEAR = 0.33
"""Either share where the embedder finds the sentence and the place it rests on near one another."""
NEAR = 0.6
"""Cosine from which a sentence and the place it rests on are near one another."""

Nearness = Callable[[str, str], float]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the question itself says, and the people and things known by name where it is asked."""

    keys: frozenset[str]
    terms: frozenset[str]
    text: str
    known: frozenset[str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`how` is None where the memory does not say it; `problem` then says why. `quote` is the place that does."""

    how: How | None
    quote: str = ""
    problem: str = ""


def asked(question: str, known: Sequence[str]) -> Asked:
    """A question to check against."""
    keys = frozenset(token.key for token in tokenise(question))
    return Asked(keys, term_set(question), question, frozenset(known))


def check(sentence: str, against: Evidence, question: Asked, near: Nearness | None = None) -> Verdict:
    """Whether the evidence says what the sentence says."""
    rest, problem = _without_dates(sentence, against, question)
    if problem:
        return Verdict(None, problem=problem)
    problem = _stranger(rest, against, question)
    if problem:
        return Verdict(None, problem=problem)
    spelt = [token for token in tokenise(rest) if token.kind == "number" and not token.word.isdigit()]
    terms = term_set(rest) - _terms_of_authors(against) - term_set(" ".join(token.word for token in spelt))
    if not terms and (spelt or rest != sentence):
        return _value_alone(against, question)
    quote = _place(terms, against)
    if not quote:
        return Verdict(None, problem="the memory does not say anything of it")
    problem = _opposite(sentence, quote)
    if problem:
        return Verdict(None, problem=problem)
    how = _words_shared(terms, against, question, lambda: near is not None and near(sentence, quote) >= NEAR)
    return Verdict(how, quote, "" if how else "too few of its words are in the memory")


def _without_dates(sentence: str, against: Evidence, question: Asked) -> tuple[str, str]:
    """The sentence without the dates that the evidence or the question names; or what is wrong with one."""
    if not has_time_expression(sentence):
        return sentence, ""
    rest = sentence
    told = against.dates(term_set(sentence))
    # A memory's moment decides what "yesterday" means, in the memory and in a sentence about it.
    read = [(memory, dates, days_named(sentence, memory.moment)) for memory, dates in told]
    for dated in read[0][2]:
        readings = [(memory, dates, e) for memory, dates, every in read for e in every if e.span == dated.span]
        named = any(_named(each, memory, dates, sentence) for memory, dates, each in readings)
        if not named and not _asked_about(dated, question):
            return rest, f"the date {dated.text!r} is not the memory's"
        rest = rest.replace(dated.text, " ", 1)
    for memory, dates in told:
        edges = {*day_of(memory), *(edge for each in dates for edge in (each.first, each.end))}
        for text, edge in edges_named(rest, memory.moment):
            # A wrong one stays in the sentence, where its numbers are looked for like others.
            rest = rest.replace(text, " ", 1) if edge in edges else rest
    return rest, ""


def _named(dated: Dated, memory: Memory, dates: Sequence[Dated], sentence: str) -> bool:
    """Whether the memory names a time within those days; its own moment counts unless it names another time."""
    if any(dated.first <= each.first and each.end <= dated.end for each in dates):
        return True
    repeated = any(each.text.casefold() in sentence.casefold() for each in dates)
    first, end = day_of(memory)
    return (repeated or not dates) and dated.first <= first and end <= dated.end


def _asked_about(dated: Dated, question: Asked) -> bool:
    return dated.text.casefold() in question.text.casefold()


def _stranger(rest: str, against: Evidence, question: Asked) -> str:
    """A number or name in the sentence that neither the evidence nor the question knows, said as a problem."""
    named = [*names(rest), *extract(rest), *(name for name in question.known if name in rest)]
    own_words = question.text.casefold()
    for name in named:
        if name.casefold() not in against.words and name.casefold() not in own_words:
            return f"the name {name!r} is not in the memory"
    allowed = against.keys | question.keys
    for token in tokenise(rest):
        if token.key in allowed:
            continue
        # "One" is a number in few sentences.
        if token.kind in ("number", "date", "unit") and token.word != "one":
            return f"{token.word!r} is not in the memory"
        if token.capital and not _ordinary(token) and not term_set(token.word) <= against.terms | question.terms:
            return f"the name {token.word.capitalize()!r} is not in the memory"
    return _of_another(rest, against, question)


def _ordinary(token: Token) -> bool:
    """Whether a capital may be only that of a sentence's beginning."""
    known = vocabulary()
    listed = known.verbs | known.neutral | known.adverbs | known.hedges | known.states | known.definite
    pronoun = token.word in known.pronouns or token.word in known.owner_before | known.indefinite
    return token.kind != "word" or token.word in listed or pronoun or is_stop(token.word)


def _of_another(rest: str, against: Evidence, question: Asked) -> str:
    """Whether it tells of one person what the memory has another person say."""
    authors = {memory.author for memory in against.memories if memory.author}
    if not authors or {author.casefold() for author in authors} & (USERS | ASSISTANTS):
        return ""
    people = {name for name in question.known if name in rest}
    if people and not people & authors and not any(name.casefold() in against.words for name in people):
        return f"it tells of {min(people)} what {min(authors)} said"
    return ""


def _place(terms: frozenset[str], against: Evidence) -> str:
    """The part of the evidence that shares most terms, the shortest of several; questions only ask."""
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


def _value_alone(against: Evidence, question: Asked) -> Verdict:
    """An answer that is nothing but a date or number: the memory must be about what was asked."""
    wanted = question.terms - _terms_of_authors(against)
    quote = _place(wanted, against)
    if not quote or len(wanted & against.terms) < ALL_WORDS * len(wanted):
        return Verdict(None, problem="the memory is not about what was asked")
    return Verdict("words", quote)


def _words_shared(
    terms: frozenset[str], against: Evidence, question: Asked, near: Callable[[], bool]
) -> How | None:
    new = terms - question.terms
    every = len(terms & against.terms) / max(1, len(terms))
    share = len(new & against.terms) / len(new) if new else every
    if share >= NEW_WORDS and every >= ALL_WORDS:
        return "words"
    return "meaning" if min(share, every) >= WORDS_NEAR and near() else None
