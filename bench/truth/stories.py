"""Stories as they are stored in a `.jsonl` file, one a line.

`{"id", "lang", "kind", "statements": [{"at", "author", "text"}],
"questions": [{"at", "text", "current", "stale"}], "keep": [index]}`

Indices count the statements of the story from 0.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

HEDGED_KINDS = ("past-reference", "future-plan", "hypothetical-or-quoted")
"""Kinds in which a later statement about the past, the future or a rumour must not hide the present."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One text of a story; `ref` is unique over all stories."""

    ref: str
    at: float
    author: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question at a moment: refs of the statements that answer it then, and of those that no longer do."""

    story: str
    kind: str
    language: str
    at: float
    text: str
    current: frozenset[str]
    stale: frozenset[str]


@dataclass(frozen=True, slots=True)
class Story:
    """Statements in time order, questions, and refs of what must stay findable as true at the end."""

    name: str
    kind: str
    language: str
    statements: tuple[Statement, ...]
    questions: tuple[Question, ...]
    keep: frozenset[str]

    @property
    def revisions(self) -> dict[str, frozenset[str]]:
        """Refs of the statements that change something, each with the earlier statements that it makes stale.

        In a chain of values (two stale ones and the current one) the second revises the first.
        """
        at = {each.ref: each.at for each in self.statements}
        found: dict[str, set[str]] = {}
        for question in self.questions:
            for new in question.current | question.stale:
                earlier = {old for old in question.stale if at[old] < at[new]}
                if new in question.stale:
                    earlier -= self.keep
                if earlier:
                    found.setdefault(new, set()).update(earlier)
        return {new: frozenset(old) for new, old in found.items()}


def load(path: Path) -> list[Story]:
    """Every story of a file. Raises OSError, and ValueError for a line that is not a story."""
    return [_story(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def together(stories: Sequence[Story]) -> list[Story]:
    """One story a language that holds all statements and questions of that language's stories, in time order."""
    merged = []
    for language in sorted({story.language for story in stories}):
        same = [story for story in stories if story.language == language]
        statements = sorted((each for story in same for each in story.statements), key=lambda each: each.at)
        merged.append(
            Story(
                name=f"all {language}",
                kind="all",
                language=language,
                statements=tuple(statements),
                questions=tuple(question for story in same for question in story.questions),
                keep=frozenset().union(*(story.keep for story in same)),
            )
        )
    return merged


def _story(entry: dict[str, object]) -> Story:
    name, kind, language = (str(entry[field]) for field in ("id", "kind", "lang"))
    statements, questions = entry["statements"], entry["questions"]
    if not isinstance(statements, list) or not isinstance(questions, list) or not isinstance(entry["keep"], list):
        raise ValueError(f"story {name}: statements, questions and keep must be lists")

    def refs(indices: Sequence[int]) -> frozenset[str]:
        return frozenset(f"{name}:{index}" for index in indices)

    return Story(
        name=name,
        kind=kind,
        language=language,
        statements=tuple(
            Statement(f"{name}:{index}", _seconds(each["at"]), each["author"], each["text"])
            for index, each in enumerate(statements)
        ),
        questions=tuple(
            Question(
                story=name,
                kind=kind,
                language=language,
                at=_seconds(each["at"]),
                text=each["text"],
                current=refs(each["current"]),
                stale=refs(each["stale"]),
            )
            for each in questions
        ),
        keep=refs(entry["keep"]),
    )


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).astimezone(UTC).timestamp()
