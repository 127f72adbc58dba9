"""Noise: texts about the conversation itself, such as greetings, denials and "do you remember …".

Phrases and example sentences are data (`<code>/noise.json`). Source: Mnemo, see docs/reference/presets.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from combray.language.caches import from_tables
from combray.language.folding import fold, is_unspaced
from combray.language.lexicon import folded
from combray.language.tables import section

_SENTENCE_END = re.compile(r"(?:[!?。…\n]|\.(?=\s|$))+")
_AROUND = " \t,，、;；:：~-\"'()[]*"
LONGEST = 300
"""Characters above which a text is never noise."""
LONGEST_SENTENCE = 100
"""Characters after a phrase such as "I don't recall" above which a sentence is not noise."""
SHORTEST, SHORTEST_UNSPACED = 5, 2
"""Characters below which a text is a fragment; a Chinese word has two."""


class _Phrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases that a sentence of noise begins with, equals, or contains."""

    starts: list[str] = []
    whole: list[str] = []
    holds: list[str] = []


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language: example sentences for the embedder, and the phrases of each class."""

    prototypes: list[str] = []
    denials: _Phrases = _Phrases()
    questions: _Phrases = _Phrases()
    boilerplate: _Phrases = _Phrases()
    diagnostics: _Phrases = _Phrases()


CLASSES = ("denials", "questions", "boilerplate", "diagnostics")


_tables = section("noise", _Table)


@from_tables
def _patterns() -> dict[str, re.Pattern[str]]:
    return {name: _pattern([getattr(table, name) for table in _tables().values()]) for name in CLASSES}


def _pattern(listed: Sequence[_Phrases]) -> re.Pattern[str]:
    """Return one pattern for whole, folded sentences; use it with `fullmatch`."""
    whole, starts, holds = (
        folded(phrase for each in listed for phrase in getattr(each, mode))
        for mode in ("whole", "starts", "holds")
    )
    # In a script with spaces the phrase must end with a word: "i don't recall" is not in "i don't recalling".
    begun = [re.escape(phrase) + ("" if is_unspaced(phrase) else r"(?!\w)") for phrase in starts]
    parts = [
        *map(re.escape, whole),
        *(f"{phrase}.{{0,{LONGEST_SENTENCE}}}" for phrase in begun),
        *(f".*{re.escape(phrase)}.*" for phrase in holds),
    ]
    return re.compile("|".join(parts))


def prototypes() -> tuple[str, ...]:
    """Return the example sentences of every language, for a bank of their vectors; English first."""
    return tuple(sentence for table in _tables().values() for sentence in table.prototypes)


def noise_class(text: str) -> str | None:
    """Return the class of a text that is only noise: a name of CLASSES, "fragment", or None.

    Every sentence of the text must be noise: "Do you remember Anna? She moved to Berlin" is not. The class is
    that of the first sentence. Accents, letter case and the kind of apostrophe do not matter.
    """
    plain = fold(text.strip())
    if len(plain) > LONGEST:
        return None
    sentences = [part.strip(_AROUND) for part in _SENTENCE_END.split(plain)]
    classes = [_class(sentence) for sentence in sentences if sentence]
    if classes and None not in classes:
        return classes[0]
    return "fragment" if len(plain) < (SHORTEST_UNSPACED if is_unspaced(plain) else SHORTEST) else None


def _class(sentence: str) -> str | None:
    return next((name for name, pattern in _patterns().items() if pattern.fullmatch(sentence)), None)
