"""Where agent clients keep their session files, and the files in a folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from combray.clients.places import Places

_NOT_SESSIONS = frozenset(("subagents", "tool-results", "workflows"))
"""Folders of Claude Code beside a session; what subagents did is not part of the conversation."""


def folders(client: str, places: Places) -> list[Path]:
    """Return the folders with a client's session files; empty for a client without any."""
    home = places.folder("CODEX_HOME", ".codex")
    known = {
        "claude-code": [places.folder("CLAUDE_CONFIG_DIR", ".claude") / "projects"],
        "codex": [home / "sessions", home / "archived_sessions"],
        "cursor": [places.folder("CURSOR_CONFIG_DIR", ".cursor") / "projects"],
        "openclaw": [places.folder("OPENCLAW_STATE_DIR", ".openclaw") / "agents"],
    }
    return known.get(client, [])


CLIENTS = ("claude-code", "codex", "cursor", "openclaw")
"""Clients whose session files can be read."""


def session_files(folder: Path) -> Iterator[Path]:
    """Yield the session files below a folder, the oldest first."""
    found = []
    for path in folder.rglob("*.jsonl"):
        inside = path.relative_to(folder).parts
        # Below the folder "projects" Cursor keeps other things beside the transcripts.
        if path.is_file() and not _NOT_SESSIONS.intersection(inside[:-1]):
            found.append((path.stat().st_mtime, path))
    for _, path in sorted(found):
        yield path
