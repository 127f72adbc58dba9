"""What a request to forget finds: certain matches by identifiers, names and words, and the hits of a recall."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from combray.engine.namespace import Namespace
from combray.errors import InvalidInputError, brief
from combray.language.entities import names
from combray.language.identifiers import Identifier, identifiers
from combray.language.names import candidates, normal
from combray.language.tokens import content_terms
from combray.records import dataclass
from combray.types import Hit, Memory
from combray.values import MAX_LIMIT, clean_text

MAX_REQUEST = 1_000
MOST_POSSIBLE = 10
"""Hits of a recall that a preview shows."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request as text, its identifiers, its names, and the content terms outside its names.

    `include`: ids of possible matches to take too. `exclude`: ids to keep. `hiding`: to forget, not to erase.
    """

    text: str
    identifiers: tuple[Identifier, ...]
    names: tuple[str, ...]
    terms: frozenset[str]
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    hiding: bool


def parsed(about: str, include: Any, exclude: Any, *, hiding: bool) -> Request:
    """Read a request. Raises InvalidInputError if it names nothing."""
    text = clean_text("about", about, MAX_REQUEST)
    found = tuple(each for _, _, each in identifiers(text))
    named = tuple(dict.fromkeys((*_QUOTED.findall(text), *names(text))))
    terms = frozenset(content_terms(text)).difference(*map(content_terms, named))
    if not (found or named or terms):
        problem = f"{brief(about)} names nothing."
        raise InvalidInputError("about", problem, "Give an identifier, a name, or words that describe it.")
    for field, ids in (("include", include), ("exclude", exclude)):
        if not isinstance(ids, (list, tuple, set, frozenset)):
            raise InvalidInputError(field, f"must be a list of ids, not {brief(ids)}.")
    return Request(text, found, named, terms, tuple(include), tuple(exclude), hiding)


_QUOTED = re.compile('["“«「]([^"”»」]{2,100})["”»」]')


def certain(space: Namespace, wanted: Request, memories: Mapping[int, Memory]) -> dict[int, str]:
    """Return why each memory is a certain match: an identifier in any spelling, or all words.

    Words that no memory has describe none ("please delete"), but a name is always needed.
    """
    texts = {key: " \n ".join(_texts(memory)) for key, memory in memories.items()}
    if wanted.identifiers:
        held = {key: _held(space, wanted.identifiers, key, text) for key, text in texts.items()}
        return {key: why for key, why in held.items() if why}
    terms = {key: frozenset(content_terms(text)) for key, text in texts.items()}
    named = {*wanted.names, *_known(space, wanted.text)}
    needed = wanted.terms.intersection(frozenset().union(*terms.values()))
    needed = needed.difference(*map(content_terms, named))
    if not named and len(needed) * 2 <= len(wanted.terms):
        return {}
    spelt = [[frozenset(content_terms(each)) for each in _spellings(space, name)] for name in named]
    why = f"holds {', '.join((*sorted(named), *sorted(needed)))}"
    return {
        key: why
        for key, some in terms.items()
        if needed <= some and all(any(name <= some for name in spellings) for spellings in spelt)
    }


def _known(space: Namespace, text: str) -> list[str]:
    """Return the declared and learned names in a request, which need no capital: "k8s"."""
    listed = candidates(text)
    known = {name for pair in space.reader.names(list(listed), list(listed)) for name in pair}
    return [listed[name] for name in known.intersection(listed)]


def _spellings(space: Namespace, name: str) -> set[str]:
    """Return a name and the other names that are declared or learned for what it names."""
    known = normal(name)
    canonical = {each for pair in space.reader.names([known], [known]) for each in pair[1:]}
    return {name, *(each for pair in space.reader.names((), sorted(canonical)) for each in pair)}


def _held(space: Namespace, wanted: Sequence[Identifier], key: int, text: str) -> str:
    if found := [each.text for each in wanted if each.held_by(text)]:
        return f"holds {found[0]}"
    for version in space.reader.history(key):
        before = " \n ".join(_strings(version.before))
        if before and any(each.held_by(before) for each in wanted):
            return "an earlier version holds the identifier"
    return ""


def _texts(memory: Memory) -> Iterator[str]:
    """Yield every text of a memory that a caller can have put an identifier or a name into."""
    yield from (memory.content, memory.context, memory.slot or "", *memory.tags, *memory.entities)
    for names_of in memory.aliases.values():
        yield from names_of
    yield from _strings(memory.metadata)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)


def possible(space: Namespace, wanted: Request, taken: Collection[str]) -> list[Hit]:
    """Return the hits of a recall for the words of a request that are no certain match."""
    preset = space.preset
    # A recall has a limit of its own. Where certain matches fill it, nothing else is shown.
    limit = min(MOST_POSSIBLE + len(taken), MAX_LIMIT)
    # Not `recall`: what is about to be forgotten is not counted as used.
    answer = space.asking().answer(
        wanted.text, preset.recall, preset.name, limit=limit, basic=False, options={"keep": 0.0}
    )
    return [hit for hit in answer if hit.memory.id not in taken][:MOST_POSSIBLE]
