"""Scripted callers: they know the story, and settle what the engine asks them, rightly or wrongly.

Only the stories know which statement changes which; the engine never sees it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from combray.types import Verdict

Caller = Literal["nobody", "right", "right, also at recall", "half wrong", "half wrong, undone"]
CALLERS: tuple[Caller, ...] = ("nobody", "right", "right, also at recall", "half wrong", "half wrong, undone")


@dataclass
class Script:
    """One caller for one story."""

    caller: Caller
    revisions: Mapping[str, frozenset[str]]
    """Ref of a statement -> refs of the earlier statements that it makes outdated."""
    known: Mapping[str, Sequence[tuple[float, bool]]] = field(default_factory=dict)
    """Ref of a statement -> each question that it answers, in order: its moment, whether it is current then."""
    keep: frozenset[str] = frozenset()
    """Refs of what stays true. Rumours and overtaken plans are in no list of a story: of them the caller does not
    say that they hold."""
    wrong: list[tuple[str, str]] = field(default_factory=list)
    """Pairs (new, old) that were answered wrongly."""

    def verdict(self, new: str, old: str, now: float = math.inf) -> Verdict | None:
        """What the caller answers when asked whether `new` changes `old`; None if it does not answer.

        A plan that the engine does not know the day of changes nothing yet: then the caller waits.
        """
        holds = next((current for at, current in self.known.get(old, ()) if at >= now), False)
        if self.caller == "nobody" or holds:
            return None
        changes = old in self.revisions.get(new, frozenset())
        if not changes and self.keep and old not in self.keep and old not in self.known:
            return None
        right: Verdict = "supersedes" if changes else "both"
        if not self.caller.startswith("half wrong") or _coin(new, old):
            return right
        self.wrong.append((new, old))
        return "both" if right == "supersedes" else "supersedes"

    @property
    def answers_at_recall(self) -> bool:
        """Whether the caller also settles pairs that recall marks."""
        return self.caller == "right, also at recall"

    @property
    def undoes(self) -> bool:
        """Whether the caller takes its wrong answers back at the end."""
        return self.caller == "half wrong, undone"


def _coin(new: str, old: str) -> bool:
    """Half of all pairs, always the same ones."""
    return hashlib.sha256(f"{new}|{old}".encode()).digest()[0] % 2 == 0
