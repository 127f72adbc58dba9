"""Date tables compiled into grammars."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from combray.errors import InvalidInputError
from combray.language.caches import from_tables
from combray.language.dates import durations, recurrence, relative
from combray.language.dates.actions import ACTIONS
from combray.language.dates.grammar import Grammar, Lexicon
from combray.language.dates.lexer import Token, date_tables, scripts_in, tokenize, without_accents
from combray.language.tables import default, english_first
from combray.records import dataclass

_SHARED = Path(__file__).parents[1] / "rules.json"
# Each of these modules registers its actions when it is imported.
ACTION_MODULES = (durations, recurrence, relative)


@dataclass(frozen=True, slots=True)
class Language:
    """A compiled table."""

    grammar: Grammar
    letters: frozenset[str]
    orders: tuple[str, ...]
    forward_endings: tuple[str, ...]
    cues: frozenset[str]
    forward: frozenset[str]
    weak: frozenset[str]
    introducers: frozenset[str]
    modals: frozenset[str]


@from_tables
def scripts() -> tuple[tuple[str, str], ...]:
    """(code, script) of every language with a date table, English first."""
    tables = date_tables()
    return tuple((code, tables[code].script) for code in english_first(tables))


@from_tables
def language(code: str) -> Language:
    """The compiled table of a language. Raises InvalidInputError for an unknown code or a malformed rule."""
    source = date_tables().get(code)
    if source is None:
        known = ", ".join(code for code, _ in scripts())
        raise InvalidInputError("language", f"{code!r} has no date table.", f"Use one of {known}.")
    lexicon = Lexicon(source.numbers, source.variants, source.fold_accents)
    for phrase in source.stop:
        lexicon.add(phrase, "STOP", None)
    for symbol, phrases in source.words.items():
        valued = dict.fromkeys(phrases) if isinstance(phrases, list) else phrases
        for phrase, value in valued.items():
            lexicon.add(phrase, symbol, value)
    grammar = Grammar(lexicon)
    for rule in rules(code):
        symbol, name, pattern, constants = _checked(code, rule)
        grammar.add(pattern, symbol, ACTIONS[name], constants)
    words = {
        name: _words(getattr(source, name), source.fold_accents)
        for name in ("cues", "forward", "weak", "introducers", "modals")
    }
    return Language(grammar, frozenset(source.letters), source.orders, source.forward_endings, **words)


def rules(code: str) -> list[list[Any]]:
    """The rules of a language: those that it shares with others, then its own."""
    source = date_tables()[code]
    return [*(_shared()[source.shares] if source.shares else ()), *source.rules]


@functools.cache
def _shared() -> dict[str, list[list[Any]]]:
    return msgspec.json.decode(_SHARED.read_bytes(), type=dict[str, list[list[Any]]])


SCRIPTS = ("latin", "han", "kana", "hangul")
"""The scripts of tables; "latin" stands for every script with spaces."""
# Symbols whose words are names of times.
_NAMES = ("MONTH", "WDAY", "DAYREL", "UNIT", "EDGE", "SEASON", "PART")


@from_tables
def _signs(code: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The names of times, the common words and the letters of a language. English words sign only English."""
    table = date_tables()[code]
    phrases = [phrase for symbol in _NAMES for phrase in table.words.get(symbol, {}) if phrase not in table.weak]
    names = _words([tokenize(phrase)[0].text for phrase in phrases], table.fold_accents)
    cues = _words(table.cues, table.fold_accents)
    if code != default():
        names -= language(default()).grammar.lexicon.first_words() | cues
    return names, cues, frozenset(table.letters)


def likely(tokens: Sequence[Token], text: str, present: Collection[str]) -> list[str]:
    """The languages in which a text of these scripts may name a time.

    Of the languages with spaces it is, beside the common ones, the one of which the text has most words and
    letters, if more than of English. A text with kana is Japanese; Han characters alone are Japanese too if they
    are words that only Japanese has.
    """
    written = {
        script: [code for code, of in scripts() if of == script] for script in SCRIPTS if script in present
    }
    if "kana" not in present and "han" in present:
        written["kana"] = [code for code, of in scripts() if of == "kana" and _own_words(code).search(text)]
    elif "kana" in present and written["kana"]:
        written.pop("han", None)
    return [
        code
        for script, codes in written.items()
        for code in (_spaced(tokens, text, codes) if script == "latin" else codes)
    ]


def _spaced(tokens: Sequence[Token], text: str, codes: Sequence[str]) -> list[str]:
    # Others are tried where their words are: their grammars cost time and memory.
    always = {code for code in codes if date_tables()[code].always}
    rare = [code for code in codes if code not in always]
    if not rare:
        return list(codes)
    words = {token.text for token in tokens}
    foreign = frozenset() if text.isascii() else frozenset(text.lower())
    weights: dict[str, int] = {}
    for code in (default(), *rare):
        names, cues, letters = _signs(code)
        weights[code] = len(cues & words) + 2 * (not names.isdisjoint(words)) + 2 * len(letters & foreign)
    best = max(weights.values())
    return [code for code in codes if code in always or weights[code] == best > weights[default()]]


@from_tables
def _own_words(code: str) -> re.Pattern[str]:
    """The anchors of a table that are written in Han characters alone."""
    anchors = [word for word in date_tables()[code].anchors if scripts_in(word) == {"han"}]
    return re.compile("|".join(map(re.escape, anchors)) or r"(?!)")


def _words(words: list[str], fold: bool) -> frozenset[str]:
    plain = [" ".join(token.text for token in tokenize(word)) for word in words]
    return frozenset([*plain, *(without_accents(word) for word in plain)] if fold else plain)


def _checked(code: str, rule: list[Any]) -> tuple[str, str, str, Mapping[str, Any]]:
    field = f"language table {code}/dates.json: rule {rule!r}"
    if not 3 <= len(rule) <= 4 or not all(isinstance(part, str) for part in rule[:3]):
        raise InvalidInputError(
            field,
            "has a wrong shape:",
            'expected ["SYMBOL", "action", "pattern"] with an optional object of constants.',
        )
    symbol, name, pattern = rule[:3]
    if name not in ACTIONS:
        raise InvalidInputError(field, "has an unknown action; known:", f"{', '.join(ACTIONS)}.")
    return symbol, name, pattern, rule[3] if len(rule) == 4 else {}
