"""Names in the query: other names of the same thing are searched for, and an exact match is evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

import numpy as np

from combray.forms.recalling import Recalling
from combray.language.names import Candidates, meant, name_terms, normal
from combray.pipeline import stage
from combray.runtime import EntityArm, KeywordArm, Reader, Runtime, Scores
from combray.scoring.ranking import DECIMALS, ascending

PREFIX = "entity:"
"""In front of a name: the arm of the memories that hold it."""
Groups = Mapping[str, frozenset[str]]
"""Name in the query -> every name of that thing, itself included. Names are `language.names.normal`."""


@stage
class ReadAliases:
    """Finds the declared and learned names in the query, and the other names of what they mean.

    An alias means its canonical names, a canonical name its aliases. Only words of the query are looked up.
    A name that stop words alone make up ("IT") counts if it is spelt in capitals. Of names within names the
    longest counts. A name whose words are all stop words is added to the query's terms.
    """

    needs = ("terms",)
    gives = ("named",)
    weight: float = 0.95
    """Of a memory that holds another name, against one that holds the name."""
    most: int = 16
    """Names of one thing that are searched for."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        state.names.named = self._groups(state.reader, Candidates(state.query))
        for name, group in sorted(state.names.named.items()):
            own = name_terms(name)
            if not set(own) & set(state.terms):
                state.terms += tuple(term for term in own if term not in state.terms)
            others = [name_terms(other) for other in sorted(group - {name})]
            asked = [term for term in own if term in state.terms]
            state.names.lends += tuple((term, other, self.weight) for term in asked for other in others if other)
        every = sorted({name for group in state.names.named.values() for name in group})
        state.names.arms = {f"{PREFIX}{name}": _arm(name) for name in every}
        if state.names.named:
            state.details["names"] = {
                name: tuple(sorted(group)) for name, group in sorted(state.names.named.items())
            }
        return state

    def _groups(self, reader: Reader, written: Mapping[str, str]) -> Groups:
        pairs = reader.names(written, written)
        if not pairs:
            return {}
        known = {name for pair in pairs for name in pair if name in written}
        known = {name for name in known if meant(name, written[name])}
        whole = {name for name in known if not any(name != other and _within(name, other) for other in known)}
        canonicals: dict[str, set[str]] = defaultdict(set)
        for name, canonical in pairs:
            canonicals[name].add(canonical)
            canonicals[canonical].add(canonical)
        wanted = sorted({each for name in whole for each in canonicals[name]})
        names: dict[str, set[str]] = defaultdict(set)
        for name, canonical in reader.names((), wanted):
            names[canonical].add(name)
        found: dict[str, frozenset[str]] = {}
        for name in whole:
            every = {name, *canonicals[name]}.union(*(names[each] for each in canonicals[name]))
            found[name] = frozenset([name, *sorted(every - {name})[: self.most]])
        return found


def things(state: Recalling) -> list[frozenset[str]]:
    """Return what the query names, each as all its names, case-folded: entities, and names that have others."""
    found: dict[frozenset[str], None] = {}
    for entity in state.entities:
        group = state.names.named.get(normal(entity), frozenset())
        found.setdefault(frozenset((entity.casefold(), *(each.casefold() for each in group))))
    for group in state.names.named.values():
        if not any(group <= known for known in found):
            found.setdefault(group)
    return list(found)


def entity_arm(state: Recalling, among: Collection[str] | None = None) -> EntityArm | None:
    """Return the arm of the memories that name an entity of the query, under any of its names; None for none.

    `among`: only these entities, as `things` spells them.
    """
    wanted = dict.fromkeys(
        name for thing in things(state) if among is None or not thing.isdisjoint(among) for name in sorted(thing)
    )
    return EntityArm(tuple(wanted)) if wanted else None


def share_of_things(scores: Scores, state: Recalling) -> Scores:
    """Return the scores of `entity_arm` as a share of the things instead of their names, at most 1."""
    wanted = things(state)
    names = len({name for thing in wanted for name in thing})
    shares: Scores = np.minimum(scores * float(names / max(1, len(wanted))), 1.0)
    return np.round(shares, DECIMALS)


def _arm(name: str) -> KeywordArm:
    """Return the arm of the memories that hold every term of a name, in their text, entities or tags."""
    words = tuple((term, 1.0) for term in name_terms(name))
    return KeywordArm(words, mode="all", scoring="coverage", fields=(1.0, 1.0, 0.0, 1.0))


def _within(name: str, other: str) -> bool:
    return f" {name} " in f" {other} " if other.isascii() else name in other


@stage
class MatchEntities:
    """Marks candidates that hold a declared or learned name which the query names, under any of its names.

    Signal `entity`: 1.0 or 0.0. A name that more than `most_share` of the memories hold, and more than `few`
    memories, is no evidence; nor is one that `pool` memories or more hold. Authors and names that were only
    extracted from texts do not count.
    """

    needs = ("named", "candidates")
    gives = ("entity",)
    most_share: float = 0.2
    few: int = 20
    pool: int = 200

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not state.names.named or state.found is None or not len(state.keys):
            return state
        marked = np.zeros(len(state.keys))
        for group in state.names.named.values():
            names = [f"{PREFIX}{name}" for name in sorted(group)]
            holders = ascending(np.concatenate([state.found.lists[name].keys for name in names]))
            if len(holders) < self.pool and len(holders) <= max(self.few, self.most_share * state.found.eligible):
                for name in names:
                    marked = np.maximum(marked, state.found.scores[name] > 0)
        state.signals["entity"] = marked
        return state
