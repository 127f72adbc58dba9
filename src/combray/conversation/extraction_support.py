"""Whether turns say what a fact says: names, numbers and negation, and most of its words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from combray.conversation.speakers import USER, speaker
from combray.language.claim_tokens import tokenise, vocabulary
from combray.language.dates.statements import resolve_stated
from combray.language.entities import extract, names
from combray.language.folding import is_unspaced
from combray.language.polarity import negations
from combray.language.sentences import sentences
from combray.language.tokens import content_terms
from combray.types import Memory

LONGEST = 300
"""Characters of a fact."""
_LEAST = 0.7
"""Share of the words of a fact that the turns must contain, verbs aside: a restated fact has words of its own."""


def supporting(fact: str, cited: Sequence[Memory], before: Sequence[Memory | None]) -> list[Memory]:
    """Return the cited turns that say something of the fact.

    A turn shares a word with it, or has no word of its own ("Yes.") and the turn `before` it shares one.
    """
    wanted = _words(fact)
    return [
        turn
        for turn, earlier in zip(cited, before, strict=True)
        if wanted & _words(_said(turn))
        or (not _words(turn.content) and earlier is not None and wanted & _words(_said(earlier)))
    ]


def is_supported(fact: str, value: str, turns: Sequence[Memory]) -> bool:
    """Return whether the turns hold names, numbers, the value and most words of a fact, and agree in negation.

    Speakers' names count as said, and dates that resolve a relative date of a turn, or its own date.
    """
    if not turns or len(fact) > LONGEST:
        return False
    left = _without_dates(_spaced(fact), turns)
    wanted, there = _words(left), frozenset[str]().union(*(_words(_said(turn)) for turn in turns))
    if not wanted & there:
        return False
    # "Lives" may stand for "moved", and a speaker is in every line of theirs. Numbers have been compared.
    speakers = frozenset[str]().union(*(_words(speaker(turn.author)) for turn in turns))
    carrying = wanted - speakers - _terms_of_verbs_and_numbers(left)
    if len(carrying & there) < _LEAST * len(carrying):
        return False
    if not _numbers(left) <= frozenset[str]().union(*(_numbers(_said(turn)) for turn in turns)):
        return False
    named = frozenset[str]().union(*map(_words, (_without_dates(value, turns), *_names(left))))
    return named <= there and _agrees(fact, wanted, turns)


def _without_dates(text: str, turns: Sequence[Memory]) -> str:
    """Return the text without the dates that the turns name, in any words, or on which they were said."""
    meant = [(each.start, each.end) for turn in turns for each in resolve_stated(turn.content, turn.moment)]
    moments = [turn.moment for turn in turns]
    kept, done = "", 0
    for found in resolve_stated(text, moments[-1]):
        start, end = found.span
        named = any(found.start < last and first < found.end for first, last in meant)
        said = found.kind != "time" and any(found.start <= each < found.end for each in moments)
        if (named or said) and start >= done:
            kept += text[done:start]
            done = end
    return kept + text[done:]


def _agrees(fact: str, wanted: frozenset[str], turns: Sequence[Memory]) -> bool:
    """Return whether a denial of the fact is said, and no denial that is said was left out of it."""
    if negations(fact):
        return any(negations(turn.content) for turn in turns)
    # "I don't eat meat" does not say "User eats meat".
    saying = [each for turn in turns for each in sentences(turn.content) if wanted <= _words(_by(turn, each))]
    return not saying or not all(negations(each) for each in saying)


def _spaced(fact: str) -> str:
    """Return a fact with "user" apart from the word behind it, in scripts without spaces."""
    for word in vocabulary().user:
        if is_unspaced(word):
            fact = fact.replace(word, " ")
    return fact


def _names(fact: str) -> Iterable[str]:
    return (each for each in (*extract(fact), *names(fact)) if each.casefold() != USER.casefold())


def _words(text: str) -> frozenset[str]:
    return frozenset(content_terms(text)) - _SPEAKERS


_SPEAKERS = frozenset(content_terms(USER))
"""Words of "User": a fact about a speaker without a name is about every such speaker."""


def _by(turn: Memory, text: str) -> str:
    return f"{speaker(turn.author)}: {text}"


def _said(turn: Memory) -> str:
    text = f"{turn.content} {turn.context}" if turn.context else turn.content
    return _by(turn, text)


def _terms_of_verbs_and_numbers(text: str) -> frozenset[str]:
    found = [token.word for token in tokenise(text) if token.is_verb or token.kind in ("number", "date")]
    return frozenset(content_terms(" ".join(found)))


def _numbers(text: str) -> frozenset[str]:
    return frozenset(token.key for token in tokenise(text) if token.kind in ("number", "date"))
