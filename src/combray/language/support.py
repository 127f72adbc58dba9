"""Support and contradiction: whether a text supports a known fact, and whether two texts can contradict.

Similarity proposes a pair; this module decides. It prefers a missed support to a wrong one: a question, a
guess, the opposite, another value, another person or a state that has ended does not support a fact.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from combray.language.caches import from_tables, keyed_by_text
from combray.language.claim_tokens import tokenise, vocabulary
from combray.language.folding import plain
from combray.language.polarity import are_antonyms, changes, negations
from combray.language.tokens import term_set, terms

_SENTENCES = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])|\n+")
_USER = "user"
_SELVES = frozenset(("", "user", "human", "me"))
"""Names under which chats store the person whom facts call "the user"."""


class _Statement(NamedTuple):
    """One sentence: its keys, those that carry its claim, and the number of negations.

    `literal`: keys of the claim that a text can only express by a form of the word itself.
    """

    keys: frozenset[str]
    claim: frozenset[str]
    literal: frozenset[str]
    verbs: frozenset[str]
    words: frozenset[str]
    negated: int
    hedged: bool
    asks: bool


def supports(fact: str, said: str, *, speaker: str | None = None, owner: str | None = None, strict: bool) -> bool:
    """Return whether a sentence of `said` states what `fact` states, and none denies it. Never raises.

    "I" in `said` is its speaker; "user" and "I" in the fact are its owner, or whoever is called user. Every
    word that carries the fact's claim must occur: names, numbers, dates and nouns, and with `strict` (no vector
    proposed the pair) the verbs too.
    """
    about = _statement(fact, _USER)
    name = plain(speaker or "").strip()
    is_user = name in _SELVES or name == plain(owner or "").strip()
    me = _USER if _USER in about.keys and is_user else (speaker or _USER)
    claim = about.claim | about.verbs if strict else about.claim
    if not claim - {_USER} or (strict and len(claim) < 2):
        return False
    # This decides most pairs; splitting a text into tokens costs ten times as much.
    named = {token.key for token in tokenise(speaker)} if speaker else set()
    if not about.literal <= _terms(said) | named:
        return False
    found = False
    for sentence in _SENTENCES.split(said):
        stated = _statement(sentence, me)
        if not claim <= stated.keys:
            continue
        if about.negated != stated.negated or _ends(about, stated, sentence):
            return False
        found |= not stated.asks and not (stated.hedged and not about.hedged)
    return found


def _ends(about: _Statement, stated: _Statement, sentence: str) -> bool:
    if changes(sentence) or (stated.words & vocabulary().endings) - about.words:
        return True
    # Verbs only: "hot tea" and "cold tea" do not end each other, "love" and "hate" do.
    new_verbs = stated.verbs - about.verbs
    return any(are_antonyms(one, other) for one in about.verbs - stated.verbs for other in new_verbs)


@from_tables
def _user_phrases() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(vocabulary().user))) or r"(?!)", re.IGNORECASE)


@keyed_by_text
@functools.lru_cache(maxsize=20_000)
def _statement(text: str, me: str) -> _Statement:
    """Return a sentence as keys, with "I" replaced by `me`."""
    known = vocabulary()
    tokens = tokenise(_user_phrases().sub(" user ", text))
    myself = {token.key for token in tokenise(me)}
    dropped = known.neutral | known.adverbs | known.definite | known.indefinite
    keys: set[str] = set()
    claim: set[str] = set()
    literal: set[str] = set()
    verbs: set[str] = set()
    for token in tokens:
        person = known.pronouns.get(token.word, "")
        if person.endswith(":i"):
            keys |= myself
            claim |= myself
            continue
        keys.add(token.key)
        if token.is_verb:
            if token.word not in known.states:
                verbs.add(token.key)
        elif (
            token.kind != "symbol"
            and token.word not in known.light
            and (token.kind != "word" or token.word not in dropped)
        ):
            claim.add(token.key)
            # Whether the token's key is the index term of its own word.
            plainly = token.kind == "word" and token.word.isascii() and token.word != _USER
            if plainly and token.word not in known.synonyms and terms(token.word) == [token.key]:
                literal.add(token.key)
    words = frozenset(token.word for token in tokens)
    return _Statement(
        frozenset(keys),
        frozenset(claim),
        frozenset(literal),
        frozenset(verbs),
        words,
        len(negations(text)),
        bool(words & known.hedges),
        any(token.key == "?" for token in tokens) or text.rstrip().endswith("？"),
    )


@keyed_by_text
@functools.lru_cache(maxsize=20_000)
def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


class Traits(NamedTuple):
    """The traits by which pairs that cannot contradict each other are skipped before an alignment."""

    terms: frozenset[str]
    words: frozenset[str]
    negated: int
    has_state: bool
    ends: bool


def traits(text: str) -> Traits:
    """Return the traits of a statement; `terms` are its content terms."""
    known = vocabulary()
    words = frozenset(token.word for token in tokenise(text))
    has_state = bool(words & (known.states | known.single))
    return Traits(term_set(text), words, len(negations(text)), has_state, bool(changes(text)))


def may_contradict(old: Traits, new: Traits) -> bool:
    """Return whether an alignment could find a contradiction or a new value. Cheap, without false negatives.

    The two must share half of their content, or a fifth of it if the new one says that something has changed; and
    they must differ in negation, hold opposites, or both be about a state.
    """
    shared, every = len(old.terms & new.terms), max(len(old.terms | new.terms), 1)
    if shared / every < (0.2 if new.ends else 0.5):
        return False
    if old.negated != new.negated or new.ends or (old.has_state and new.has_state):
        return True
    return any(are_antonyms(one, other) for one in old.words - new.words for other in new.words - old.words)
