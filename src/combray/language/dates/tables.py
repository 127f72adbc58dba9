"""Loading a language's table; see the package documentation for its format."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from combray.language.dates import clock, counting, recurring, relative
from combray.language.dates.actions import ACTIONS
from combray.language.dates.grammar import Grammar, Lexicon
from combray.language.dates.lexing import NumberWords, tokenize, without_accents

_FOLDER = Path(__file__).resolve().parent.parent / "tables" / "dates"
# Each of these modules registers its actions when it is imported.
ACTION_MODULES = (clock, counting, recurring, relative)

_added: dict[str, Path] = {}
_watchers: list[Callable[[], None]] = []


class NumberTable(msgspec.Struct, forbid_unknown_fields=True):
    """The number words of a table."""

    units: dict[str, int] = {}
    multipliers: dict[str, int] = {}
    joiners: list[str] = []
    concatenated: list[int] = []


class Table(msgspec.Struct, forbid_unknown_fields=True):
    """A table file as written."""

    script: str
    words: dict[str, dict[str, Any]]
    rules: list[list[Any]]
    letters: str = ""
    fold_accents: bool = False
    variants: dict[str, str] = {}
    orders: list[str] = msgspec.field(default_factory=lambda: ["dmy", "ymd"])
    numbers: NumberTable = msgspec.field(default_factory=NumberTable)
    cues: list[str] = []
    forward: list[str] = []
    weak: list[str] = []
    introducers: list[str] = []
    anchors: list[str] = []
    stop: list[str] = []


@dataclass(frozen=True, slots=True)
class Language:
    """A compiled table."""

    code: str
    grammar: Grammar
    letters: frozenset[str]
    orders: tuple[str, ...]
    cues: frozenset[str]
    forward: frozenset[str]
    weak: frozenset[str]
    introducers: frozenset[str]


@functools.cache
def codes() -> tuple[str, ...]:
    """The codes of the languages known: those shipped, English first, then those added."""
    shipped = sorted((path.stem for path in _FOLDER.glob("*.json")), key=lambda code: (code != "en", code))
    return (*shipped, *(code for code in _added if code not in shipped))


@functools.cache
def scripts() -> tuple[tuple[str, str], ...]:
    """(code, script) of every language known."""
    return tuple((code, table(code).script) for code in codes())


def add_tables(folder: Path) -> list[str]:
    """Make every table (`CODE.json`) of a folder known, in place of a shipped one of the same code.

    Returns the codes added. Raises ValueError when the folder holds no table.
    """
    found = sorted(folder.glob("*.json"))
    if not found:
        raise ValueError(f"no date table in {str(folder)!r}: expected files such as es.json")
    for path in found:
        _added[path.stem] = path
    _clear()
    return [path.stem for path in found]


def forget_added() -> None:
    """Know only the shipped tables again."""
    _added.clear()
    _clear()


def _clear() -> None:
    for cached in (codes, scripts, table, language):
        cached.cache_clear()
    for clear in _watchers:
        clear()


def watch(clear: Callable[[], None]) -> None:
    """Have `clear` called whenever tables are added: for what is derived from all tables."""
    _watchers.append(clear)


@functools.lru_cache(maxsize=64)
def table(code: str) -> Table:
    """The table of a language as written. Raises ValueError for an unknown code or a malformed file."""
    path = _added.get(code, _FOLDER / f"{code}.json")
    if not path.is_file():
        raise ValueError(f"no date table for language {code!r}; known: {', '.join(codes())}")
    try:
        return msgspec.json.decode(path.read_bytes(), type=Table)
    except msgspec.DecodeError as error:
        raise ValueError(f"date table {path.name}: {error}") from error


@functools.lru_cache(maxsize=64)
def language(code: str) -> Language:
    """The compiled table of a language. Raises ValueError as `table` does, and for a malformed rule."""
    source = table(code)
    numbers = source.numbers
    fold = without_accents if source.fold_accents else str
    units = {form: value for word, value in numbers.units.items() for form in (word, fold(word))}
    multipliers = {form: value for word, value in numbers.multipliers.items() for form in (word, fold(word))}
    known = NumberWords(units, multipliers, frozenset(numbers.joiners), frozenset(numbers.concatenated))
    lexicon = Lexicon(known, source.variants, source.fold_accents)
    for phrase in source.stop:
        lexicon.add(phrase, "STOP", None)
    for symbol, phrases in source.words.items():
        for phrase, value in phrases.items():
            lexicon.add(phrase, symbol, value)
    grammar = Grammar(lexicon)
    for rule in source.rules:
        symbol, name, pattern, constants = _checked(code, rule)
        grammar.add(pattern, symbol, ACTIONS[name], constants)
    return Language(
        code,
        grammar,
        frozenset(source.letters),
        tuple(source.orders),
        _words(source.cues, source.fold_accents),
        _words(source.forward, source.fold_accents),
        _words(source.weak, source.fold_accents),
        _words(source.introducers, source.fold_accents),
    )


def _words(words: list[str], fold: bool) -> frozenset[str]:
    plain = [" ".join(token.text for token in tokenize(word)) for word in words]
    return frozenset([*plain, *(without_accents(word) for word in plain)] if fold else plain)


def _checked(code: str, rule: list[Any]) -> tuple[str, str, str, Mapping[str, Any]]:
    shape = 'expected ["SYMBOL", "action", "pattern"] with an optional object of constants'
    if not 3 <= len(rule) <= 4 or not all(isinstance(part, str) for part in rule[:3]):
        raise ValueError(f"date table {code}.json: rule {rule!r}: {shape}")
    symbol, name, pattern = rule[:3]
    if name not in ACTIONS:
        raise ValueError(f"date table {code}.json: rule {rule!r}: unknown action; known: {', '.join(ACTIONS)}")
    return symbol, name, pattern, rule[3] if len(rule) == 4 else {}
