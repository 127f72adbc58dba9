"""Texts that say nothing: trivial queries, and noise about the conversation itself.

Trivial are acknowledgements and greetings ("ok", "cảm ơn", "再见"), and questions without a topic. Phrases are
data (`trivial` of a language): `phrases`; `accented_only`, those that mean something else without accents
("vâng", yes, becomes "vang", wine); `internal`, words of questions about the asker's own decisions, errors and
work; `happening`, words of a question for whatever happened.

Noise are greetings, denials and "do you remember …". Phrases and example sentences are data (`noise` of a
language). Source: Mnemo, see docs/reference/presets.md.
"""

from __future__ import annotations

import re

import msgspec

from combray.language.caches import from_tables, late
from combray.language.folding import HANGUL, UNSPACED, fold, is_unspaced, plain
from combray.language.lexicon import folded, word_lists
from combray.language.marks import Lists
from combray.language.scripts import language
from combray.language.tables import default, phrase_lists, section

_DENSE = late(f"[{UNSPACED}{HANGUL}]")
_DENSE_WEIGHT = 3
"""One such character carries about as much as three letters: 猫 is a word."""
_MOST_PHRASES = 4


_listed = phrase_lists("trivial", "phrases accented_only internal happening")


@from_tables
def _whole() -> dict[bool, re.Pattern[str]]:
    """Return patterns of one to four of the phrases and nothing else but punctuation; True: in ASCII text.

    In ASCII text phrases also match without their accents.
    """
    spelt = {plain(phrase) for phrase in _listed("phrases")}
    bare = {fold(phrase) for phrase in {*_listed("phrases")} - {*_listed("accented_only")}}
    made = {}
    for ascii_text, phrases in ((False, spelt), (True, spelt | bare)):
        parts = [
            re.escape(phrase) + ("" if is_unspaced(phrase) else r"(?!\w)")
            for phrase in sorted(phrases, key=lambda each: (-len(each), each))
        ]
        made[ascii_text] = re.compile(rf"[\W_]*(?:(?:{'|'.join(parts)})[\W_]*){{1,{_MOST_PHRASES}}}")
    return made


def says_nothing(text: str) -> bool:
    """Return whether the text is only acknowledgements, thanks, greetings or farewells, up to four in a row."""
    spelt = plain(text)
    return _whole()[spelt.isascii()].fullmatch(spelt) is not None


def letters(text: str) -> int:
    """Return the number of letters and digits; a character that is a syllable or a word counts three."""
    return sum(_DENSE_WEIGHT if _DENSE.match(char) else 1 for char in text if char.isalnum())


@from_tables
def _internal() -> Lists:
    return Lists({"internal": map(fold, _listed("internal"))})


def internal(text: str) -> bool:
    """Return whether a question is about the asker's own work, so that no other service is asked."""
    return _internal().of(fold(text)).has("internal")


@from_tables
def _topicless() -> Lists:
    """The words without topic by language, each with `happening` of all languages."""
    return Lists(
        {
            code: folded((*table.stopwords, *table.question_words, *table.fillers, *_listed("happening")))
            for code, table in word_lists().items()
        }
    )


def asks_what_happened(text: str) -> bool:
    """Return whether a question without its dates names no topic: "what happened", "có gì", "做了什么"."""
    left = fold(text)
    for code in sorted({language(text), default()}):
        left = _topicless().of(left).without(code)
    return not any(char.isalnum() for char in left)


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
