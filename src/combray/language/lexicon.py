"""The word lists of each language (`<code>/words.json`), and patterns made from phrases."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property

import msgspec

from combray.language.folding import fold, is_unspaced, runs
from combray.language.tables import section


class Causality(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases that state that one thing caused, enabled or prevented another."""

    causes: list[str] = []
    enables: list[str] = []
    prevents: list[str] = []


class Polarity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that reverse a statement.

    negations: words and phrases that negate; contracted: contractions and their expansions ("dont": "not");
    affirmative: phrases that hold a negation but do not negate ("not only"); changes: phrases that state that
    an earlier state has ended; accented_only: phrases too ambiguous without their accents; prefixes: prefixes
    that make a word its opposite ("un"); antonyms: pairs that exclude each other.
    """

    negations: list[str] = []
    contracted: dict[str, str] = {}
    affirmative: list[str] = []
    changes: list[str] = []
    accented_only: list[str] = []
    prefixes: list[str] = []
    antonyms: list[tuple[str, str]] = []


class Claims(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that statements are made of.

    neutral: words that can be added or removed without changing a statement ("the", "really"); hedges: words that
    change the claim when added or removed ("might", "if", "by"); synonyms: groups of words of one meaning; verbs:
    frequent verbs, where the subject ends; adverbs: words between subject and verb ("never", "still");
    single: words of a property with one value at a time ("favourite"); states: verbs whose number or date is
    one value at a time ("is", "has"); indefinite: articles of something new; definite: words before something
    known; owner_before, owner_after: what follows or precedes an owner ("'s", "của"); measures: groups of
    spellings of one unit; numbers: number words; endings: verbs that end what the word after them says ("quit");
    light: words that carry no claim; user: names of the user of a program that the tokeniser would split.
    """

    neutral: list[str] = []
    hedges: list[str] = []
    synonyms: list[list[str]] = []
    verbs: list[str] = []
    single: list[str] = []
    states: list[str] = []
    indefinite: list[str] = []
    definite: list[str] = []
    adverbs: list[str] = []
    owner_before: list[str] = []
    owner_after: list[str] = []
    measures: list[list[str]] = []
    numbers: dict[str, str] = {}
    endings: list[str] = []
    light: list[str] = []
    user: list[str] = []


