"""Candidates for facts: statements, and the episodes that make them."""

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
    """One statement, and the episodes that make or support it. The first is the origin of its text."""

    stated: Statement
    said: list[Said]

    @property
    def first(self) -> Said:
        """The episode of the text."""
        return self.said[0]

    @property
    def author(self) -> str | None:
        """The speaker, if the text is in the first person. None if it names its subject."""
        return self.first.episode.author if self.stated.as_said else None

    @property
    def since(self) -> datetime:
        """The start of validity: the time in the text, else when it was first said."""
        return self.stated.since or min(each.episode.moment for each in self.said)

    @property
    def latest(self) -> datetime:
        """When it was last said."""
        return max(each.episode.moment for each in self.said)


def stated_in(
    episodes: Sequence[Said], around: Mapping[int, Sequence[Said]], known: Collection[str]
) -> list[Candidate]:
    """Return candidates in the order of the episodes. Equal texts are one candidate.

    Args:
        around: for each key, the episodes of its cluster. Those that make the same claim are evidence too.
        known: names that a statement may be about.
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
