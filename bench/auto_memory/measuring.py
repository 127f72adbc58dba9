"""Our own messages, labelled by hand, and what auto-memory makes of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from combray.language.savings import Saving, worth_saving

MESSAGES = Path(__file__).with_name("messages.jsonl")
Part = Literal["tuning", "held"]


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A message, its author's role, whether something of it is worth keeping, and of which kind it is.

    `part`: patterns were written looking at "tuning"; "held" was only counted.
    """

    lang: str
    kind: str
    save: bool
    role: str
    part: Part
    text: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A message and what was kept of it."""

    message: Message
    savings: tuple[Saving, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """Messages of a group: rightly kept, wrongly kept, missed, rightly left."""

    kept: int
    wrong: int
    missed: int
    left: int

    @property
    def precision(self) -> float:
        """Of what was kept, the share that should be; 1 when nothing was."""
        return self.kept / (self.kept + self.wrong) if self.kept + self.wrong else 1.0

    @property
    def recall(self) -> float:
        """Of what should be kept, the share that was; 1 when there is nothing to keep."""
        return self.kept / (self.kept + self.missed) if self.kept + self.missed else 1.0


def messages(path: Path = MESSAGES) -> list[Message]:
    """The labelled messages."""
    return [msgspec.json.decode(line, type=Message) for line in path.read_bytes().splitlines()]


def judge(listed: Iterable[Message]) -> list[Judged]:
    """What auto-memory keeps of each."""
    return [Judged(each, tuple(worth_saving(each.text, each.role))) for each in listed]


def score(judged: Sequence[Judged]) -> Score:
    """Counts over messages: one is kept when anything of it is."""
    kept = sum(each.message.save and bool(each.savings) for each in judged)
    wrong = sum(not each.message.save and bool(each.savings) for each in judged)
    due = sum(each.message.save for each in judged)
    return Score(kept, wrong, due - kept, len(judged) - due - wrong)
