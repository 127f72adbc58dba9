"""Candidates for facts: what episodes state, and which episodes state it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from combray.language.indexing import normalised
from combray.language.statements import Statement, statements
from combray.language.support import supports
from combray.types import Memory


@dataclass(frozen=True, slots=True)
class Said:
    """An episode with its key."""

    key: int
    episode: Memory


@dataclass(slots=True)
class Candidate:
    """One statement, and the episodes that make it or support it, the one it was taken from first."""

    stated: Statement
    said: list[Said]

    @property
    def first(self) -> Said:
        """The episode it was taken from."""
        return self.said[0]

    @property
    def author(self) -> str | None:
        """Whose "I" its text holds; None where the text names its subject."""
        return self.first.episode.author if self.stated.as_said else None

    @property
    def since(self) -> datetime:
        """From when it holds: the time it names, else when it was first said."""
        return self.stated.since or min(each.episode.moment for each in self.said)

    @property
    def latest(self) -> datetime:
        """When it was said last."""
        return max(each.episode.moment for each in self.said)


def stated_in(
    episodes: Sequence[Said], around: Mapping[int, Sequence[Said]], known: Collection[str]
) -> list[Candidate]:
    """Candidates in the order of the episodes; the same words of several episodes are one candidate.

    `around` gives, by key, the other episodes of an episode's cluster: those that make the same claim are
    evidence too. `known` are names that a statement may be about.
    """
    found: dict[tuple[str, str | None], Candidate] = {}
    for each in episodes:
        episode = each.episode
        for stated in statements(episode.content, episode.author, episode.moment, known):
            author = episode.author if stated.as_said else None
            candidate = found.setdefault((normalised(stated.text), author), Candidate(stated, []))
            _join(candidate, each)
            for other in around.get(each.key, ()):
                said = other.episode
                if supports(stated.text, said.content, speaker=said.author, owner=episode.author, strict=False):
                    _join(candidate, other)
    return list(found.values())


def _join(candidate: Candidate, said: Said) -> None:
    if all(said.key != each.key for each in candidate.said):
        candidate.said.append(said)
