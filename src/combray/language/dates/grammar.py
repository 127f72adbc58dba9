"""A small chart parser whose words and rules come from a language's table.

Every word of the lexicon found in a text becomes an item (symbol, end, value). Rules combine neighbouring
items into larger ones, from right to left and to any depth, so "the first Friday of next month" is built from
"next month", "first" and "Friday" by two rules. The rules of a language share their prefixes in a trie.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from combray.language.dates.lexer import (
    NumberWords,
    Numeral,
    Token,
    numbers_at,
    tokenize,
    without_accents,
)

Action = Callable[..., Any]
Item = tuple[str, int, Any]
Chart = list[list[Item]]

# No phrase that names a time is longer than this many tokens; keeps hostile input linear.
LONGEST_PHRASE = 18


# Symbols that many texts without a time have.
_NUMBERS = frozenset({"NUM", "DIGITS"})


class Rule(NamedTuple):
    """The action of a complete pattern; `names` has "" for unnamed elements."""

    symbol: str
    action: Action
    names: tuple[str, ...]
    constants: Mapping[str, Any]


class Node:
    """A node of the rule trie."""

    __slots__ = ("children", "rules")

    def __init__(self) -> None:
        self.children: dict[str, Node] = {}
        self.rules: list[Rule] = []


class Lexicon:
    """The lexicon of a language: phrases of tokens, each with its symbols and values."""

    def __init__(self, numbers: NumberWords, variants: Mapping[str, str], fold: bool) -> None:
        self._phrases: dict[str, list[tuple[tuple[str, ...], str, Any]]] = {}
        self._numbers = numbers
        self._variants = variants
        self._fold = fold
        self.markers: set[str] = set()
        """Symbols of function words, which have no value: "of", "or later"."""
        self._number_words = set(numbers.units) | set(numbers.multipliers)
        self._folded_numbers = numbers
        if fold:
            units, multipliers = (
                {form: value for word, value in known.items() for form in (word, without_accents(word))}
                for known in (numbers.units, numbers.multipliers)
            )
            self._folded_numbers = msgspec.structs.replace(numbers, units=units, multipliers=multipliers)
            self._number_words |= set(units) | set(multipliers)

    def add(self, phrase: str, symbol: str, value: Any) -> None:
        """Add a phrase for `symbol`, with folding also as typed without accents, unless it starts
        with "=" ("=tối" is the evening, but "toi" is mostly "tôi", I)."""
        if value is None and symbol.isupper() and symbol != "STOP":
            self.markers.add(symbol)
        exact = len(phrase) > 1 and phrase.startswith("=")
        words = tuple(self.normal([t.text for t in tokenize(phrase.removeprefix("=") if exact else phrase)]))
        forms = {words}
        if self._fold and not exact:
            forms.add(tuple(without_accents(w) for w in words))
        for form in forms:
            entry = (form[1:], symbol, value)
            known = self._phrases.setdefault(form[0], [])
            if not any(e[:2] == entry[:2] for e in known):
                known.append(entry)

    def normal(self, words: Sequence[str]) -> list[str]:
        """The words with variant characters (traditional Han) replaced by the table's own."""
        if not self._variants:
            return list(words)
        return ["".join(self._variants.get(c, c) for c in word) for word in words]

    def items(self, words: Sequence[str]) -> Chart:
        """The lexical items that start at each position."""
        chart: Chart = []
        # In a text typed with accents "sau" is "after", not "sáu", six.
        numbers = self._folded_numbers if all(map(str.isascii, words)) else self._numbers
        for index, word in enumerate(words):
            found: list[Item] = []
            for rest, symbol, value in self._phrases.get(word, ()):
                end = index + 1 + len(rest)
                if not rest or tuple(words[index + 1 : end]) == rest:
                    found.append((symbol, end, value))
            if word.isdecimal() and len(word) <= 4:
                found.extend(_numerals(index + 1, Numeral.read(word)))
                if len(word) == 2 and word[0] == "0":
                    found.append(("ZEROS", index + 1, Numeral.read(word)))
            elif word in self._number_words:
                for end, number in numbers_at(words, index, numbers):
                    found.extend(_numerals(end, Numeral(number)))
            chart.append(found)
        for index, found in enumerate(chart):
            for symbol, end, _ in found:
                if symbol == "STOP":
                    chart[index:end] = [[("BLOCK", end, None)], *([] for _ in range(index + 1, end))]
                    break
        return chart

    def first_words(self) -> frozenset[str]:
        """The first words of all phrases."""
        return frozenset(self._phrases)

    def is_number_word(self, word: str) -> bool:
        """Return whether the word is part of a written number."""
        return word in self._number_words


