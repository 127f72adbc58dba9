"""An upper bound on the scores of a short text, computed from its set of words alone.

A feature requires its word classes, a class one of its phrases, a phrase all its words. So the words, in any
order, bound the scores from above, and a text whose bound is below the thresholds is not parsed. The bound is
never below the score, so the verdict is the same with and without it.

The screen exists for speed: every write calls `judge`. It passes 96 to 99 % of LoCoMo's turns and makes `judge`
2.5 to 3 times faster on them (180 to 220 µs a turn instead of 540).
"""

from __future__ import annotations

import functools
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations
from operator import or_
from typing import Any

from combray.guard.context import STEPS, WITH
from combray.guard.disguises import FEWEST_TURNED, holds_digits, plain, turned_words
from combray.guard.features import EITHER, KINDS, NEEDS, WORD, classes_of, word_feature
from combray.guard.sentences import DOMAINS, Sentence
from combray.guard.vocabulary import (
    CLASS,
    FEWEST_FOREIGN,
    LATIN_WORD,
    Vocabulary,
    foreign_words,
    meant,
    spoken,
    vocabularies,
)
from combray.guard.weights import Weights, logistic, model
from combray.language.caches import from_tables, keyed_by_text
from combray.records import dataclass, replace

_RUN = re.compile(r"[a-z0-9']+")
_WORD = re.compile(r"[ぁ-ヿ㐀-鿿]|(?:(?![ぁ-ヿ㐀-鿿])[^\W_]|[@$](?=\w))+(?:'[^\W_]+)*")
"""A word as `sentences.py` tokenises it. A run is one word, or several with apostrophes between."""
_ALNUM = re.compile(r"[a-z0-9]+")
_PAIRS = re.compile(r"(?:(?:0x)?[0-9a-f]{2})+")
_ADDRESS = re.compile(rf"[.](?:{DOMAINS})(?!\w)|://|@|www[.]")
_BRACKETS = re.compile(r'[<\["]|###')
_MARKUP = re.compile(
    r'<[|</a-z]|\[(?:/?inst|system|developer|admin)|###|"\s{0,4}:|system prompt'
    r"|(?:system|developer|sysadmin|he thong|系统|系統|sistema|systeme)[^:]{0,20}:"
)
_ENDS = re.compile(r"[.!]+(?=\s)|[?;\n]")
"""Some of the places where `sentences.py` ends a sentence, and no others."""
_ROLES = frozenset(("system", "developer", "sysadmin", "thong", "sistema", "systeme"))
_LONGEST = 60
"""Longest run that is screened. Addresses have a length limit, so words in a longer run may start elsewhere."""
_BIT: Mapping[str, int] = {
    name: 1 << at
    for at, name in enumerate(
        sorted(
            {
                *chain(*NEEDS.values()),
                *chain(*chain(*EITHER.values())),
                *EITHER,
                *KINDS,
                *chain(*(language.classes for language in vocabularies())),
            }
        )
    )
}
_EITHER = tuple(
    (_BIT[name], tuple(sum(_BIT[each] for each in way) for way in ways)) for name, ways in EITHER.items()
)
_Phrase = tuple[frozenset[str], int]


@dataclass(frozen=True, slots=True)
class Floors:
    """Scores from which a judgement has consequences. 0: always; above 1: never."""

    score: float = 0.0
    attack: float = 0.0


@dataclass(frozen=True, slots=True)
class _Index:
    """A language's phrases with classes as bits: single words, and longer phrases by their rarest word."""

    single: dict[str, int]
    longer: dict[str, tuple[_Phrase, ...]]


@dataclass(frozen=True, slots=True)
class _Sight:
    """What a run may match in English, and whether it may be a role, digits, or encoded or foreign words."""

    words: tuple[str, ...] = ()
    classes: int = 0
    longer: tuple[_Phrase, ...] = ()
    role: bool = False
    digits: bool = False
    turned: int = 0
    foreign: int = 0
    lift: float = 0.0
    """Sum of the positive weights of its words as single-word features (third-party texts only)."""


_DULL = _Sight()


def is_quiet(text: str, floors: Floors) -> bool:
    """Whether a text is not disguised and no sentence of it can reach a floor. False: it must be parsed."""
    folded = plain(text)
    if folded is None or max(map(len, folded.split()), default=0) > _LONGEST:
        return False
    # The exact pattern takes three times as long.
    simple = folded.isascii() and "@" not in folded and "$" not in folded
    pattern = _RUN if simple else _WORD
    addressed = _ADDRESS.search(folded) is not None
    runs = _runs(folded, pattern, addressed)
    sights = _sights(runs)
    marked = not simple or any(sight.role for sight in sights) or _BRACKETS.search(folded)
    if marked and _MARKUP.search(folded):
        return False
    if any(sight.digits for sight in sights) and holds_digits(text):
        return False
    if sum([sight.turned for sight in sights]) >= FEWEST_TURNED and turned_words(text) >= FEWEST_TURNED:
        return False
    foreign = not simple or sum([sight.foreign for sight in sights]) >= FEWEST_FOREIGN
    languages = spoken(folded) if foreign else ()
    marks = (_BIT["address"] if addressed else 0) | _BIT["colon"]
    if not _reach(runs, marks | _elsewhere(runs, languages), floors):
        return True
    # An address may swallow the end of its sentence; a line break always ends one.
    pieces = folded.split("\n") if addressed else _ENDS.split(folded)
    for piece in pieces if len(pieces) > 1 else ():
        runs = _runs(piece, pattern, addressed)
        if _reach(runs, marks | _elsewhere(runs, languages), floors):
            return False
    return len(pieces) > 1


