"""What a statement is about: home, diet, a deadline.

"I live in Lisbon" and "We moved to Porto" share no word, but both are about a home. Words are data (`topics`
of a language, words by topic); the name of a topic is the same in every language. A word proves nothing: common
topics are a feature of `facts.ranker`, and no statement changes another by them.
"""

from __future__ import annotations

from combray.language.caches import from_tables
from combray.language.folding import plain
from combray.language.marks import Lists
from combray.language.tables import section
from combray.language.text import Text, plain_of, plain_words, read_once

_LONGEST = 2000
"""Characters of a text that are looked at."""

_tables = section("topics", dict[str, list[str]])


@from_tables
def _lists() -> tuple[Lists, dict[str, int]]:
    """The words of all topics, and the bit of each."""
    listed: dict[str, list[str]] = {}
    for table in _tables().values():
        for name, phrases in table.items():
            listed.setdefault(name, []).extend(map(plain, phrases))
    return Lists(listed), {name: 1 << place for place, name in enumerate(sorted(listed))}


@read_once
def topics_of(text: Text) -> int:
    """Return the topics of a text, a bit for each. Never raises."""
    lists, bits = _lists()
    if len(text.text) <= _LONGEST:
        marks = lists.of(plain_of(text), plain_words(text))
    else:
        marks = lists.of(plain(text.text[:_LONGEST]))
    return sum([bits[name] for name in marks.possible if marks.has(name)])
