"""Detection: whether a text names a time, without resolving it."""

from __future__ import annotations

import itertools
import re

from combray.language.caches import from_tables, late
from combray.language.dates.lexer import DateTable, date_tables, has_characters, without_accents
from combray.language.folding import runs
from combray.language.text import Text, passing, read_once

# A year, a date in digits, or a time of day: the same in every language. The digit precedes the lookbehind, so
# that the regex engine jumps from digit to digit.
_NUMERIC = late(
    r"[0-9](?<!\w[0-9])(?:(?:(?<=1)9|(?<=2)0)\d\d(?!\d)"
    r"|\d?(?:/\d{1,2}\b|\.\d{1,2}\.\d{2,4}\b|:\d\d\b| ?[ap]m\b))",
    re.ASCII,
)
# The tokens of `lexer.tokenize` that are numbers or words, in a language with spaces: this compiles in no time.
_WORD = late(r"\d+|[^\W\d_]+")
_DIGIT = re.compile("[0-9]")
# The symbols whose words name a time without further words; a table's `anchors` add to them.
_NAMES = ("MONTH", "WDAY", "DAYREL", "HOLIDAY", "SEASON")


def has_time_expression(text: str) -> bool:
    """Return whether the text probably names a time: a weekday, month, relative word, year or clock time.

    Looks words up and resolves nothing: a few microseconds per short text. Weak words ("may", "sun") count
    only after a word such as "in" or next to a number.
    """
    return _is_in(passing(text))


@read_once
def _is_in(read: Text) -> bool:
    text = read.text
    if _NUMERIC.search(text):
        return True
    if not text.isascii() and has_characters(text) and _han_anchors().search(text):
        return True
    words = runs(text)
    single, pairs, of_pairs = _latin_anchors()
    if not single.isdisjoint(words):
        return True
    if of_pairs.isdisjoint(words):
        return False
    if not text.isascii() or _DIGIT.search(text):
        words = ["#" if word[0].isdigit() else word for word in words]
    return not pairs.isdisjoint(itertools.pairwise(words))


def _phrases(source: DateTable) -> list[str]:
    named = [phrase for symbol in _NAMES for phrase in source.words.get(symbol, {})]
    return [phrase for phrase in named if phrase not in source.weak] + source.anchors


@from_tables
def _latin_anchors() -> tuple[frozenset[str], frozenset[tuple[str, str]], frozenset[str]]:
    """Return words that name a time, pairs of words that do, and a word of each pair; "#" is a number."""
    single: set[str] = set()
    pairs: set[tuple[str, str]] = set()
    for source in date_tables().values():
        if source.script != "latin":
            continue
        fold = without_accents if source.fold_accents else str
        for phrase in _phrases(source):
            words = phrase.lower().split()
            if not (phrase.isascii() and all(map(str.isalpha, words))):
                words = _WORD.findall(phrase.lower())
            for form in (words, words if phrase.isascii() else [fold(word) for word in words]):
                if len(form) == 1:
                    single.add(form[0])
                elif form:
                    pairs.add((form[0], form[1]))
        months = source.words.get("MONTH", {})
        for word in source.weak:
            pairs.update((introducer, word) for introducer in source.introducers)
            if word in months:
                pairs.update({("#", word), (word, "#")})
    return frozenset(single), frozenset(pairs), frozenset(one if two == "#" else two for one, two in pairs)


@from_tables
def _han_anchors() -> re.Pattern[str]:
    phrases: set[str] = set()
    patterns: list[str] = []
    for source in date_tables().values():
        if source.script == "latin":
            continue
        back: dict[str, str] = {}
        for variant, plain in source.variants.items():
            back[plain] = back.get(plain, "") + variant
        for phrase in _phrases(source):
            phrases.add("".join(f"[{c}{back[c]}]" if c in back else re.escape(c) for c in phrase))
        patterns += source.patterns
    return re.compile("|".join([*sorted(phrases), *patterns]) or r"(?!)")
