"""The texts that govern an answer, and the prompt that is made of them.

The constitution is a file, and the hash of what was read goes with every answer: whoever looks at an answer later
can tell which text governed it, and whether that was the one shipped.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from combray.language.folding import fold
from combray.language.scripts import language
from combray.language.token_count import estimate
from combray.language.tokens import terms as terms_of
from combray.prompt.budget import Piece, Tier, assemble
from combray.think.sources import Source

_FOLDER = Path(__file__).parent / "prompts"
CONSTITUTION_SHIPPED = "4bcbacc3fd1192360d3e41699581562a813b93c0c59cc69704df07502ee5abbc"
"""SHA-256 of the constitution of this version; another hash in an answer means that the file was changed."""


class Wording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What we say ourselves in one language: `said`: beginnings by which a model says that it does not know."""

    unknown: str
    said: list[str]
    nearest: str
    earlier: str


@functools.cache
def constitution() -> tuple[str, str]:
    """The text in force and its SHA-256, in hexadecimal."""
    text = (_FOLDER / "constitution.txt").read_text(encoding="utf-8")
    return text, hashlib.sha256(text.encode()).hexdigest()


@functools.cache
def _wordings() -> dict[str, Wording]:
    return msgspec.json.decode((_FOLDER / "wording.json").read_bytes(), type=dict[str, Wording])


def wording(question: str) -> Wording:
    """The words for a question's language; English where there are none."""
    return _wordings().get(language(question)) or _wordings()["en"]


@functools.cache
def unknown_terms() -> frozenset[str]:
    """The terms of all phrases that say not knowing."""
    return frozenset(
        term for each in _wordings().values() for said in (each.unknown, *each.said) for term in terms_of(said)
    )


def says_unknown(sentence: str) -> bool:
    """Whether a sentence begins by saying that the answer is not known."""
    folded = fold(sentence).lstrip(" \"'“-")
    return any(folded.startswith(fold(start)) for each in _wordings().values() for start in each.said)


def system() -> str:
    """What the model is told before anything else: the laws, then how to answer."""
    return f"{constitution()[0]}\n{(_FOLDER / 'answering.txt').read_text(encoding='utf-8')}"


def prompt(question: str, sources: Sequence[Source], terms: frozenset[str], budget: int) -> tuple[str, list[str]]:
    """The memories, fenced, in at most `budget` tokens, then the question; and the ids of those shown."""
    pieces = [Piece(source.memory.id, source.line(terms)) for source in sources]
    tier = Tier("memories", "MEMORIES", 0, budget)
    made = assemble({tier.name: pieces}, budget=budget, counter=estimate, tiers=(tier,))
    shown = [each for section in made.sections for each in section.ids]
    return f"{made.text}\n\nQuestion: {' '.join(question.split())}", shown
