"""Kinds of answer with a closed vocabulary: a question for a colour is answered by a text that names one.

Finer than `cues`, which stores keep: these are read from the few texts of a shortlist. Words and patterns are
data (`<code>/answers.json`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from combray.language.caches import from_tables
from combray.language.folding import fold, plain
from combray.language.late import late
from combray.language.lexicon import Phrases, folded
from combray.language.tables import section


class _Kind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """asked: phrases of a question for it; held: words of a text that has one; patterns: over such a text."""

    asked: list[str] = []
    held: list[str] = []
    patterns: list[str] = []


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kinds: dict[str, _Kind] = {}


_tables = section("answers", _Table)


@dataclass(frozen=True, slots=True)
class AnswerKind:
    """A kind of answer: its name, and the patterns of a text that holds one."""

    name: str
    asked: Phrases
    words: Phrases
    written: tuple[re.Pattern[str], ...]

    def held(self, text: str) -> bool:
        """Return whether a text holds an answer of this kind."""
        return self.words.search(fold(text)) or any(each.search(text) for each in self.written)


@from_tables
def _kinds() -> tuple[AnswerKind, ...]:
    found: dict[str, list[_Kind]] = {}
    for table in _tables().values():
        for name, kind in table.kinds.items():
            found.setdefault(name, []).append(kind)
    return tuple(
        AnswerKind(
            name,
            Phrases(plain(phrase) for each in some for phrase in each.asked),
            Phrases(folded(word for each in some for word in each.held)),
            tuple(late(pattern) for pattern in dict.fromkeys(p for each in some for p in each.patterns)),
        )
        for name, some in found.items()
    )


def asked_kind(question: str) -> AnswerKind | None:
    """Return the first kind that a question asks for; None if it asks for none of them."""
    read = plain(question)
    return next((kind for kind in _kinds() if kind.asked.search(read)), None)
