"""Names as they are compared, the runs of words in a question that may be a name, and given names of people.

Given names are data by gender (`<code>/names.json`), made by `bench/names.py`. A line holds several names, with
spaces between. Names that are everyday words at the start of a sentence ("Will", "Rose") are in no table.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from functools import cached_property

import msgspec

from combray.language.caches import from_tables, keyed_by_text
from combray.language.folding import fold, is_unspaced
from combray.language.tables import section
from combray.language.tokens import is_stop, terms, words

LONGEST = 6
"""Words of a name that a question is searched for."""
LONGEST_UNSPACED = 12
"""Characters of a name in a script without spaces."""
WORD = re.compile(r"[\w][\w.+#&/’'-]*\w|\w")
"""A word of a name: "k8s", "C&A", "Sea-Level"."""
_READ = 4000
"""Characters of a question that are read."""


def normal(name: str) -> str:
    """Return the form by which names are compared: folded words, one space between; "" for no words."""
    if is_unspaced(name):
        return "".join(fold(name).split())
    return " ".join(words(name))


class Candidates(Mapping[str, str]):
    """The `candidates` of a text, found when they are first asked for: most namespaces know no names."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _found(self) -> dict[str, str]:
        return candidates(self._text)

    def __getitem__(self, name: str) -> str:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def candidates(text: str) -> dict[str, str]:
    """Return the runs of words that may be a name, in `normal` form, each as it is written.

    Up to LONGEST words side by side; in a script without spaces every substring of 2 to 12 characters.
    """
    text = text[:_READ]
    found: dict[str, str] = {}
    listed = [hit[0].removesuffix("'s").removesuffix("’s") for hit in WORD.finditer(text)][:200]
    # Words between spaces are split one by one. Folding can join what is not ASCII to the word before it.
    alone = list(map(_alone, listed)) if text.isascii() else []
    for place in range(len(listed)):
        run = name = ""
        for at in range(place, min(place + LONGEST, len(listed))):
            run = f"{run} {listed[at]}" if run else listed[at]
            if alone:
                name = f"{name} {alone[at]}".strip()
            elif is_unspaced(run):
                break
            else:
                name = normal(run)
            found.setdefault(name, run)
    for run in (word for word in listed if is_unspaced(word)):
        for part in (run, *re.findall(r"[a-zA-Z0-9]+|[^a-zA-Z0-9]+", run)):
            found.setdefault(normal(part), part)
            for place in range(min(len(part), 100)):
                for size in range(2, min(LONGEST_UNSPACED, len(part) - place) + 1):
                    found.setdefault(normal(part[place : place + size]), part[place : place + size])
    found.pop("", None)
    return found


@keyed_by_text
@functools.lru_cache(maxsize=4096)
def _alone(word: str) -> str:
    """Return the `normal` form of an ASCII word; the words of questions repeat."""
    return " ".join(words(word))


def meant(name: str, written: str) -> bool:
    """Whether words of a question name it. A name that is a stop word ("IT", "Us") must be in capitals."""
    ours = name.split()
    return (written.isupper() and len(written) > 1) or not all(is_stop(word) for word in ours)


def name_terms(name: str) -> tuple[str, ...]:
    """Return the distinct index terms of a name; in a script without spaces its pairs, if it has any."""
    every = list(dict.fromkeys(terms(name)))
    if is_unspaced(name):
        return tuple([each for each in every if len(each) > 1] or every)
    return tuple(every)


class _GivenNamesTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    male: list[str] = []
    female: list[str] = []


_tables = section("names", _GivenNamesTable)


def by_gender() -> Iterator[tuple[str, list[str]]]:
    """Yield "male" or "female" with the names of a language in lower case; some names are both."""
    for table in _tables().values():
        yield "male", " ".join(table.male).split()
        yield "female", " ".join(table.female).split()


@from_tables
def given_names() -> frozenset[str]:
    """Return the given names of all languages in lower case."""
    return frozenset(name for _, listed in by_gender() for name in listed)