class Cues(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that indicate the type of answer a text holds.

    numbers: number words, or the digits of an unspaced script; counters: what follows such a digit when
    something is counted; reasons: words and phrases before a reason; before_places: words before the name of
    a place; articles: words between those and the name.
    """

    numbers: list[str] = []
    counters: list[str] = []
    reasons: list[str] = []
    before_places: list[str] = []
    articles: list[str] = []


class Speaker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words for who speaks and who is spoken to: pronouns, and nouns for the user.

    i: first person singular; me: those that a question about the speaker ends in ("about me"); you: second
    person, none where the verb alone says it; all: indefinite pronouns; user: nouns for the speaker in notes of
    an assistant.
    """

    all: list[str] = []
    i: list[str] = []
    me: list[str] = []
    you: list[str] = []
    user: list[str] = []


class WordLists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of one language. Every key is optional, and letter case does not matter.

    letters: letters that distinguish the language from others in its script; calendar: names of days, months
    and days relative to today; not_names: capitalised words that are not names; homographs: everyday words that
    are spelt like a stop word of another language and are no sign of it ("car"); pronouns: by person; forms:
    irregular forms and everyday synonyms by the word they are indexed as ("go": ["went", "gone"]);
    particles: endings stripped from a word (Korean); fillers: characters of an unspaced script that carry no
    topic; asked: phrases of a question by the kind of answer it wants ("number", "reason", "place", "person",
    "title").
    """

    letters: str = ""
    stopwords: list[str] = []
    question_words: list[str] = []
    request_words: list[str] = []
    particles: list[str] = []
    fillers: str = ""
    calendar: list[str] = []
    not_names: list[str] = []
    homographs: list[str] = []
    pronouns: dict[str, list[str]] = {}
    speaker: Speaker = Speaker()
    intent: dict[str, list[str]] = {}
    causality: Causality = Causality()
    polarity: Polarity = Polarity()
    claims: Claims = Claims()
    cues: Cues = Cues()
    asked: dict[str, list[str]] = {}
    forms: dict[str, list[str]] = {}


word_lists = section("words", WordLists)


def folded(words: Iterable[str]) -> list[str]:
    """Return every word or phrase folded, in order. One call of `fold` for all keeps the first use fast."""
    joined = "\n".join(words)
    return fold(joined).split("\n") if joined else []


def phrases(pick: Callable[[WordLists], Iterable[str]]) -> set[str]:
    """Return the folded phrases that `pick` takes from every language."""
    return set(folded(phrase for table in word_lists().values() for phrase in pick(table)))


def matcher(wanted: Iterable[str], *more: str) -> re.Pattern[str]:
    """Return a pattern that finds any of the phrases, the longest first, or a match of the further patterns.

    Phrases match whole words only. Scripts written without spaces have no word boundaries, so their phrases match
    anywhere. Phrases and text must be folded alike.
    """
    spaced: list[str] = []
    unspaced: list[str] = []
    for phrase in sorted(set(wanted), key=lambda phrase: (-len(phrase), phrase)):
        (unspaced if is_unspaced(phrase) else spaced).append(r"\s+".join(map(re.escape, phrase.split())))
    words = [rf"(?<![\w'])(?:{'|'.join(spaced)})(?!\w)"] if spaced else []
    return re.compile("|".join((*words, *unspaced, *more)) or r"(?!)")


Gated = tuple[Sequence[str], str]
"""Words of which a text with spaces has one if it matches, none for a pattern without; and the pattern."""


class Phrases:
    """A `matcher` that is only tried on texts that hold all words of one of its phrases.

    A match is a whole phrase, so each run of letters and digits of the phrase is one of the text. Looking words
    up is ten times faster than the pattern, and most texts hold none of them. Only the phrases that a text may
    hold are compiled: a shell call would wait for thousands. `patterns` are found by `search` alone.
    """

    def __init__(self, wanted: Iterable[str], patterns: Iterable[Gated] = ()) -> None:
        self._wanted, self._patterns = sorted(set(wanted)), tuple(patterns)

    @cached_property
    def _gated(self) -> dict[str, list[str]]:
        """Patterns by a word that they need; under "" those of scripts without spaces, under " " the others."""
        found: dict[str, list[str]] = {"": [], " ": []}
        for gates, pattern in self._patterns:
            for gate in gates or ("" if is_unspaced(pattern) else " ",):
                found.setdefault(gate, []).append(pattern)
        return found

    @cached_property
    def _gates(self) -> frozenset[str]:
        return frozenset(self._gated) - {"", " "}

    @cached_property
    def _unspaced(self) -> list[str]:
        return [phrase for phrase in self._wanted if is_unspaced(phrase)]

    @cached_property
    def _by_word(self) -> dict[str, list[tuple[frozenset[str], str]]]:
        """Spaced phrases by their longest word, each with its other words; those without a word under ""."""
        found: dict[str, list[tuple[frozenset[str], str]]] = {}
        for phrase in self._wanted:
            if phrase.isascii() or not is_unspaced(phrase):
                words = runs(phrase)
                longest = max(words, key=len, default="")
                found.setdefault(longest, []).append((frozenset(words) - {longest}, phrase))
        return found

    @cached_property
    def _wordless(self) -> list[str]:
        return [phrase for _, phrase in self._by_word.get("", ())]

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(self._by_word) - {""}

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern of all phrases."""
        return matcher(self._wanted)

    def may_be_in(self, text: str, words: Collection[str]) -> bool:
        """Whether the text may hold a phrase; `words` are the distinct `folding.runs` of the text."""
        return bool(self._possible(text, words))

    def within(self, text: str, words: Collection[str] | None = None) -> re.Pattern[str] | None:
        """Return a pattern of the phrases that the text may hold, which finds what `pattern` does."""
        possible = self._possible(text, runs(text) if words is None else words)
        return _matcher_of(tuple(possible)) if possible else None

    def search(self, text: str, words: Collection[str] | None = None) -> bool:
        """Return whether the text holds a phrase or a match of a pattern; `words` as in `may_be_in`."""
        words = runs(text) if words is None else words
        if any(_stands_in(phrase, text) for phrase in self._possible(text, words)):
            return True
        if not self._patterns:
            return False
        gates = [*self._gates.intersection(words), " ", *([""] if is_unspaced(text) else [])]
        return any(_compiled(pattern).search(text) for gate in gates for pattern in self._gated[gate])

    def all_in(self, text: str, words: Collection[str] | None = None) -> list[str]:
        """Return the phrases in the text, in order."""
        pattern = self.within(text, words)
        return [] if pattern is None else pattern.findall(text)

    def _possible(self, text: str, words: Collection[str]) -> list[str]:
        """Return the phrases of which the text holds all words; in text without spaces all such phrases."""
        found = self._words.intersection(words)
        possible = list(self._wordless)
        if found:
            every = words if isinstance(words, frozenset) else frozenset(words)
            possible += [
                phrase for word in sorted(found) for others, phrase in self._by_word[word] if others <= every
            ]
        return possible + self._unspaced if self._unspaced and is_unspaced(text) else possible


# Compiled when first tried: all of them at once would cost every process 60 ms.
_compiled = functools.cache(re.compile)
_JOINED = ("'", "_")


def _stands_in(phrase: str, text: str) -> bool:
    """Return whether `matcher` finds a phrase. A single word takes no pattern, which takes long to compile."""
    if len(phrase.split()) != 1 or phrase.strip() != phrase:
        return _matcher_of((phrase,)).search(text) is not None
    if is_unspaced(phrase):
        return phrase in text
    start = text.find(phrase)
    while start >= 0:
        before, behind = text[start - 1 : start], text[start + len(phrase) : start + len(phrase) + 1]
        if not (before in _JOINED or before.isalnum() or behind == "_" or behind.isalnum()):
            return True
        start = text.find(phrase, start + 1)
    return False


@functools.lru_cache(maxsize=1024)
def _matcher_of(wanted: tuple[str, ...]) -> re.Pattern[str]:
    return matcher(wanted)


class Finder:
    """Finds phrases as spelt, and in ASCII text also without their accents, except `accented_only` ones.

    The phrases must be `plain`.
    """

    def __init__(
        self, spelt: set[str], accented_only: Collection[str] = (), patterns: Iterable[Gated] = ()
    ) -> None:
        bare = {phrase if phrase in accented_only else fold(phrase) for phrase in spelt}
        patterns = tuple(patterns)
        self._spelt, self._bare = Phrases(spelt, patterns), Phrases(filter(str.isascii, bare), patterns)

    def of(self, text: str) -> Phrases:
        """Return the phrases for this text, which must be `plain`."""
        return self._bare if text.isascii() else self._spelt

    def pattern(self, text: str) -> re.Pattern[str]:
        """Return the pattern for this text, which must be `plain`."""
        return self.of(text).pattern
