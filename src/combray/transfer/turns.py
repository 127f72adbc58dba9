"""One turn of a conversation; its plain JSON format, and those of two published data sets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any

from combray.errors import InvalidInputError
from combray.records import dataclass, field
from combray.transfer.parser import shown
from combray.values import as_moment

COPIED = "copied"
"""Key in the metadata of a turn that a branch of a conversation has copied from another."""
LONGEST = 8000
"""Maximum characters of one episode. A longer turn becomes several."""

_NAMES = {
    "text": ("text", "content"),
    "author": ("author", "role", "speaker"),
    "occurred_at": ("occurred_at", "timestamp"),
    "context": ("context", "caption", "blip_caption"),
}
"""Field of a turn -> its accepted names in a plain transcript."""
_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"[.!?。！？]\s*"), re.compile(r"\s"))
"""Where a long turn may be split, best first."""
_ANCIENT = datetime(1, 1, 1, tzinfo=UTC)
_SESSION = re.compile(r"session_(\d+)")


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn. `context`: accompanying text, such as a picture's caption; `metadata`: all other fields."""

    session: str
    text: str
    author: str | None = None
    occurred_at: datetime | None = None
    context: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def items(self) -> Iterator[dict[str, Any]]:
        """Yield the turn as fields for `remember_many`; a long one in numbered parts."""
        parts = list(pieces(self.text))
        for number, text in enumerate(parts, 1):
            metadata = dict(self.metadata)
            if len(parts) > 1:
                metadata |= {"part": number, "parts": len(parts)}
            yield {
                "content": text,
                "kind": "episode",
                "session": self.session,
                "author": self.author,
                "occurred_at": self.occurred_at,
                "context": self.context[:LONGEST],
                "metadata": metadata,
            }


def pieces(text: str, longest: int = LONGEST) -> Iterator[str]:
    """Split a text into parts of at most `longest` characters at a paragraph, line, sentence or word."""
    rest = text.strip()
    while len(rest) > longest:
        cut = _cut(rest, longest)
        yield rest[:cut].rstrip()
        rest = rest[cut:].lstrip()
    if rest:
        yield rest


