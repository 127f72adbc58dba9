"""Where agent clients keep their session files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from combray.agents.clients.places import Places


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