def _runs(folded: str, pattern: re.Pattern[str], addressed: bool) -> set[str]:
    runs = set(pattern.findall(folded))
    if addressed and "'" in folded:
        # An address ends at an apostrophe, so any part between apostrophes may be a word.
        for parts in [run.split("'") for run in runs if "'" in run]:
            spans = combinations(range(len(parts) + 1), 2)
            runs.update(["'".join(parts[start:end]) for start, end in spans])
    return runs


class _Dull:
    """Words that mean nothing to the guard, by language. Most words do, and sets are compared far faster."""

    def __init__(self) -> None:
        self._words: dict[tuple[str, ...], set[str]] = {}

    def of(self, languages: tuple[str, ...]) -> set[str]:
        words = self._words.setdefault(languages, set())
        if len(words) > _MOST_DULL:
            words = self._words[languages] = set()
        return words

    def cache_clear(self) -> None:
        self._words = {}


_MOST_DULL = 50_000
_dull = keyed_by_text(_Dull())


def _sights(runs: set[str]) -> list[_Sight]:
    """Return what the runs may match in English, without those that match nothing."""
    dull, found = _dull.of(("en",)), []
    for run in runs - dull:
        sight = _sight(run)
        if sight is _DULL:
            dull.add(run)
        else:
            found.append(sight)
    return found


def _elsewhere(words: set[str], languages: Sequence[Vocabulary]) -> int:
    """Return the classes of the words in all languages but English, which is the first."""
    if len(languages) < 2:
        return 0
    # Runs may end in an apostrophe ("di'"), which is no part of a word.
    words = words.union(part for word in words if "'" in word for part in _WORD.findall(word))
    others = tuple(each.language for each in languages[1:])
    dull, present = _dull.of(("", *others)), 0
    indexes = [_index(each) for each in others]
    for word in words - dull:
        parts = {word, *meant(word)}
        if any(not parts.isdisjoint(index.longer) for index in indexes):
            # A phrase may need any of the words.
            mended = words.union(part for word in words for part in meant(word))
            return functools.reduce(or_, [_classes(mended, index) for index in indexes])
        classes = functools.reduce(or_, [_classes(parts, index) for index in indexes])
        if not classes:
            dull.add(word)
        present |= classes
    return present


def _reach(runs: set[str], present: int, floors: Floors, lift: float = 0.0) -> bool:
    sights = _sights(runs)
    longer = [phrase for sight in sights for phrase in sight.longer]
    for sight in sights:
        present |= sight.classes
    # `fsum`: the order of a set differs between processes, and with it the last digits of a sum.
    lift = math.fsum((lift, *(sight.lift for sight in sights)))
    if longer:
        words = set(runs).union(*[sight.words for sight in sights])
        for others, classes in longer:
            if others <= words:
                present |= classes
    # Rounded up, so that there are few distinct sums and most results are cached.
    return _reaches(present, math.ceil(4 * lift), floors.score, floors.attack)


class Sieve:
    """Which sentences of a text can reach a floor, and are therefore analysed."""

    def __init__(self, languages: Sequence[Vocabulary], floors: Floors, *, disguised: bool) -> None:
        self._languages = languages
        self._floors = floors
        self._marks = _BIT["disguised"] if disguised else 0
        self._open = floors.score <= 0.0 or floors.attack <= 0.0

    def passes(self, sentence: Sentence, distance: float | None) -> bool:
        """Whether a sentence can reach a floor. `distance` from its text; None without word vectors."""
        if self._open:
            return True
        present = self._marks
        for kind in sentence.others:
            present |= _BIT.get(kind, 0)
        words = set(sentence.words)
        lift = 0.0 if distance is None else _caps()[bisect_right(STEPS, distance)] if distance >= 0.0 else 0.0
        return _reach(words, present | _elsewhere(words, self._languages), self._floors, lift)

    def holds(self, sentence: Sentence, kinds: frozenset[str]) -> bool:
        """Whether a sentence has a phrase or token of one of these classes."""
        if not kinds.isdisjoint(sentence.others):
            return True
        words = [part for word in sentence.words for part in meant(word)]
        places: dict[str, list[tuple[int, int]]] = {}
        for each in self._languages:
            _part(each.language, kinds).find(words, places)
        return bool(places)


@functools.cache
def _caps() -> tuple[float, ...]:
    """Return the most that the distance adds to a sum, by the number of steps reached."""
    context = model().context
    if context is None:
        return (0.0,) * (len(STEPS) + 1)
    weights = context.weights
    raised = [
        sum(
            [
                max(0.0, weights.weights.get(f"far:{at}{kind}", 0.0))
                for kind in ("", *(f"&{each}" for each in WITH))
            ]
        )
        for at in range(len(STEPS))
    ]
    return tuple(max(0.0, weights.bias + sum(raised[:count])) for count in range(len(STEPS) + 1))


