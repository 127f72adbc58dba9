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
from collections.abc import Sequence
from itertools import chain, combinations
from operator import or_

from combray.guard.bounds import reaches
from combray.guard.context import STEPS, WITH
from combray.guard.disguises import FEWEST_TURNED, TURNED_WORDS, holds_digits, plain, turned_words
from combray.guard.features import WORD, word_feature
from combray.guard.phrases import BIT, Phrase, classes_in, index_of, part_of
from combray.guard.sentences import DOMAINS, Sentence
from combray.guard.vocabulary import (
    FEWEST_FOREIGN,
    LATIN_WORD,
    Vocabulary,
    foreign_words,
    meant,
    spoken,
)
from combray.guard.weights import model
from combray.language.caches import from_tables, keyed_by_text
from combray.records import dataclass

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
_USUAL = 20
"""Longest word that is compared with whole words only: of a longer one, parts may be reversed words."""
_LONGEST = 60
"""Longest run that is screened. Addresses have a length limit, so words in a longer run may start elsewhere."""


@dataclass(frozen=True, slots=True)
class Floors:
    """Scores from which a judgement has consequences. 0: always; above 1: never."""

    score: float = 0.0
    attack: float = 0.0


@dataclass(frozen=True, slots=True)
class _Sight:
    """What a run may match in English, and whether it may be a role, digits, or encoded or foreign words."""

    words: tuple[str, ...] = ()
    classes: int = 0
    longer: tuple[Phrase, ...] = ()
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
    elsewhere = _Elsewhere(spoken(folded) if foreign else ())
    marks = (BIT["address"] if addressed else 0) | BIT["colon"] | (BIT["snake"] if "_" in folded else 0)
    if not _reach(runs, marks | elsewhere.classes(runs), floors):
        return True
    # An address may swallow the end of its sentence; a line break always ends one.
    pieces = folded.split("\n") if addressed else _ENDS.split(folded)
    for piece in pieces if len(pieces) > 1 else ():
        runs = _runs(piece, pattern, addressed)
        if _reach(runs, marks | elsewhere.classes(runs), floors):
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
    dull, notable, found = _dull.of(("en",)), _notable(), []
    for run in runs - dull:
        plain_word = run not in notable and len(run) <= _USUAL and run.isascii() and run.isalpha()
        sight = _DULL if plain_word and _is_dull(run) else _sight(run)
        if sight is _DULL:
            dull.add(run)
        else:
            found.append(sight)
    return found


def _is_dull(word: str) -> bool:
    """Whether `_sight` finds nothing in a word that is not notable: most words, at a sixth of its cost."""
    return meant(word) == (word,) and not _PAIRS.fullmatch(word)


@from_tables
def _notable() -> frozenset[str]:
    """Return the words that `_sight` finds something in, but for corrected ones and digits."""
    english = index_of("en")
    weighty = [name[len(WORD) :] for name, weight in model().outside.weights.items() if weight > 0]
    return frozenset((*english.single, *english.longer, *weighty, *_ROLES, *TURNED_WORDS, *foreign_words()))


@from_tables
def _notable_in(languages: tuple[str, ...]) -> frozenset[str]:
    indexes = map(index_of, languages)
    return frozenset(chain.from_iterable((*each.single, *each.longer) for each in indexes))


class _Elsewhere:
    """The classes of words in all languages of a text but English, which is the first."""

    def __init__(self, languages: Sequence[Vocabulary]) -> None:
        others = tuple(each.language for each in languages[1:])
        self._indexes = [index_of(each) for each in others]
        self._notable = _notable_in(others)
        self._dull = _dull.of(("", *others)) if others else set[str]()

    def classes(self, words: set[str]) -> int:
        indexes, dull, present = self._indexes, self._dull, 0
        for word in words - dull if indexes else ():
            parts = {part for each in _with_stem(word) for part in (each, *meant(each))}
            if parts.isdisjoint(self._notable):
                dull.add(word)
                continue
            if any(not parts.isdisjoint(index.longer) for index in indexes):
                # A phrase may need any of the words.
                every = [each for word in words for each in _with_stem(word)]
                mended = {part for each in every for part in (each, *meant(each))}
                return functools.reduce(or_, [classes_in(mended, index) for index in indexes])
            for index in indexes:
                present |= classes_in(parts, index)
        return present


