"""The constitution, the wordings per language, the numbered memories, and the prompt of `think`.

The constitution is a file. Its hash is part of every answer, so that a reader can verify which text applied and
whether it was the shipped one.
"""

from __future__ import annotations

import functools
import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from combray.facts.successors import note, outdated_by
from combray.language.folding import fold
from combray.language.model_tokens import disarmed, estimate
from combray.language.scripts import language
from combray.language.sentences import sentences
from combray.language.tables import default
from combray.language.tokens import term_set
from combray.language.tokens import terms as terms_of
from combray.prompt.budget import Piece, Slot, assemble
from combray.prompt.context import without_repeats
from combray.records import dataclass, known
from combray.runtime import Filter, Space
from combray.types import LIVE_STATUSES, Hit, Memory

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
    return msgspec.json.decode((_FOLDER / "wording.json").read_bytes(), type=known(dict[str, Wording]))


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


# -- the numbered memories that an answer may cite: the hits, and those that they superseded -------

MOST_EARLIER = 3
"""Maximum number of superseded memories."""
_EXCERPT = 1500
"""Characters of a memory in the prompt, around the sentence that shares most terms with the question."""
OUTDATED = "the memory is outdated"
_UNSEEN = ("Cc", "Cf", "Cs")
_MARK = re.compile(r"[\[【]\s*(\d[\d\s,;–-]*)[\]】]")


@dataclass(frozen=True, slots=True)
class Source:
    """A memory and its number from 1.

    `replaced_by`: number of the source that superseded it, or 0. `mark`: what a reader must know about its time.
    `not_now`: why it does not say how things are, "" if it does.
    """

    number: int
    hit: Hit
    replaced_by: int = 0
    mark: str = ""
    not_now: str = ""

    @property
    def memory(self) -> Memory:
        """The memory."""
        return self.hit.memory

    def label(self) -> str:
        """Return author, date and trust mark, separated by commas."""
        memory = self.memory
        parts = [one_line(memory.author or ""), f"{memory.moment:%Y-%m-%d}"]
        parts += ["untrusted"] if memory.trust == "untrusted" else []
        parts += [self.mark] if self.mark else []
        return ", ".join(part for part in parts if part)

    def line(self, terms: frozenset[str]) -> str:
        """Return its line in the prompt."""
        replaced = f", replaced by [{self.replaced_by}]" if self.replaced_by else ""
        context = f" (with it: {one_line(self.memory.context[:_EXCERPT])})" if self.memory.context else ""
        text = one_line(excerpt(self.memory.content, terms))
        return f"[{self.number}] ({self.label()}{replaced}) {text}{context}"


def numbered(hits: Iterable[Hit], spaces: Sequence[Space], *, now: float, with_earlier: bool) -> list[Source]:
    """Number the hits, without quarantined ones and duplicates; then the memories that they superseded."""
    allowed = [hit for hit in hits if hit.memory.trust != "quarantined"]
    kept = set(map(id, without_repeats([hit.memory for hit in allowed])[0]))
    told = [hit for hit in allowed if id(hit.memory) in kept]
    numbers = {hit.memory.id: number for number, hit in enumerate(told, 1)}
    sources = [
        Source(number, hit, 0, note(hit, numbers, now), _not_now(hit.memory, now))
        for number, hit in enumerate(told, 1)
    ]
    replaced = [each for space in spaces for each in _superseded(sources, space, now)] if with_earlier else []
    return sources + [
        Source(len(sources) + place, Hit(memory, 0.0, {}, "superseded"), by, "", OUTDATED)
        for place, (memory, by) in enumerate(replaced[:MOST_EARLIER], 1)
    ]


def _not_now(memory: Memory, now: float) -> str:
    if memory.status not in LIVE_STATUSES or outdated_by(memory, now):
        return OUTDATED
    if memory.valid_from is not None and memory.valid_from.timestamp() > now:
        return f"the memory is about {memory.valid_from:%Y-%m-%d}, which lies ahead"
    return ""


def _superseded(sources: Sequence[Source], space: Space, now: float) -> list[tuple[Memory, int]]:
    """Return the memories of a namespace that sources superseded, each with the number of that source.

    Hits are not named again, and what was corrected was never true: it is no earlier value.
    """
    reader, numbers = space.reader, {source.memory.id: source.number for source in sources}
    ids = {key: each for each, key in reader.keys_of(list(numbers)).items()}
    links = [each for each in reader.links(ids, ("supersedes",)) if each.source in ids and each.target not in ids]
    newer = {each.target: numbers[ids[each.source]] for each in links if each.subtype != "corrects"}
    keys = np.array(sorted(newer), dtype=np.int64)
    allowed = Filter(statuses=("superseded", *LIVE_STATUSES), trusts=space.trusts)
    shown = keys[reader.eligible(keys, allowed)].tolist()
    found = zip(shown, reader.memories(shown), strict=True)
    return [(memory, newer[key]) for key, memory in found if outdated_by(memory, now)]


def excerpt(text: str, terms: frozenset[str]) -> str:
    """Truncate a long text to the part around the first sentence that shares most terms."""
    if len(text) <= _EXCERPT:
        return text
    best = max(sentences(text), key=lambda part: len(terms & term_set(part)))
    start = max(0, text.index(best) - (_EXCERPT - len(best)) // 2)
    end = start + _EXCERPT
    return f"{'… ' if start else ''}{text[start:end].strip()}{' …' if end < len(text) else ''}"


def one_line(text: str) -> str:
    """Return the text on one line, without invisible characters, control tokens and marks of citations."""
    line = " ".join(text.split())
    seen = "".join(each for each in line if each in "\u200c\u200d" or unicodedata.category(each) not in _UNSEEN)
    return disarmed(_MARK.sub(r"(\1)", seen))