@functools.lru_cache(maxsize=20_000)
def _reaches(present: int, lift: int, score: float, attack: float) -> bool:
    """Whether a sentence with these classes and word weights (in quarters) can reach one of the scores."""
    for bit, ways in _EITHER:
        if any(present & way == way for way in ways):
            present |= bit
    outside, owner = _limits()
    return outside.reaches(present, lift / 4, score) or owner.reaches(present, 0.0, attack)


def _classes(words: set[str], index: _Index) -> int:
    present = 0
    for word in words & index.single.keys():
        present |= index.single[word]
    for word in words & index.longer.keys():
        for others, bits in index.longer[word]:
            if others <= words:
                present |= bits
    return present


@functools.lru_cache(maxsize=20_000)
def _sight(run: str) -> _Sight:
    words = {part for word in _WORD.findall(run) for part in meant(word)}
    english = _index("en")
    weights = model().outside.weights
    sight = _Sight(
        words=tuple(sorted(words - {run})),
        classes=functools.reduce(or_, [english.single.get(word, 0) for word in words], 0),
        longer=tuple(phrase for word in sorted(words) for phrase in english.longer.get(word, ())),
        role=run in _ROLES,
        digits=any(_PAIRS.fullmatch(part) for part in _ALNUM.findall(run)),
        turned=turned_words(run),
        foreign=len(foreign_words().intersection(LATIN_WORD.findall(run))),
        lift=sum([max(0.0, weights.get(word_feature(word), 0.0)) for word in sorted(words)]),
    )
    return _DULL if sight == _DULL else sight


@dataclass(frozen=True)
class _Limit:
    """One table of weights as an upper bound: positive weights only.

    needed: (classes, weight) of named features; alone: weight by class; paired: weight by two classes.
    """

    bias: float
    needed: tuple[tuple[int, float], ...]
    alone: dict[int, float]
    paired: dict[int, float]

    def reaches(self, present: int, lift: float, floor: float) -> bool:
        """Whether a sentence with these classes and words of weight `lift` can have a score of `floor`."""
        if floor > 1.0:
            return False
        bits = [bit for bit in self.alone if present & bit]
        total = self.bias + lift + sum([self.alone[bit] for bit in bits])
        total += sum([weight for classes, weight in self.needed if present & classes == classes])
        paired = self.paired
        total += sum([paired.get(one | other, 0.0) for one, other in combinations(bits, 2)])
        # The order of summation changes the last digits.
        return logistic(total + 1e-9) >= floor


@functools.cache
def _limits() -> tuple[_Limit, _Limit]:
    """Return the bounds for third-party texts and for the owner's."""
    return _limit(model().outside), _limit(model().owner)


def _limit(weighed: Weights) -> _Limit:
    needed: list[tuple[int, float]] = []
    alone, paired = dict.fromkeys(_BIT.values(), 0.0), dict[int, float]()
    for name, weight in weighed.weights.items():
        if weight <= 0 or name[0] == WORD:
            continue
        classes = classes_of(name)
        bits = sum({_BIT[each] for each in classes or NEEDS.get(name, ())})
        if not classes:
            needed.append((bits, weight))
        elif len(classes) == 1:
            alone[bits] += weight
        else:
            paired[bits] = paired.get(bits, 0.0) + weight
    used = [bit for bit in alone if alone[bit] or any(bit & both for both in paired)]
    return _Limit(weighed.bias, tuple(needed), {bit: alone[bit] for bit in used}, paired)


@from_tables
def _index(language: str) -> _Index:
    tree = next(each.tree for each in vocabularies() if each.language == language)
    phrases = [(words, bits) for words, bits in _phrases(tree, ()) if bits]
    many = Counter(word for words, _ in phrases for word in set(words))
    index = _Index({}, {})
    for words, bits in phrases:
        if len(words) == 1:
            index.single[words[0]] = bits
        else:
            rarest = min(words, key=lambda word: (many[word], -len(word), word))
            index.longer[rarest] = (*index.longer.get(rarest, ()), (frozenset(words), bits))
    return index


@from_tables
def _part(language: str, kinds: frozenset[str]) -> Vocabulary:
    """Return a language's vocabulary with the phrases of these classes only: it is faster to search."""
    whole = next(each for each in vocabularies() if each.language == language)
    return replace(whole, tree=_pruned(whole.tree, kinds))


def _pruned(node: Mapping[str, Any], kinds: frozenset[str]) -> dict[str, Any]:
    kept = {
        word: [name for name in below if name in kinds] if word == CLASS else _pruned(below, kinds)
        for word, below in node.items()
    }
    return {word: below for word, below in kept.items() if below}


def _phrases(node: Mapping[str, Any], words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    for word, below in node.items():
        if word == CLASS:
            yield words, sum(_BIT.get(name, 0) for name in below)
        else:
            yield from _phrases(below, (*words, word))
