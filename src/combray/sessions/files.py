"""The session files in a folder of an agent client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_NOT_SESSIONS = frozenset(("subagents", "tool-results", "workflows"))
"""Folders of Claude Code beside a session; what subagents did is not part of the conversation."""


def session_files(folder: Path) -> Iterator[Path]:
    """Yield the session files below a folder, the oldest first."""
    found = []
    # Gemini CLI writes one JSON document a session.
    for path in (*folder.rglob("*.jsonl"), *folder.rglob("chats/session-*.json")):
        inside = path.relative_to(folder).parts
        # Below the folder "projects" Cursor keeps other things beside the transcripts.
        if path.is_file() and not _NOT_SESSIONS.intersection(inside[:-1]):
            found.append((path.stat().st_mtime, path))
    for _, path in sorted(found):
        yield path
