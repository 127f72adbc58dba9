"""What a statement is about: home, diet, a deadline.

"I live in Lisbon" and "We moved to Porto" share no word, but both are about a home. Words are data (`topics`
of a language, words by topic); the name of a topic is the same in every language. A word proves nothing: common
topics are a feature of `facts.ranker`, and no statement changes another by them.
"""

from __future__ import annotations

from collections import defaultdict

from combray.language.caches import from_tables
from combray.language.folding import is_unspaced, plain, runs
from combray.language.tables import section
from combray.language.text import Text, read_once
from combray.language.tokens import split

_LONGEST = 400
"""Words of a text that are looked at."""
_MOST_WORDS = 3
"""Words of the longest phrase in a table of a language with spaces."""

_tables = section("topics", dict[str, list[str]])


@from_tables
def _words() -> tuple[dict[str, int], dict[str, int], int]:
    """Return the topics of every phrase with spaces around it, of every other one, and the longest of those."""
    names = sorted({name for table in _tables().values() for name in table})
    spaced: dict[str, int] = defaultdict(int)
    unspaced: dict[str, int] = defaultdict(int)
    for table in _tables().values():
        for name, phrases in table.items():
            for key in map(plain, phrases):
                known, form = (unspaced, key) if is_unspaced(key) else (spaced, " ".join(runs(key)))
                known[form] |= 1 << names.index(name)
    return dict(spaced), dict(unspaced), max(map(len, unspaced), default=0)


@read_once
def topics_of(text: Text) -> int:
    """Return the topics of a text, a bit for each. Never raises."""
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
        known = [spaced[phrase] for phrase in found]
        if is_unspaced(lowered):
            lowered = lowered[:_LONGEST]
            pieces = (
                lowered[start : start + size] for start in range(len(lowered)) for size in range(1, longest + 1)
            )
            known += [unspaced[piece] for piece in pieces if piece in unspaced]
    topics = 0
    for each in known:
        topics |= each
    return topics
