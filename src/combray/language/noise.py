"""Noise: texts about the conversation itself, such as greetings, denials and "do you remember …".

Phrases and example sentences are data (`noise` of a language). Source: Mnemo, see docs/reference/presets.md.
"""

from __future__ import annotations

import re

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


class _NoiseTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language: example sentences for the embedder, and the phrases of each class."""

    prototypes: list[str] = []
    denials: _Phrases = _Phrases()
    questions: _Phrases = _Phrases()
    boilerplate: _Phrases = _Phrases()
    diagnostics: _Phrases = _Phrases()


CLASSES = ("denials", "questions", "boilerplate", "diagnostics")


_tables = section("noise", _NoiseTable)


@from_tables
def _patterns() -> dict[str, re.Pattern[str]]:
    """Return a pattern of each class for whole, folded sentences; use it with `fullmatch`."""
    made = {}
    for name in CLASSES:
        listed: list[_Phrases] = [getattr(table, name) for table in _tables().values()]
        parts = [re.escape(phrase) for phrase in folded(phrase for each in listed for phrase in each.whole)]
        for phrase in folded(phrase for each in listed for phrase in each.starts):
            # In a script with spaces the phrase must end with a word: "i recall" is not in "i recalling".
            end = "" if is_unspaced(phrase) else r"(?!\w)"
            parts.append(f"{re.escape(phrase)}{end}.{{0,{LONGEST_SENTENCE}}}")
        parts += [f".*{re.escape(phrase)}.*" for each in listed for phrase in folded(each.holds)]
        made[name] = re.compile("|".join(parts))
    return made


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
    classes = [
        next((name for name, pattern in _patterns().items() if pattern.fullmatch(sentence)), None)
        for sentence in sentences
        if sentence
    ]
    if classes and None not in classes:
        return classes[0]
    return "fragment" if len(plain) < (SHORTEST_UNSPACED if is_unspaced(plain) else SHORTEST) else None
