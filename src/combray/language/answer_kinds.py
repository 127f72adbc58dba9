"""Kinds of answer: a question for a colour is answered by a text that names one.

Finer than `cues`, which stores keep: these are read from the few texts of a shortlist. Words and patterns are
data (`<code>/answers.json`).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Literal, NamedTuple

import msgspec

from combray.language.asked_words import asks_several
from combray.language.caches import from_tables, keyed_by_text
from combray.language.families import families
from combray.language.folding import fold, is_unspaced, plain, runs
from combray.language.given_names import given_names
from combray.language.late import late
from combray.language.lexicon import Phrases, folded
from combray.language.scripts import language
from combray.language.tables import section
from combray.language.text import fold_of, fold_words, passing, plain_of, plain_words, question_of
from combray.language.tokens import is_stop, terms
from combray.records import dataclass

KEPT = 4096
"""Texts of which it is remembered what kinds they hold."""


class _Kind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """asked: phrases of a question for it; asks: patterns over such a question in plain spelling.

    held: words of a text that has one; patterns: over such a text; names: whether a name that the question does
    not hold is one; open: whether texts hold it in ways that no list has, so that its absence is only a sign.
    """

    asked: list[str] = []
    asks: list[str] = []
    held: list[str] = []
    patterns: list[str] = []
    names: bool = False
    open: bool = False


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """voice: words of a question by what they show (`Voice`); listing: questions for all of several things."""

    kinds: dict[str, _Kind] = {}
    listing: _Kind = _Kind()
    voice: dict[Literal["own", "self", "some", "method"], list[str]] = {}


_tables = section("answers", _Table)


@dataclass(frozen=True, slots=True, eq=False)
class AnswerKind:
    """A kind of answer in one language: patterns of questions for it, and of texts that hold it."""

    name: str
    language: str
    phrases: Phrases
    asks: re.Pattern[str] | None
    words: Phrases
    written: re.Pattern[str] | None
    names: bool
    open: bool

    def asked(self, question: str, words: frozenset[str]) -> re.Match[str] | None:
        """Return where a question in plain spelling asks for it; `words`: its `folding.runs`."""
        phrases = self.phrases.within(question, words)
        found = None if phrases is None else phrases.search(question)
        return found or (None if self.asks is None else self.asks.search(question))

    def held(self, text: str, question: Collection[str] = ()) -> bool:
        """Return whether a text holds an answer of this kind; `question`: folded words that are no answer."""
        return _held(self.name, self.language, text) or (self.names and not new_names(text).issubset(question))


@keyed_by_text
@functools.lru_cache(maxsize=KEPT)
def _held(name: str, asked_in: str, text: str) -> bool:
    # The text may be in another language than the question.
    read = fold(text)
    words = frozenset(runs(read))
    kinds = [kind for code in dict.fromkeys((asked_in, language(text))) for kind in _kinds_of(code)]
    # Patterns distinguish "may" from "May"; the capital of a sentence distinguishes nothing: "Ten were fired".
    inner = _FIRST.sub(lambda found: found[0].lower(), text)
    return any(
        kind.words.search(read, words)
        or (kind.written is not None and (kind.written.search(text) or kind.written.search(inner)))
        for kind in kinds
        if kind.name == name
    )


@keyed_by_text
@functools.lru_cache(maxsize=KEPT)
def new_names(text: str) -> frozenset[str]:
    """Return the folded names in a text: words with a capital inside a sentence, and rare ones at its start."""
    found = set()
    for match in _CAPITALISED.finditer(text):
        word = _CLITIC.sub("", match[0])
        if not word[:1].isupper():
            continue
        read = fold(word)
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        first = match.start() == 0 or _STARTS.search(before) is not None
        acts = first and _ACTS.match(text, match.end()) is not None
        if read not in _no_names() and (not first or acts or read in given_names() or _is_rare(read)):
            found.add(read)
    return frozenset(found)


def _is_rare(word: str) -> bool:
    """Whether a word at the start of a sentence may be a name: it is no word of a list."""
    return not is_stop(word) and not any(families(term) for term in terms(word))


_BEFORE = 6
_FIRST = late(r"(?:^|[.!?]\s)[^\W\d_]")
_CAPITALISED = late(r"[^\W\d_][\w'’-]*")
_CLITIC = late(r"['’]s?$")
_STARTS = late(r"(?:(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bMrs)[.!?•\n]|^)[\s\"“]*$")
_ACTS = late(
    r" (?:works|lives|plays|found|took|wants|says|said|owns|called|calls|hates|loves|likes|teaches|studies|told|"
    r"thinks|prefers|joined|left|asked|wrote|speaks|delivers|decided|manages|leads|bought|promised|"
    r"is my|is our)\b"
)
"""What people do, behind the first word of a sentence."""


@from_tables
def _no_names() -> frozenset[str]:
    """Words with a capital that name nobody: those of time, and of languages."""
    kinds = [kind for table in _tables().values() for name, kind in table.kinds.items() if name in _CALENDAR]
    listed = {fold(word) for kind in kinds for word in kind.held}
    return frozenset(listed | {"i", "i'm", "i've", "i'll", "i'd", "may", "mr", "mrs", "ms", "dr", "ok", "user"})


_CALENDAR = ("time", "language", "day")


@from_tables
def _kinds_of(code: str) -> tuple[AnswerKind, ...]:
    table = _tables().get(code)
    english = _tables()["en"].kinds
    return (
        ()
        if table is None
        else tuple(
            AnswerKind(
                name,
                code,
                Phrases(map(plain, kind.asked)),
                _either(kind.asks),
                Phrases(folded(kind.held)),
                # Digits, signs and clock times are written alike in every language.
                _either([*kind.patterns, *(english[name].patterns if code != "en" and name in english else ())]),
                kind.names,
                kind.open,
            )
            for name, kind in table.kinds.items()
        )
    )


def _either(patterns: Sequence[str]) -> re.Pattern[str] | None:
    return late("|".join(f"(?:{each})" for each in patterns)) if patterns else None


def _any_of(patterns: Sequence[str]) -> re.Pattern[str] | None:
    """Return a pattern that is found where one of these is. Most of them are tried only where a word begins."""
    inside = [each[2:] for each in patterns if each.startswith(_WORD) and not _offers(each)]
    others = [each for each in patterns if not each.startswith(_WORD) or _offers(each)]
    return _either([*([f"{_WORD}(?:{'|'.join(inside)})"] if inside else []), *others])


def _offers(pattern: str) -> bool:
    """Return whether a pattern may have alternatives outside parentheses."""
    before = ""
    while before != pattern:
        before, pattern = pattern, _INMOST.sub("", pattern)
    return "|" in pattern


_WORD = r"\b"
_INMOST = late(r"\([^()]*\)")


@from_tables
def _signs_of(code: str) -> tuple[dict[str, frozenset[int]], frozenset[int], re.Pattern[str] | None]:
    """Return places of kinds by a word of their phrases, those of other phrases, and a pattern of all `asks`."""
    by_word: dict[str, set[int]] = {}
    always = set()
    for place, kind in enumerate(_kinds_of(code)):
        signs = kind.phrases.signs
        for word in signs or ():
            by_word.setdefault(word, set()).add(place)
        if signs is None:
            always.add(place)
    table = _tables().get(code)
    patterns = () if table is None else [each for kind in table.kinds.values() for each in kind.asks]
    return {word: frozenset(places) for word, places in by_word.items()}, frozenset(always), _any_of(patterns)


def _maybe(code: str, question: str, words: frozenset[str]) -> Iterable[AnswerKind]:
    """Return the kinds that a question in plain spelling may ask for, in order; `words`: its `folding.runs`."""
    every = _kinds_of(code)
    by_word, always, asks = _signs_of(code)
    if not every or is_unspaced(question) or (asks is not None and asks.search(question)):
        return every
    places = always.union(*[by_word[word] for word in words & by_word.keys()])
    return [every[place] for place in sorted(places)]


def asked_kinds(question: str) -> dict[str, tuple[AnswerKind, str]]:
    """Return the kinds that a question asks for, by name, each with the words that ask for it."""
    text = question_of(question)
    read = plain_of(text).strip(_MARKS)
    spoken, words = language(text), plain_words(text)
    found: dict[str, tuple[AnswerKind, str]] = {}
    person = False
    # A short question in English is often taken for another language.
    for kind in (*_maybe(spoken, read, words), *(() if spoken == "en" else _maybe("en", read, words))):
        if kind.name not in found:
            match = kind.asked(read, words)
            if match is not None:
                found[kind.name] = (kind, match[0])
                person = person or (kind.name == "person" and match.start() == 0)
    if person and len(found) > 1 and not asks_several(question):
        # "Who do I ask about my salary?" asks for a person and for no amount.
        found = {name: each for name, each in found.items() if name not in _MEASURED}
    return found


_MEASURED = frozenset(
    ("money", "phone", "mail", "age", "birthday", "time", "frequency", "number", "count", "size", "height",
     "weight", "temperature", "year", "date", "duration", "code")
)  # fmt: skip


class Voice(NamedTuple):
    """Signs that a question is about the asker ("my", "I") or about the world ("a", "how to")."""

    own: bool
    self: bool
    some: bool
    method: bool


@from_tables
def _voices() -> tuple[Phrases, ...]:
    listed = [table.voice for table in _tables().values()]
    names: tuple[Literal["own", "self", "some", "method"], ...] = ("own", "self", "some", "method")
    return tuple(Phrases(folded(word for each in listed for word in each.get(name, ()))) for name in names)


def voice(question: str) -> Voice:
    """Return the signs in a question. `method` counts at its start alone."""
    text = passing(question)
    read, words = fold_of(text).strip(_MARKS), fold_words(text)
    *present, methods = _voices()
    own, me, some = (phrases.search(read, words) for phrases in present)
    method = methods.within(read, words)
    return Voice(own, me, some, method is not None and method.match(read) is not None)


@from_tables
def _listing() -> tuple[Phrases, tuple[re.Pattern[str], ...]]:
    every = [table.listing for table in _tables().values()]
    phrases = Phrases(plain(phrase) for each in every for phrase in each.asked)
    return phrases, tuple(late(pattern) for each in every for pattern in each.asks)


def asks_list(question: str) -> bool:
    """Return whether a question asks for all of several things: "Which allergies do the children have?"."""
    text = question_of(question)
    read = plain_of(text).strip(_MARKS)
    phrases, patterns = _listing()
    return phrases.search(read, plain_words(text)) or any(pattern.search(read) for pattern in patterns)


_MARKS = " ?!.。？！¿¡"


def asked_kind(question: str) -> AnswerKind | None:
    """Return the first kind that a question asks for; None if it asks for none."""
    return next((kind for kind, _ in asked_kinds(question).values()), None)
