"""opencode: MCP servers in `opencode.json` or `opencode.jsonc`, hooks as a plugin file, a skill.

Version 2 has servers under `mcp.servers` and reads the form of version 1, `mcp.NAME`, too. A file in the form of
version 2 keeps it; every other gets the form that both versions read. The plugin runs in both.
Sources: https://opencode.ai/docs/mcp-servers, /docs/migrate-v1, /docs/plugins and /docs/skills.
"""

from __future__ import annotations

import json
from pathlib import Path

from combray.agents.clients import jsonedit
from combray.agents.clients.jsonsource import JSONC, SourceError
from combray.agents.clients.pieces import Default, FilePiece, ServerPiece, Whole
from combray.agents.clients.places import CAPTURE_TOOLS, Places, Wanted
from combray.agents.clients.texts import script, text_of

_NAMES = ("opencode.jsonc", "opencode.json")
_SCHEMA = "https://opencode.ai/config.json"


def pieces(places: Places, wanted: Wanted) -> list[FilePiece]:
    """Return what Combray writes for opencode."""
    if places.scope == "project":
        folder = places.project / ".opencode"
        config = _existing(places.project, folder) or places.project / "opencode.json"
    else:
        given = places.environment.get("OPENCODE_CONFIG_DIR")
        folder = places.folder("OPENCODE_CONFIG_DIR", "") if given else places.config_home / "opencode"
        config = _existing(folder) or folder / "opencode.json"
    call = json.dumps([wanted.program, "hook"])
    options = json.dumps(["--client", "opencode", *wanted.options])
    tools = json.dumps(list(CAPTURE_TOOLS) if wanted.tools else None)
    entry = {"type": "local", "command": wanted.server()}
    at = ("mcp", "servers", wanted.name) if _second_version(config) else ("mcp", wanted.name)
    return [
        Default(config, JSONC, ("$schema",), _SCHEMA),
        ServerPiece(config, JSONC, at, entry),
        Whole(folder / "plugins" / "combray.js", script("opencode.js", call, options, tools=tools)),
        Whole(folder / "skills" / "combray" / "SKILL.md", text_of("SKILL.md")),
    ]


def _existing(*folders: Path) -> Path | None:
    return next((folder / name for folder in folders for name in _NAMES if (folder / name).is_file()), None)


def _second_version(config: Path) -> bool:
    try:
        text = config.read_bytes().decode("utf-8-sig")
        servers = jsonedit.value_at(text, ("mcp", "servers"), JSONC)
    except (OSError, UnicodeDecodeError, SourceError):
        return False
    # A server of version 1 may have the name "servers"; it has a type.
    return isinstance(servers, dict) and not isinstance(servers.get("type"), str)
