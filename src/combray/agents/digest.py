"""The digest of a session's start: what is important, due, changed, left open, and what was said last."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from combray.agents.events import Event
from combray.language.token_count import TokenCounter
from combray.prompt.budget import Piece, Slot, assemble
from combray.prompt.context import budget_of, line_pieces, without_repeats
from combray.prompt.shown import add_shown, shown_before
from combray.sessions.printed import COMPACTED, GUIDE
from combray.types import Memory

if TYPE_CHECKING:
    from combray.engine import Engine

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


def digest(engine: Engine, event: Event, since: str, counter: TokenCounter) -> str:
    """Return the text for a session's start. `since`: when the last session ended (ISO 8601), "" if unknown."""
    now = datetime.fromtimestamp(engine.runtime.clock(), UTC)
    shown = set(shown_before(engine.reader, event.session).ids)
    found = {
        "important": _listed(engine, {"importance": {"gte": 4}}, "-importance", _MOST),
        "due": _due(engine, now, since),
        "changed": _changed(engine, since),
        "recent": _said_last(engine, event.session),
    }
    taken = set(shown)
    pieces: dict[str, list[Piece]] = {}
    for name, memories in found.items():
        new = [
            each for each in without_repeats(memories)[0] if each.id not in taken and each.trust != "untrusted"
        ]
        pieces[name] = line_pieces(engine, new)
        taken |= {each.id for each in new}
    pieces["open"] = _questions(engine)
    made = assemble(pieces, budget=budget_of(engine, None), counter=counter, slots=SLOTS)
    ids = [each for section in made.sections if section.name != "open" for each in section.ids]
    if event.session:
        add_shown(engine.runtime.store, engine.namespace, event.session, ids, 0)
    total = engine.reader.count(None)
    compacted = COMPACTED if event.source == "compact" else ""
    return "\n\n".join(filter(None, (GUIDE.format(count=total), compacted, made.text)))


def _listed(engine: Engine, where: dict[str, Any], order: str, limit: int) -> list[Memory]:
    return list(engine.list(where, order=order, limit=limit))


def _due(engine: Engine, now: datetime, since: str) -> list[Memory]:
    """Plans whose day has come since the last session, or comes within a week."""
    start = _moment(since) or now - timedelta(days=1)
    return _listed(engine, {"valid_from": {"gt": start, "lte": now + _AHEAD}}, "valid_from", _MOST)


def _changed(engine: Engine, since: str) -> list[Memory]:
    """Facts that were stored since the last session, those that replaced another first."""
    start = _moment(since)
    if start is None:
        return []
    new: dict[str, Any] = {"recorded_at": {"gt": start}, "kind": {"ne": "episode"}}
    replacing = _listed(engine, new | {"supersedes": {"exists": True}}, "-recorded_at", _MOST)
    return [*replacing, *_listed(engine, new, "-recorded_at", _MOST)]


def _said_last(engine: Engine, session: str) -> list[Memory]:
    """The last turns of earlier sessions, in order."""
    turns = _listed(engine, {"kind": "episode", "session": {"ne": session}}, "-moment", _TURNS)
    return turns[::-1]


def _questions(engine: Engine) -> list[Piece]:
    """Ask about pairs that a caller left open. Other pairs are asked about only beside a hit."""
    pairs = engine.unsettled(_QUESTIONS, left_open=True)
    ids = {each.id: each.text for each in _ids(engine, (end for pair in pairs for end in (pair.new, pair.old)))}
    return [
        Piece(
            f"{pair.new.id} {pair.old.id}",
            f'Does {ids[pair.new.id]} "{_short(pair.new)}" replace {ids[pair.old.id]} "{_short(pair.old)}"?',
        )
        for pair in pairs
        if "untrusted" not in (pair.new.trust, pair.old.trust)
    ]


def _ids(engine: Engine, memories: Iterable[Memory]) -> list[Piece]:
    from combray.prompt.context import known_by
    from combray.values import short_ids

    listed = [each.id for each in memories]
    short = short_ids(listed, lambda beginnings: known_by([engine.reader], beginnings))
    return [Piece(each, short[each]) for each in listed]


def _short(memory: Memory) -> str:
    line = " ".join(memory.content.split())
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"


def _moment(at: str) -> datetime | None:
    try:
        return datetime.fromisoformat(at)
    except ValueError:
        return None
