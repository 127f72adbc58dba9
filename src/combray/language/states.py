"""States of life: what a statement is about (home, diet, a deadline), and values that exclude one another.

"I'm a vegetarian" and "Grilled mackerel again tonight" share no word. Both are about a diet, and the words
"vegetarian" and "mackerel" stand on two sides. The words are data (`states.json` of a language):

- `topics`: words by what they are about. The name of a topic is the same in every language.
- `opposed`: pairs of word lists. A person of whom one list is true is rarely one of whom the other is.

A word proves nothing: the masks are features of `scoring.revisions`, and no statement changes another by them.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from combray.language.caches import from_tables
from combray.language.folding import is_unspaced, plain, runs
from combray.language.tables import section
from combray.language.text import Text, read_once
from combray.language.tokens import split

_LONGEST = 400
"""Words of a text that are looked at."""
_MOST_WORDS = 3
"""Words of the longest phrase in a table of a language with spaces."""


class StatesTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of one language."""

    topics: dict[str, list[str]] = {}
    opposed: list[tuple[list[str], list[str]]] = []


class States(NamedTuple):
    """What a text is about, as bit masks."""

    topics: int
    one: int
    """Pairs of `opposed` of which a word of the first list is in the text."""
    other: int
    """Pairs of which a word of the second list is."""


_NONE = States(0, 0, 0)
_tables = section("states", StatesTable)


@from_tables
def topic_names() -> tuple[str, ...]:
    """Return the names of the topics. The place of a name is its bit in `States.topics`."""
    return tuple(sorted({name for table in _tables().values() for name in table.topics}))


@from_tables
def _words() -> tuple[dict[str, States], dict[str, States], int]:
    """Return the masks of every phrase with spaces around it, of every other one, and the longest of those."""
    bits = {name: 1 << place for place, name in enumerate(topic_names())}
    spaced: dict[str, States] = {}
    unspaced: dict[str, States] = {}
    pair = 1
    for table in _tables().values():
        for name, phrases in table.topics.items():
            for phrase in phrases:
                _add(spaced, unspaced, phrase, States(bits[name], 0, 0))
        for one, other in table.opposed:
            for phrase in one:
                _add(spaced, unspaced, phrase, States(0, pair, 0))
            for phrase in other:
                _add(spaced, unspaced, phrase, States(0, 0, pair))
            pair <<= 1
    return spaced, unspaced, max(map(len, unspaced), default=0)


def _add(spaced: dict[str, States], unspaced: dict[str, States], phrase: str, states: States) -> None:
    key = plain(phrase)
    if is_unspaced(key):
        unspaced[key] = _joined(unspaced.get(key, _NONE), states)
    else:
        key = " ".join(runs(key))
        spaced[key] = _joined(spaced.get(key, _NONE), states)


def _joined(first: States, second: States) -> States:
    return States(first.topics | second.topics, first.one | second.one, first.other | second.other)


@read_once
def states_of(text: Text) -> States:
    """Return what a text is about. Never raises."""
    spaced, unspaced, longest = _words()
    if text.text.isascii():
        # These words are split for the keyword index in any case.
        known = [spaced[word] for word in spaced.keys() & split(text).words[:_LONGEST]]
    else:
        lowered = plain(text.text)
        words = runs(lowered)[:_LONGEST]
        found = spaced.keys() & words
        # In Vietnamese most words are phrases of two or three syllables.
        for size in range(2, _MOST_WORDS + 1):
            phrases = map(" ".join, zip(*(words[start:] for start in range(size)), strict=False))
            found.update(phrase for phrase in phrases if phrase in spaced)
        known = [spaced[phrase] for phrase in found] + _substrings(lowered, unspaced, longest)
    topics = one = other = 0
    for each in known:
        topics, one, other = topics | each.topics, one | each.one, other | each.other
    return States(topics, one, other)


def _substrings(lowered: str, known: dict[str, States], longest: int) -> list[States]:
    if not is_unspaced(lowered):
        return []
    lowered = lowered[:_LONGEST]
    return [
        known[piece]
        for start in range(len(lowered))
        for size in range(1, longest + 1)
        if (piece := lowered[start : start + size]) in known
    ]


def opposed(new: States, old: States) -> bool:
    """Return whether the two stand on two sides of a pair, and the new one not on the old one's side as well."""
    sides = (new.one & old.other & ~new.other) | (new.other & old.one & ~new.one)
    return sides != 0
