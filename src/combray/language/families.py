"""Families of words of one field, which answer one another ("food", "lunch"), and words that exclude others.

Data: `<code>/families.json`.
"""

from __future__ import annotations

import functools
from collections.abc import Set as AbstractSet

import msgspec

from combray.language.caches import from_tables, keyed_by_text
from combray.language.folding import plain, runs
from combray.language.tables import section
from combray.language.tokens import terms

_KEPT = 4096


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """families: words of one field; exclusive: words of which a thing is one; alike: their other forms."""

    families: list[str] = []
    exclusive: list[str] = []
    alike: dict[str, str] = {}


_tables = section("families", _Table)
_NONE: frozenset[int] = frozenset()


@from_tables
def _families() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    lines = [line for table in _tables().values() for line in table.families]
    for number, line in enumerate(lines):
        for term in terms(line):
            found.setdefault(term, set()).add(number)
    return {term: frozenset(numbers) for term, numbers in found.items()}


def families(term: str) -> frozenset[int]:
    """Return the numbers of the families of an index term."""
    return _families().get(term, _NONE)


def families_of(terms: AbstractSet[str]) -> frozenset[int]:
    """Return the numbers of the families of any of some index terms."""
    known = _families()
    return _NONE.union(*[known[term] for term in terms & known.keys()])


@from_tables
def _rivals() -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    alike = {word: other for table in _tables().values() for word, other in table.alike.items()}
    groups = [frozenset(line.split()) for table in _tables().values() for line in table.exclusive]
    return alike, {word: group for group in groups for word in group}


@keyed_by_text
@functools.lru_cache(maxsize=_KEPT)
def exclusive_words(text: str) -> frozenset[str]:
    """Return the words of a text that exclude others of their kind: "march", "grandmother", "left"."""
    alike, groups = _rivals()
    found = set()
    before = ""
    for word in runs(plain(text)):
        behind, before = before, word
        if behind in _DEFINITE and word in _COUNTED:
            # "The two tests" are those that are known, whatever else is counted.
            continue
        for form in (word, word.removesuffix("s")):
            known = alike.get(form, form)
            if known in groups:
                found.add(known)
                break
    return frozenset(found)


_DEFINITE = frozenset(("the", "these", "those", "both", "my", "our", "his", "her", "their"))
_COUNTED = frozenset(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"))


def conflict(asked: AbstractSet[str], held: AbstractSet[str]) -> bool:
    """Return whether a text has another word where the question has an exclusive one, and not that one too.

    Both are the results of `exclusive_words`.
    """
    groups = _rivals()[1]
    return any(word not in held and not held.isdisjoint(groups[word]) for word in asked)
