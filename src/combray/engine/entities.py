"""Entities of a namespace and their other names: listed, declared, merged, separated."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, groupby
from typing import Any

from combray.audit.audited import audited
from combray.engine.changes import forget, update
from combray.engine.namespace import Verbs
from combray.errors import InvalidInputError, NotFoundError
from combray.language.indexing import SEPARATED, separated_names
from combray.language.names import normal
from combray.records import dataclass
from combray.runtime import Filter
from combray.types import Memory
from combray.values import whole

SOURCE = "alias"
"""Source of the memories that `alias` and `merge` write."""
_MOST = 10_000
_READ = 500
"""Latest memories that are read for the spelling of names: the index has them without capitals."""
_SENTENCE = "{} is also called {}."


@dataclass(frozen=True, slots=True)
class Entity:
    """A name with its other names. `stated_by` are the ids of the memories that declare or teach them.

    `memories` is the number of memories that the name is an entity of. `learned` are the names that texts taught
    and nobody declared.
    """

    name: str
    memories: int
    aliases: tuple[str, ...] = ()
    learned: tuple[str, ...] = ()
    stated_by: tuple[str, ...] = ()


class Entities:
    """`engine.entities`: other names are stated by memories, and listed, forgotten and erased with them."""

    def __init__(self, verbs: Verbs) -> None:
        self._verbs = verbs
        self._at = verbs._at

    @audited("entities")
    def list(self, limit: int = 100) -> builtins.list[Entity]:
        """Return entities, those with other names first, then by number of memories. `limit` is 1 to 10,000.

        Another name of an entity is not listed again.
        """
        most = whole("limit", limit, 1, _MOST)
        reader = self._at.reader
        stated = reader.aliases(_MOST)
        keys = sorted({key for *_, key in stated})
        memories = dict(zip(keys, reader.memories(keys), strict=True))
        recent = reader.memories(reader.scan(Filter(), newest_first=True, limit=_READ).tolist())
        spelt = _spelt((*memories.values(), *recent))
        counts = {normal(name): (name, count) for name, count in reader.entity_counts(_MOST)}
        found = []
        for name, some in groupby(stated, key=lambda each: each[0]):
            own = list(some)
            declared = {alias for _, alias, origin, _ in own if origin == "declared"}
            aliases = dict.fromkeys(alias for _, alias, *_ in own)
            found.append(
                Entity(
                    name=spelt.get(name, name),
                    memories=counts.get(name, (name, 0))[1],
                    aliases=tuple(spelt.get(alias, alias) for alias in aliases),
                    learned=tuple(spelt.get(alias, alias) for alias in aliases if alias not in declared),
                    stated_by=tuple(dict.fromkeys(memories[key].id for *_, key in own)),
                )
            )
        known = {normal(name) for each in found for name in (each.name, *each.aliases)}
        plain = (
            Entity(spelt.get(form, name), count) for form, (name, count) in counts.items() if form not in known
        )
        return [*found, *plain][:most]

    def alias(self, name: str, *others: str) -> Memory:
        """Declare other names of an entity, and return the memory that holds them: forgetting it takes them back.

        Raises InvalidInputError for no name, or one that equals the entity's.
        """
        names = tuple(dict.fromkeys(each.strip() for each in others if each.strip()))
        if not name.strip() or not names or normal(name) in map(normal, names):
            problem = f"{', '.join(names) or 'nothing'} is no other name of {name!r}."
            raise InvalidInputError("aliases", problem, "Give the entity and at least one other name.")
        declared = {name.strip(): names}
        done = self._verbs.remember(_sentences(declared), entities=declared, source=SOURCE, kind="fact")
        return self._at.reader.memories([self._at.key_of(done.id)])[0]

    def merge(self, other: str, into: str) -> Memory:
        """Make two entities one: what names `other` names `into`, with all its aliases. As `alias`."""
        aliases = [
            each for entity in self.list(_MOST) if normal(entity.name) == normal(other) for each in entity.aliases
        ]
        return self.alias(into, other, *(each for each in aliases if normal(each) != normal(into)))

    def separate(self, name: str, alias: str) -> builtins.list[Memory]:
        """Take an alias from an entity in every memory that declares or teaches it, and return these memories.

        Each keeps a version that can be undone. A text that teaches it keeps its words; its metadata notes the
        separated pair. Raises NotFoundError if the entity has no such alias.
        """
        found = [each for each in self._at.reader.aliases(_MOST) if each[:2] == (normal(name), normal(alias))]
        if not found:
            raise NotFoundError(f"{alias!r} is no other name of {name!r}. List them with entities.list().")
        declared = {key for *_, origin, key in found if origin == "declared"}
        taught = {key for *_, origin, key in found if origin == "learned"}
        changed = []
        for key in sorted(declared | taught):
            (memory,) = self._at.reader.memories([key])
            if key in taught and memory.source != SOURCE:
                pairs = [*map(list, sorted(separated_names(memory))), [normal(name), normal(alias)]]
                update(self._at, memory.id, {"metadata": {**memory.metadata, SEPARATED: pairs}})
                (memory,) = self._at.reader.memories([key])
            if key not in declared:
                changed.append(memory)
                continue
            left = {
                own: _without(others, alias) if normal(own) == normal(name) else others
                for own, others in memory.aliases.items()
            }
            if memory.source == SOURCE and not any(left.values()):
                forget(self._at, memory.id)
            else:
                changes: dict[str, Any] = {"entities": {**dict.fromkeys(memory.entities, ()), **left}}
                if memory.source == SOURCE:
                    changes["content"] = _sentences(left)
                update(self._at, memory.id, changes)
            changed += self._at.reader.memories(list(self._at.reader.keys_of([memory.id]).values()))
        return changed


def _spelt(memories: Iterable[Memory]) -> dict[str, str]:
    """Return names by their normal form, each as the first memory writes it."""
    found: dict[str, str] = {}
    for memory in memories:
        others = chain.from_iterable(memory.aliases.values())
        for name in (*memory.aliases, *others, *memory.entities):
            found.setdefault(normal(name), name)
    return found


def _without(names: Sequence[str], alias: str) -> tuple[str, ...]:
    return tuple(each for each in names if normal(each) != normal(alias))


def _sentences(names: Mapping[str, Sequence[str]]) -> str:
    return " ".join(_SENTENCE.format(name, ", ".join(others)) for name, others in names.items() if others)