def _cut(text: str, longest: int) -> int:
    for pattern in _BREAKS:
        # Not in the first half, so that no part is very short.
        ends = [found.end() for found in pattern.finditer(text, longest // 2, longest) if found.end() > 0]
        if ends:
            return ends[-1]
    return longest


def plain_turn(fields: Mapping[str, Any], now: float, zone: tzinfo = UTC) -> Turn:
    """Read a turn. Raises InvalidInputError.

    Keys: "text" or "content"; "author", "role" or "speaker"; "session"; "occurred_at" or "timestamp"; "context".
    Other keys go into its metadata.
    """
    rest = dict(fields)
    values: dict[str, Any] = {"session": rest.pop("session", None)}
    for name, aliases in _NAMES.items():
        given = [alias for alias in aliases if rest.get(alias) is not None]
        values[name] = rest.pop(given[0]) if given else None
    extra = rest.pop("metadata", None) or {}
    if not isinstance(extra, Mapping):
        raise InvalidInputError("metadata", f"must be a JSON object, got {shown(extra)}.")
    text = values["text"]
    if not isinstance(text, str) or not text.strip():
        problem = f"must be a text that is not blank, got {shown(text)}."
        raise InvalidInputError("text", problem, 'Give every turn "text" or "content".')
    for name in ("author", "context"):
        if values[name] is not None and not isinstance(values[name], str):
            raise InvalidInputError(name, f"must be a text, got {shown(values[name])}.")
    session = values["session"]
    if session is not None and (isinstance(session, bool) or not isinstance(session, str | int)):
        raise InvalidInputError("session", f"must be a text or a number, got {shown(session)}.")
    return Turn(
        session="session" if session is None else str(session),
        text=text,
        author=values["author"],
        occurred_at=as_moment("occurred_at", values["occurred_at"], now, zone),
        context=values["context"] or "",
        metadata={**{name: each for name, each in rest.items() if each is not None}, **extra},
    )


def sessions_turns(conversation: Mapping[str, Any], now: float, zone: tzinfo = UTC) -> list[Turn]:
    """Read LoCoMo: `session_N` lists turns {speaker, dia_id, text, blip_caption?}; `session_N_date_time`.

    Sessions are ordered by number. Answer labels are never read. Raises InvalidInputError. Source: https://github.com/snap-research/locomo
    """
    names = [(int(found[1]), name) for name in conversation if (found := _SESSION.fullmatch(name))]
    if not names:
        raise InvalidInputError("conversation", 'has no "session_1".', "Name the sessions session_N.")
    turns = []
    for _, name in sorted(names):
        moment = as_moment(f"{name}_date_time", conversation.get(f"{name}_date_time"), now, zone)
        for number, fields in enumerate(_objects(name, conversation[name]), 1):
            caption = _optional("blip_caption", fields, name, number) or ""
            spoken = (_optional("text", fields, name, number) or "").strip()
            if not spoken and not caption:
                raise InvalidInputError(f"{name}, turn {number}", "must have a text or a caption.")
            identifier = fields.get("dia_id")
            turns.append(
                Turn(
                    session=name,
                    text=spoken or caption,
                    author=_optional("speaker", fields, name, number),
                    occurred_at=moment,
                    context=caption if spoken else "",
                    metadata={} if identifier is None else {"dia_id": identifier},
                )
            )
    return turns


def haystack_turns(fields: Mapping[str, Any], now: float, zone: tzinfo = UTC) -> list[Turn]:
    """Read LongMemEval: `haystack_sessions` lists sessions of {role, content}, with `haystack_dates` and
    `haystack_session_ids`.

    Sessions are ordered by date. Answer labels are never read. Raises InvalidInputError. Source: https://github.com/xiaowu0162/LongMemEval
    """
    sessions = _list("haystack_sessions", fields.get("haystack_sessions"))
    dates = _list("haystack_dates", fields.get("haystack_dates") or [None] * len(sessions))
    ids = _list(
        "haystack_session_ids",
        fields.get("haystack_session_ids") or [f"session_{number}" for number in range(1, len(sessions) + 1)],
    )
    for name, values in (("haystack_dates", dates), ("haystack_session_ids", ids)):
        if len(values) != len(sessions):
            problem = f"must have one entry per session ({len(sessions)}), got {len(values)}."
            raise InvalidInputError(name, problem)
    dated = [as_moment("haystack_dates", date, now, zone) for date in dates]
    moments: list[datetime] = []
    for date in dated:
        # A session without a date stays after the previous one in the file.
        moments.append(date or (moments[-1] if moments else _ANCIENT))
    order = sorted(range(len(sessions)), key=moments.__getitem__)
    turns = []
    for at in order:
        session = str(ids[at])
        for number, each in enumerate(_objects(session, sessions[at]), 1):
            text = _optional("content", each, session, number)
            # Data sets contain empty turns; these are skipped.
            if text and text.strip():
                turns.append(
                    Turn(
                        session=session,
                        text=text,
                        author=_optional("role", each, session, number),
                        occurred_at=dated[at],
                        metadata={"turn": number},
                    )
                )
    return turns


def _list(field: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidInputError(field, f"must be a list, got {shown(value)}.")
    return value


def _objects(field: str, value: Any) -> list[dict[str, Any]]:
    for number, each in enumerate(_list(field, value), 1):
        if not isinstance(each, dict):
            raise InvalidInputError(f"{field}, turn {number}", f"must be a JSON object, got {shown(each)}.")
    found: list[dict[str, Any]] = value
    return found


def _optional(name: str, fields: Mapping[str, Any], session: str, number: int) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidInputError(f"{session}, turn {number}", f"{name} must be a text, got {shown(value)}.")
    return value
