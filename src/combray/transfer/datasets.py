"""The JSON formats of two published conversation data sets. Answer labels are never read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from combray.errors import InvalidInputError
from combray.transfer.report import shown
from combray.transfer.turns import Turn
from combray.values import as_moment

_ANCIENT = datetime(1, 1, 1, tzinfo=UTC)
_SESSION = re.compile(r"session_(\d+)")


def sessions_turns(conversation: Mapping[str, Any], now: float) -> list[Turn]:
    """Read LoCoMo: `session_N` lists turns {speaker, dia_id, text, blip_caption?}; `session_N_date_time`.

    Sessions are ordered by number. Raises InvalidInputError. Source: https://github.com/snap-research/locomo
    """
    names = [(int(found[1]), name) for name in conversation if (found := _SESSION.fullmatch(name))]
    if not names:
        raise InvalidInputError("conversation", 'has no "session_1".', "Name the sessions session_N.")
    turns = []
    for _, name in sorted(names):
        moment = as_moment(f"{name}_date_time", conversation.get(f"{name}_date_time"), now)
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


def haystack_turns(fields: Mapping[str, Any], now: float) -> list[Turn]:
    """Read LongMemEval: `haystack_sessions` lists sessions of {role, content}, with `haystack_dates` and
    `haystack_session_ids`.

    Sessions are ordered by date. Raises InvalidInputError. Source: https://github.com/xiaowu0162/LongMemEval
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
    dated = [as_moment("haystack_dates", date, now) for date in dates]
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
