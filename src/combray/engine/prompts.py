"""What the prompts of a session hold: the digest for its start, and what earlier prompts showed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from combray.audit.audited import audited
from combray.engine.lists import list_memories
from combray.engine.namespace import Verbs
from combray.engine.settling import unsettled
from combray.prompt.budget import Context, Piece, Slot, assemble
from combray.prompt.context import bounded, budget_of, known_by, line_pieces, without_repeats
from combray.prompt.held import add_shown, forget_shown, shown_before
from combray.types import Memory
from combray.values import short_ids

_MOST = 8
_QUESTIONS = 3
_TURNS = 4
_AHEAD = timedelta(days=7)
"""How far ahead a plan is announced."""
_WIDTH = 200
"""Characters of a memory in an open question."""

SLOTS = (
    Slot("important", "IMPORTANT", 200, 500),
    Slot("due", "PLANS", 50, 200),
    Slot("changed", "CHANGED SINCE THE LAST SESSION", 100, 300),
    Slot("open", "OPEN QUESTIONS", 100, 300),
    Slot("recent", "LAST SAID", 100, 400),
)


class Prompts:
    """`engine.prompts`: what a session's prompts are given at its start, and what they hold."""

    def __init__(self, verbs: Verbs) -> None:
        self._engine = verbs
        self._at = verbs._at

    @audited("digest")
    def digest(
        self, session: str = "", *, since: str = "", budget: int | None = None, characters: int | None = None
    ) -> Context:
        """Return the text for the start of a session, at most `budget` tokens (None: `context_budget`).

        It has what is important, due, changed, left open, and what was said last. What the session's prompts hold
        is left out, and the store remembers what this text holds. `since`: when the last session ended
        (ISO 8601), "" if unknown. `characters` bounds the text, too.
        """
        engine = self._engine
        now = datetime.fromtimestamp(engine.now, UTC)
        budget = budget_of(engine, budget)
        found = {
            "important": self._listed({"importance": {"gte": 4}}, "-importance", _MOST),
            "due": self._due(now, since),
            "changed": self._changed(since),
            # The last turns of earlier sessions, in order.
            "recent": self._listed({"kind": "episode", "session": {"ne": session}}, "-moment", _TURNS)[::-1],
        }
        taken = set(shown_before(engine.reader, session).ids)
        pieces: dict[str, list[Piece]] = {}
        for name, memories in found.items():
            new = [
                each
                for each in without_repeats(memories)[0]
                if each.id not in taken and each.trust != "untrusted"
            ]
            pieces[name] = line_pieces(engine, new)
            taken |= {each.id for each in new}
        pieces["open"] = self._questions()
        made = assemble(pieces, budget=budget, counter=bounded(None, budget, characters), slots=SLOTS)
        ids = [each for section in made.sections if section.name != "open" for each in section.ids]
        if session:
            add_shown(engine.runtime.store, engine.namespace, session, ids, 0)
        return made

    def forget_shown(self, session: str) -> bool:
        """Forget what the prompts of a session held: it was compacted. False if another process writes now."""
        return forget_shown(self._engine.runtime.store, self._engine.namespace, session)

    def _listed(self, where: dict[str, Any], order: str, limit: int) -> list[Memory]:
        return list(list_memories(self._at, where, order=order, limit=limit, after="", namespaces=None))

    def _due(self, now: datetime, since: str) -> list[Memory]:
        """Plans whose day has come since the last session, or comes within a week."""
        start = _moment(since) or now - timedelta(days=1)
        return self._listed({"valid_from": {"gt": start, "lte": now + _AHEAD}}, "valid_from", _MOST)

    def _changed(self, since: str) -> list[Memory]:
        """Facts that were stored since the last session, those that replaced another first."""
        start = _moment(since)
        if start is None:
            return []
        new: dict[str, Any] = {"recorded_at": {"gt": start}, "kind": {"ne": "episode"}}
        replacing = self._listed(new | {"supersedes": {"exists": True}}, "-recorded_at", _MOST)
        return [*replacing, *self._listed(new, "-recorded_at", _MOST)]

    def _questions(self) -> list[Piece]:
        """Ask about pairs that a caller left open. Other pairs are asked about only beside a hit."""
        pairs = unsettled(self._at, _QUESTIONS, left_open=True)
        ids = [end.id for pair in pairs for end in (pair.new, pair.old)]
        names = short_ids(ids, partial(known_by, [self._engine.reader]))
        return [
            Piece(
                f"{pair.new.id} {pair.old.id}",
                f'Does {names[pair.new.id]} "{_short(pair.new)}" replace '
                f'{names[pair.old.id]} "{_short(pair.old)}"?',
            )
            for pair in pairs
            if "untrusted" not in (pair.new.trust, pair.old.trust)
        ]


def _short(memory: Memory) -> str:
    line = " ".join(memory.content.split())
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"


def _moment(at: str) -> datetime | None:
    try:
        return datetime.fromisoformat(at)
    except ValueError:
        return None
