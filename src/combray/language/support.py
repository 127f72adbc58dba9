"""Whether what somebody said supports a known fact: the same claim, of the same person, not taken back.

Nearness proposes, this decides, and it would rather miss support than count what is none: a question, a
guess, the opposite, another value, another person or something that has ended supports nothing.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from combray.language.caches import from_tables, keyed_by_text
from combray.language.claim_tokens import Token, tokenise, vocabulary
from combray.language.polarity import are_antonyms, changes, negations, plain
from combray.language.tokens import term_set, terms

_SENTENCES = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])|\n+")
_USER = "user"
_SELVES = frozenset(("", "user", "human", "me"))
"""Names under which chats store the person whom facts call "the user"."""


class _Statement(NamedTuple):
    """One sentence: its keys, those that carry its claim, and how often it negates.

    `literal`: those of the claim that a text can only say in a form of the word itself.
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
    """Whether a sentence of `said` states what `fact` states, and none denies it.

    "I" in `said` is its speaker; the fact's "user" and "I" are its owner, or whoever is called user. Every
    word that carries the fact's claim must be said: names, numbers, dates and nouns, and with `strict` (no
    vector proposed the pair) the verbs too. Never raises.
    """
    about = _statement(fact, _USER)
    me = _USER if _USER in about.keys and _is_user(speaker, owner) else (speaker or _USER)
    claim = about.claim | about.verbs if strict else about.claim
    if not claim - {_USER} or (strict and len(claim) < 2):
        return False
    # Cheap, and right about most pairs: cutting a text into tokens costs ten times as much.
    named = {token.key for token in tokenise(speaker)} if speaker else set()
    if not about.literal <= _terms(said) | named:
        return False
    found = False
    for sentence in _SENTENCES.split(said):
        told = _statement(sentence, me)
        if not claim <= told.keys:
            continue
        if about.negated != told.negated or _ends(about, told, sentence):
            return False
        found |= not told.asks and not (told.hedged and not about.hedged)
    return found


def _is_user(speaker: str | None, owner: str | None) -> bool:
    name = plain(speaker or "").strip()
    return name in _SELVES or name == plain(owner or "").strip()


def _ends(about: _Statement, told: _Statement, sentence: str) -> bool:
    if changes(sentence) or (told.words & vocabulary().endings) - about.words:
        return True
    # Only verbs are looked at: "hot tea" beside "cold" is another matter than "love" beside "hate".
    new_verbs = told.verbs - about.verbs
    return any(are_antonyms(one, other) for one in about.verbs - told.verbs for other in new_verbs)


@from_tables
def _user_phrases() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(vocabulary().user))) or r"(?!)", re.IGNORECASE)


@keyed_by_text
@functools.lru_cache(maxsize=20_000)
def _statement(text: str, me: str) -> _Statement:
    """A sentence as keys, "I" spelt as `me`."""
    known = vocabulary()
    tokens = tokenise(_user_phrases().sub(" user ", text))
    myself = {token.key for token in tokenise(me)}
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
        if _is_verb(token):
            if token.word not in known.states:
                verbs.add(token.key)
        elif _carries(token):
            claim.add(token.key)
            if _is_literal(token):
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


def _is_literal(token: Token) -> bool:
    """Whether the token's key is the index term of its own word: no synonym, number or accent in between."""
    plainly = token.kind == "word" and token.word.isascii() and token.word != _USER
    return plainly and token.word not in vocabulary().synonyms and terms(token.word) == [token.key]


def _is_verb(token: Token) -> bool:
    known = vocabulary()
    return token.kind == "word" and (token.word in known.verbs or token.key in known.verbs)


def _carries(token: Token) -> bool:
    """Whether leaving the token out would say something else."""
    known = vocabulary()
    if token.kind == "symbol" or token.word in known.light:
        return False
    dropped = known.neutral | known.adverbs | known.definite | known.indefinite
    return token.word not in dropped or token.kind != "word"


class Traits(NamedTuple):
    """What decides, before two statements are aligned, whether they can contradict each other at all."""

    terms: frozenset[str]
    words: frozenset[str]
    negated: int
    has_state: bool
    ends: bool


def traits(text: str) -> Traits:
    """The traits of a statement; `terms` are its content terms."""
    known = vocabulary()
    words = frozenset(token.word for token in tokenise(text))
    has_state = bool(words & (known.states | known.single))
    return Traits(term_set(text), words, len(negations(text)), has_state, bool(changes(text)))


def may_contradict(old: Traits, new: Traits) -> bool:
    """Whether an alignment of the two could find a contradiction or a new value: cheap, and never wrongly no.

    Half of the content must be shared, or the new one says that something has changed and shares some of it;
    and they differ in negation, hold opposites, or are both about a state.
    """
    shared, every = len(old.terms & new.terms), max(len(old.terms | new.terms), 1)
    if shared / every < (0.2 if new.ends else 0.5):
        return False
    if old.negated != new.negated or new.ends or (old.has_state and new.has_state):
        return True
    return any(are_antonyms(one, other) for one in old.words - new.words for other in new.words - old.words)
