"""The constitution, the wordings per language, and the prompt of `think`.

The constitution is a file. Its hash is part of every answer, so that a reader can verify which text applied and
whether it was the shipped one.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from combray.language.folding import fold
from combray.language.model_tokens import estimate
from combray.language.scripts import language
from combray.language.tables import default
from combray.language.tokens import terms as terms_of
from combray.prompt.budget import Piece, Slot, assemble
from combray.think.sources import Source

_FOLDER = Path(__file__).parent / "prompts"
CONSTITUTION_SHIPPED = "4bcbacc3fd1192360d3e41699581562a813b93c0c59cc69704df07502ee5abbc"
"""SHA-256 of the shipped constitution; another hash in an answer means that the file was changed."""


class Wording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fixed phrases in one language. `said`: phrases with which a model starts to say that it does not know."""

    unknown: str
    said: list[str]
    nearest: str
    earlier: str
    later: str


@functools.cache
def constitution() -> tuple[str, str]:
    """Return the constitution and its SHA-256 in hexadecimal."""
    text = (_FOLDER / "constitution.txt").read_text(encoding="utf-8")
    return text, hashlib.sha256(text.encode()).hexdigest()


@functools.cache
def _wordings() -> dict[str, Wording]:
    return msgspec.json.decode((_FOLDER / "wording.json").read_bytes(), type=dict[str, Wording])


def wording(question: str) -> Wording:
    """Return the phrases for a question's language; English by default."""
    return _wordings().get(language(question)) or _wordings()[default()]


@functools.cache
def unknown_terms() -> frozenset[str]:
    """Return the terms of all phrases that mean "not known"."""
    return frozenset(
        term for each in _wordings().values() for said in (each.unknown, *each.said) for term in terms_of(said)
    )


def says_unknown(sentence: str) -> bool:
    """Whether a sentence starts by saying that the answer is not known."""
    folded = fold(sentence).lstrip(" \"'“-")
    return any(folded.startswith(fold(start)) for each in _wordings().values() for start in each.said)


def system() -> str:
    """Return the system prompt: the constitution, then how to answer."""
    return f"{constitution()[0]}\n{(_FOLDER / 'answering.txt').read_text(encoding='utf-8')}"


def prompt(question: str, sources: Sequence[Source], terms: frozenset[str], budget: int) -> tuple[str, list[str]]:
    """Return the prompt (fenced memories in at most `budget` tokens, then the question) and the ids shown."""
    pieces = [Piece(source.memory.id, source.line(terms)) for source in sources]
    slot = Slot("memories", "MEMORIES", 0, budget)
    made = assemble({slot.name: pieces}, budget=budget, counter=estimate, slots=(slot,))
    shown = [each for section in made.sections for each in section.ids]
    return f"{made.text}\n\nQuestion: {' '.join(question.split())}", shown
