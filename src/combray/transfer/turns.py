"""One turn of a conversation, and its plain JSON format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from combray.errors import InvalidInputError
from combray.transfer.report import shown
from combray.values import as_moment

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


def plain_turn(fields: Mapping[str, Any], now: float) -> Turn:
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
        occurred_at=as_moment("occurred_at", values["occurred_at"], now),
        context=values["context"] or "",
        metadata={**{name: each for name, each in rest.items() if each is not None}, **extra},
    )