def _numerals(end: int, value: Numeral) -> Iterator[Item]:
    yield ("NUM", end, value)
    if value.width:
        yield ("DIGITS", end, value)
    if value.width == 2 and value > 31:
        yield ("YY", end, value)
    if not value.width and 13 <= value <= 31:
        yield ("DAYWORDS", end, value)
    if 1000 <= value <= 2999:
        yield ("YEAR" if value.width else "YEARWORDS", end, value)


def expand(pattern: str) -> list[tuple[tuple[str, str], ...]]:
    """All plain readings of a pattern as (name, symbol) pairs.

    >>> expand("the? d=NUM|ORD")
    [(('', 'the'), ('d', 'NUM')), (('', 'the'), ('d', 'ORD')), (('d', 'NUM'),), (('d', 'ORD'),)]
    """
    choices: list[list[tuple[tuple[str, str], ...]]] = []
    for element in pattern.split():
        name, _, body = element.rpartition("=") if len(element) > 1 else ("", "", element)
        optional = len(body) > 1 and body.endswith("?")
        options = body.removesuffix("?").split("|") if len(body) > 1 else [body]
        alternatives: list[tuple[tuple[str, str], ...]] = [((name, option),) for option in options]
        choices.append([*alternatives, ()] if optional else alternatives)
    return [tuple(itertools.chain(*parts)) for parts in itertools.product(*choices)]


class Grammar:
    """A compiled set of rules over a lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._root = Node()
        self._patterns: list[tuple[str, list[str]]] = []
        self._words: set[str] = set()  # elements that the lexicon has as words of their own

    def add(self, pattern: str, symbol: str, action: Action, constants: Mapping[str, Any]) -> None:
        """Add a rule; lower-case elements of its pattern enter the lexicon as words of their own."""
        for reading in expand(pattern):
            symbols = [element for _, element in reading]
            self._patterns.append((symbol, symbols))
            node = self._root
            for _, element in reading:
                if not element.isupper() and element not in self._words:
                    self._words.add(element)
                    self.lexicon.add(element, element, None)
                node = node.children.setdefault(element, Node())
            node.rules.append(Rule(symbol, action, tuple(name for name, _ in reading), constants))

    @cached_property
    def _triggers(self) -> frozenset[str]:
        """Symbols of which every text that holds a time has one: those of rules made of words alone."""
        derived = {symbol for symbol, _ in self._patterns}
        common = _NUMBERS | self.lexicon.markers
        found = {"BLOCK"}
        for _, symbols in self._patterns:
            if derived.isdisjoint(symbols):
                named = [each for each in symbols if each.isupper()] or symbols[-1:]
                found.update([each for each in named if each not in common] or named)
        return frozenset(found)

    def parse(self, tokens: Sequence[Token], words: Sequence[str], context: object) -> Chart:
        """The chart of all items, lexical and derived, by their first token.

        A reading is rejected if its action returns None or leaves the range of the calendar.
        """
        chart = self.lexicon.items(words)
        triggers = self._triggers
        if not any(symbol in triggers for items in chart for symbol, _, _ in items):
            return chart  # nothing but words such as "in" and "the"
        children = self._root.children
        for first in range(len(tokens) - 1, -1, -1):
            items = chart[first]
            known = {(symbol, end) for symbol, end, _ in items}
            limit = min(first + LONGEST_PHRASE, len(chart))
            for symbol, end, value in items:  # grows while it is read: derived items are read in turn
                node = children.get(symbol)
                if node is None:
                    continue
                for rule, stop, values in _matches(chart, node, end, (value,), limit):
                    if stop - first > LONGEST_PHRASE or (rule.symbol, stop) in known:
                        continue
                    result = _apply(rule, values, context)
                    if result is not None:
                        known.add((rule.symbol, stop))
                        items.append((rule.symbol, stop, result))
            if len(items) > 1:  # of two readings of a phrase, that of the longer parts wins
                items.sort(key=lambda item: -item[1])
        return chart


def _matches(
    chart: Chart, node: Node, position: int, values: tuple[Any, ...], limit: int
) -> list[tuple[Rule, int, tuple[Any, ...]]]:
    """Every rule at or under `node` whose remaining elements stand from `position` on, with its values."""
    found = [(rule, position, values) for rule in node.rules]
    children = node.children
    if children and position < limit:
        for symbol, end, value in chart[position]:
            child = children.get(symbol)
            if child is not None:
                found += _matches(chart, child, end, (*values, value), limit)
    return found


def _apply(rule: Rule, values: tuple[Any, ...], context: object) -> Any:
    arguments = {name: value for name, value in zip(rule.names, values, strict=True) if name}
    try:
        return rule.action(context, **arguments, **rule.constants)
    except (ValueError, OverflowError):  # not in the calendar: 30 February, the year 90 000
        return None
