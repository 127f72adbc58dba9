"""Evidence: episodes that support a fact. Source: docs/explanation/consolidation.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from combray.consolidate.load import Nearness, by_words
from combray.consolidate.state import Planning
from combray.consolidate.steps import Support
from combray.language.scopes import scope_set
from combray.language.support import supports
from combray.language.tokens import content_terms
from combray.records import dataclass
from combray.runtime import Filter, Reader, Runtime
from combray.types import Memory

_MOST = 1_000_000
"""Limit of episodes compared with one fact: no limit in practice."""
_KEPT = 20_000
"""Episodes in the cache."""
_USER_WORDS = frozenset(("user", "用户"))


@dataclass(frozen=True, slots=True)
class _Reading:
    """Cached reads: an episode near many facts is read once."""

    reader: Reader
    where: Filter
    episode: Callable[[int], list[Memory]]


@dataclass(frozen=True)
class GatherEvidence:
    """Finds later episodes that support a fact. Each episode and each origin count once.

    Repetition by one speaker in one conversation, or on one day, is not further evidence. Candidates have a
    cosine of at least `similar_from`; for a fact without a vector they contain all of its content terms (two or
    more). Support means the same claim about the same person, not negated, asked or guessed. Speakers in
    `not_from` and episodes outside `trusts` do not count: an agent that repeats a fact proves nothing.
    """

    needs = ("facts",)
    gives = ("evidence",)
    similar_from: float = 0.75
    trusts: tuple[str, ...] = ("owner", "agent")
    not_from: tuple[str, ...] = ("assistant", "agent", "ai", "bot", "system")

    def __call__(self, state: Planning, runtime: Runtime) -> Planning:
        if not state.facts:
            return state
        reader = runtime.store.reader(state.namespace)
        since = min(memory.recorded_at for memory in state.facts.values()).timestamp()
        where = Filter(kinds=("episode",), trusts=self.trusts, since=since)
        if not len(reader.scan(where, limit=1)):
            return state
        read = _Reading(reader, where, lru_cache(maxsize=_KEPT)(lambda key: reader.memories([key])))
        nearness = Nearness(reader, state.model, where, self.similar_from, _MOST)
        for done, (key, near) in enumerate(nearness.near(sorted(state.facts))):
            fact = state.facts[key]
            candidates = self._by_words(fact, read) if near is None else near.keys.tolist()
            supporting = [
                (other, episode)
                for other, episode in self._since(fact, candidates, read, state.now)
                if supports(
                    fact.content, episode.content, speaker=episode.author, owner=fact.author, strict=near is None
                )
            ]
            supporting.sort(key=lambda each: (each[1].moment, each[1].id))
            found = independent(fact, supporting, reader)
            if found:
                latest = found[-1][1].moment
                step = Support(key, tuple(each for each, _ in found), latest.timestamp())
                detail = f"{len(found)} new episode{'s' if len(found) > 1 else ''}, the last of {latest:%Y-%m-%d}"
                state.take(step, detail, {each: episode.id for each, episode in found})
            if done % 1000 == 0:
                state.report(self, done, len(state.facts))
        return state

    def _since(self, fact: Memory, keys: list[int], read: _Reading, now: float) -> Iterator[tuple[int, Memory]]:
        """Yield episodes after the fact was recorded that are not counted yet and not from `not_from`."""
        counted = set(fact.evidence)
        if not keys:
            return
        rows = read.reader.rows(np.array(keys, dtype=np.int64))
        late = (rows.moment > fact.recorded_at.timestamp()) & (rows.moment <= now)
        for other, is_late in zip(keys, late, strict=True):
            if not is_late:
                continue
            for episode in read.episode(other):
                inside = scope_set(episode.tags) == scope_set(fact.tags)
                if (
                    inside
                    and episode.id not in counted
                    and (episode.author or "").casefold() not in self.not_from
                ):
                    yield other, episode

    def _by_words(self, fact: Memory, read: _Reading) -> list[int]:
        owner = set(content_terms(fact.author or ""))
        wanted = [term for term in dict.fromkeys(content_terms(fact.content)) if term not in _USER_WORDS | owner]
        if len(wanted) < 2:
            return []
        return by_words(read.reader, wanted, read.where, _MOST, mode="all")


def independent(fact: Memory, found: list[tuple[int, Memory]], reader: Reader) -> list[tuple[int, Memory]]:
    """Return the first episode of each origin that is not in the evidence yet."""
    if not found:
        return found
    heard = {origin(each) for each in reader.memories(reader.keys_of(fact.evidence).values())}
    kept = []
    for key, episode in found:
        if origin(episode) not in heard:
            heard.add(origin(episode))
            kept.append((key, episode))
    return kept


def origin(episode: Memory) -> tuple[str, str, str]:
    """Return source, speaker, and the conversation, or without one the day."""
    return episode.source, (episode.author or "").casefold(), episode.session or f"{episode.moment:%Y-%m-%d}"
