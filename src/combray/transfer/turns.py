"""One turn of a conversation, and how plain JSON objects become one."""

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
"""Characters of one memory (Mnemon page 5.1 step 1). A longer turn becomes several episodes."""

_NAMES = {
    "text": ("text", "content"),
    "author": ("author", "role", "speaker"),
    "occurred_at": ("occurred_at", "timestamp"),
    "context": ("context", "caption", "blip_caption"),
}
"""Field of a turn -> the keys it may be called by in a plain transcript."""
_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"[.!?。！？]\s*"), re.compile(r"\s"))
"""Where a long turn may be cut: best first."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Who said what when. `context` is what came with it (a picture's caption), `metadata` the rest."""

    session: str
    text: str
    author: str | None = None
    occurred_at: datetime | None = None
    context: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def items(self) -> Iterator[dict[str, Any]]:
        """The turn as fields for `remember_many`; a long one in parts that tell their number."""
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
    """The text in parts of at most `longest` characters, cut at a paragraph, line, sentence or word."""
    rest = text.strip()
    while len(rest) > longest:
        cut = _cut(rest, longest)
        yield rest[:cut].rstrip()
        rest = rest[cut:].lstrip()
    if rest:
        yield rest


def _cut(text: str, longest: int) -> int:
    for pattern in _BREAKS:
        # Not in the first half: a short part followed by a long one would carry half a thought each.
        ends = [found.end() for found in pattern.finditer(text, longest // 2, longest) if found.end() > 0]
        if ends:
            return ends[-1]
    return longest


def plain_turn(fields: Mapping[str, Any], now: float) -> Turn:
    """A turn from {"text" | "content", "author" | "role" | "speaker", "session", "occurred_at" |
    "timestamp", "context"}; every other key goes into its metadata. Raises InvalidInputError."""
    rest = dict(fields)
    values: dict[str, Any] = {"session": rest.pop("session", None)}
    for name, aliases in _NAMES.items():
        given = [alias for alias in aliases if rest.get(alias) is not None]
        values[name] = rest.pop(given[0]) if given else None
    extra = rest.pop("metadata", None) or {}
    if not isinstance(extra, Mapping):
        raise InvalidInputError("metadata", f"{shown(extra)} is no object.")
    text = values["text"]
    if not isinstance(text, str) or not text.strip():
        raise InvalidInputError("text", f"{shown(text)} is no text.", 'Every turn needs "text" or "content".')
    for name in ("author", "context"):
        if values[name] is not None and not isinstance(values[name], str):
            raise InvalidInputError(name, f"{shown(values[name])} is no text.")
    session = values["session"]
    if session is not None and (isinstance(session, bool) or not isinstance(session, str | int)):
        raise InvalidInputError("session", f"{shown(session)} is no name of a session.")
    return Turn(
        session="session" if session is None else str(session),
        text=text,
        author=values["author"],
        occurred_at=as_moment("occurred_at", values["occurred_at"], now),
        context=values["context"] or "",
        metadata={**{name: each for name, each in rest.items() if each is not None}, **extra},
    )
