"""Given names of people by gender (`<code>/names.json`), made by `bench/names.py`.

A line holds several names, with spaces between. Names that are everyday words at the start of a sentence ("Will",
"Rose") are in no table.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from combray.language.caches import from_tables
from combray.language.tables import section


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