def _with_stem(word: str) -> Sequence[str]:
    """Return a run and its words: it may end in an apostrophe ("di'"), which is no part of a word."""
    return (word, *_WORD.findall(word)) if "'" in word else (word,)


def _reach(runs: set[str], present: int, floors: Floors, lift: float = 0.0) -> bool:
    sights = _sights(runs)
    longer: list[Phrase] = []
    for sight in sights:
        present |= sight.classes
        if sight.longer:
            longer += sight.longer
    if floors.score <= 1.0:
        # `fsum`: the order of a set differs between processes, and with it the last digits of a sum.
        lift = math.fsum((lift, *[sight.lift for sight in sights]))
    if longer:
        words = runs.union(*[sight.words for sight in sights if sight.words])
        for others, classes in longer:
            if others <= words:
                present |= classes
    # Rounded up, so that there are few distinct sums and most results are cached.
    return reaches(present, math.ceil(4 * lift), floors.score, floors.attack)


class Sieve:
    """Which sentences of a text can reach a floor, and are therefore analysed."""

    def __init__(
        self, every: Sequence[Sentence], languages: Sequence[Vocabulary], floors: Floors, *, disguised: bool
    ) -> None:
        self._languages = languages
        self._elsewhere = _Elsewhere(languages)
        self._floors = floors
        self._marks = BIT["disguised"] if disguised else 0
        self._open = floors.score <= 0.0 or floors.attack <= 0.0
        self._words = set().union(*[each.words for each in every])
        self._phrases: dict[frozenset[str], list[frozenset[str]]] = {}
        """By classes: what `_of_text` returns."""

    @functools.cached_property
    def _altered(self) -> set[str]:
        """Words of the text that are corrected: none that mean nothing."""
        return {word for word in self._words - _dull.of(("en",)) if meant(word) != (word,)}

    def passes(self, sentence: Sentence, distance: float | None) -> bool:
        """Whether a sentence can reach a floor. `distance` from its text; None without word vectors."""
        if self._open:
            return True
        present = self._marks
        for kind in sentence.others:
            present |= BIT.get(kind, 0)
        words = set(sentence.words)
        lift = 0.0 if distance is None else _caps()[bisect_right(STEPS, distance)] if distance >= 0.0 else 0.0
        return _reach(words, present | self._elsewhere.classes(words), self._floors, lift)

    def holds(self, sentence: Sentence, kinds: frozenset[str]) -> bool:
        """Whether a sentence has a phrase or token of one of these classes."""
        if not kinds.isdisjoint(sentence.others):
            return True
        if kinds not in self._phrases:
            self._phrases[kinds] = self._of_text(kinds)
        distinct = self._mended(set(sentence.words))
        if not any(phrase <= distinct for phrase in self._phrases[kinds]):
            return False
        words = [each for word in sentence.words for each in meant(word)]
        places: dict[str, list[tuple[int, int]]] = {}
        for each in self._languages:
            part_of(each.language, kinds).find(words, places)
        return bool(places)

    def _of_text(self, kinds: frozenset[str]) -> list[frozenset[str]]:
        """Return the phrases of these classes all words of which are in the text: few are, of hundreds."""
        words = self._mended(self._words)
        found: list[frozenset[str]] = []
        for each in self._languages:
            index = index_of(each.language, kinds)
            found += [frozenset((word,)) for word in words & index.single.keys()]
            longer = [phrase for word in words & index.longer.keys() for phrase, _ in index.longer[word]]
            found += [phrase for phrase in longer if phrase <= words]
        return found

    def _mended(self, words: set[str]) -> set[str]:
        """Return words of the text, corrected."""
        altered = words & self._altered
        return words.difference(altered).union(*map(meant, altered)) if altered else words


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
def _sight(run: str) -> _Sight:
    words = {part for word in _WORD.findall(run) for part in meant(word)}
    english = index_of("en")
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
