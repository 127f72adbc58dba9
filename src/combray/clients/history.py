"""Where agent clients keep their session files, and the files in a folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from combray.clients.places import Places

_NOT_SESSIONS = frozenset(("subagents", "tool-results", "workflows"))
"""Folders of Claude Code beside a session; what subagents did is not part of the conversation."""


def folders(client: str, places: Places) -> list[Path]:
    """Return the folders and databases with a client's sessions; empty for a client without any."""
    home = places.folder("CODEX_HOME", ".codex")
    gemini = places.folder("GEMINI_CLI_HOME", "") / ".gemini"
    known = {
        "claude-code": [places.folder("CLAUDE_CONFIG_DIR", ".claude") / "projects"],
        "codex": [home / "sessions", home / "archived_sessions"],
        "cursor": [_cursor_app(places), places.folder("CURSOR_CONFIG_DIR", ".cursor") / "projects"],
        "gemini-cli": [gemini / "tmp"],
        "opencode": [_opencode(places)],
        "openclaw": [places.folder("OPENCLAW_STATE_DIR", ".openclaw") / "agents"],
    }
    return known.get(client, [])


def _cursor_app(places: Places) -> Path:
    """The database of the desktop app, where the platform keeps the data of programs."""
    if sys.platform == "darwin":
        root = places.home / "Library" / "Application Support"
    else:
        root = places.folder("APPDATA", "AppData/Roaming") if os.name == "nt" else places.config_home
    return root / "Cursor" / "User" / "globalStorage" / "state.vscdb"


def _opencode(places: Places) -> Path:
    """The database: in the XDG folder on every platform, or where OPENCODE_DB says if it is an absolute path."""
    given = Path(places.environment.get("OPENCODE_DB", ""))
    data = places.folder("XDG_DATA_HOME", ".local/share")
    return given if given.is_absolute() else data / "opencode" / "opencode.db"


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
