"""Negation, change and opposites: the reasons why two similar sentences say different things.

Only whole words match ("notice" does not hold "not"), and phrases that only look negative ("not only", 不错) are
excluded. The words are data (`polarity` in words.json).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from combray.language.caches import from_tables
from combray.language.folding import fold, is_unspaced, plain
from combray.language.lexicon import Polarity, word_lists
from combray.language.marks import Lists, Marks
from combray.language.text import Text, Written, plain_of, plain_words, read_once

_NEGATED = re.compile(r"n't(?!\w)")


def _negations(polarity: Polarity) -> list[str]:
    contracted = polarity.contracted.items()
    return polarity.negations + [word for word, full in contracted if set(full.split()) & {*polarity.negations}]


@from_tables
def _lists() -> Lists:
    """Negations, phrases that only look like one, changes, and antonyms that no token holds whole."""
    listed = [table.polarity for table in word_lists().values()]
    phrases = {
        "negations": [phrase for each in listed for phrase in _negations(each)],
        "affirmative": [phrase for each in listed for phrase in each.affirmative],
        "changes": [phrase for each in listed for phrase in each.changes],
        "long": [word for word in _opposites() if " " in word or is_unspaced(word)],
    }
    accented = {plain(phrase) for each in listed for phrase in each.accented_only}
    spelt = {name: {_NEGATED.sub("nt", plain(each)) for each in found} for name, found in phrases.items()}
    return Lists(spelt, bare=lambda phrase: phrase not in accented)


@read_once
def _marks(text: Text) -> Marks:
    return _lists().of(plain_of(text), plain_words(text))


@read_once
def negations(text: Text) -> tuple[str, ...]:
    """Return the words that negate, in order, in the spelling of `plain`; "don't" is given as "dont"."""
    marks = _negated(text)
    return tuple(marks.all("negations")) if marks else ()


@read_once
def affirmed(text: Text) -> str:
    """Return a text in the spelling of `plain` without the words that negate."""
    marks = _negated(text)
    # Between characters of an unspaced script a space would part two words.
    return marks.without("negations", "" if is_unspaced(marks.text) else " ") if marks else plain_of(text)


@read_once
def _negated(text: Text) -> Marks | None:
    """Return the marks of a text without the phrases that only look like a negation; None for most texts."""
    marks = _marks(text)
    if "n't" in marks.text:
        marks = _lists().of(_NEGATED.sub("nt", marks.text))
    if marks.pattern("negations") is None:
        return None
    return marks if marks.pattern("affirmative") is None else _lists().of(marks.without("affirmative"))


@read_once
def changes(text: Text) -> tuple[str, ...]:
    """Return the phrases, in order, that state that an earlier state has ended ("no longer", 不再)."""
    return tuple(_marks(text).all("changes"))


def same_polarity(old: Written, new: Written) -> bool:
    """Return whether two similar statements have equally many negations; two do not cancel out."""
    return len(negations(old)) == len(negations(new))


@from_tables
def _opposites() -> dict[str, frozenset[str]]:
    """Return the opposites of every word of the antonym pairs, as written and folded."""
    found: dict[str, set[str]] = {}
    for table in word_lists().values():
        for pair in table.polarity.antonyms:
            for spell in (plain, fold):
                first, second = map(spell, pair)
                found.setdefault(first, set()).add(second)
                found.setdefault(second, set()).add(first)
    return {word: frozenset(others) for word, others in found.items()}


@from_tables
def _prefixes() -> tuple[str, ...]:
    return tuple(prefix for table in word_lists().values() for prefix in table.polarity.prefixes)


@read_once
def _long_words(text: Text) -> tuple[str, ...]:
    """Return the distinct long antonyms of a text, in order."""
    return tuple(dict.fromkeys(_marks(text).all("long")))


def are_antonyms(one: str, other: str) -> bool:
    """Return whether two words exclude each other by the table, or one is the other with a negative prefix."""
    one, other = plain(one), plain(other)
    if other in _opposites().get(one, ()):
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= 4 and any(long == prefix + short for prefix in _prefixes())


def _paired(*sides: Iterable[str]) -> list[tuple[str, str]]:
    """Return every pair of an old and a new word that `are_antonyms`, in order, in linear time."""
    old, new = ([(word, plain(word)) for word in words] for words in sides)
    if not old or not new:
        return []
    opposites = _opposites()
    there = {spelt for _, spelt in new}
    prefixed: dict[str, set[str]] = {}
    for spelt in there:
        for base in _bases(spelt):
            prefixed.setdefault(base, set()).add(spelt)
    pairs = []
    for one, spelt in old:
        wanted = {*opposites.get(spelt, ()), *_bases(spelt), *prefixed.get(spelt, ())} & there
        pairs += [(one, other) for other, second in new if second in wanted] if wanted else []
    return pairs


def _bases(word: str) -> list[str]:
    """Return the words of four letters or more that the word negates by a prefix."""
    if not word.startswith(_prefixes()):
        return []
    return [word[len(each) :] for each in _prefixes() if word.startswith(each) and len(word) - len(each) >= 4]


def antonyms(
    old: Written, new: Written, old_words: Iterable[str] = (), new_words: Iterable[str] = ()
) -> list[tuple[str, str]]:
    """Return pairs of opposites, one only in the old text, the other only in the new one.

    `old_words` and `new_words` are the spaced words that are in one text only. Antonyms in scripts without
    spaces, and those of several words, are searched in the texts.
    """
    pairs = _paired(old_words, new_words)
    in_old, in_new = _long_words(old), _long_words(new)
    opposites = _opposites()
    only_new = [word for word in in_new if word not in in_old]
    pairs += [
        (one, other) for one in in_old if one not in in_new for other in only_new if other in opposites[one]
    ]
    return list(dict.fromkeys(pairs))
