"""OpenClaw: MCP servers and the switch of the hook in `openclaw.json` (JSON5), a hook folder, a skill.

OpenClaw has one configuration for a user and none for a project. A hook is a folder with `HOOK.md` and
`handler.js`.
Sources: https://docs.openclaw.ai/automation/hooks, /gateway/config-extensions and /tools/skills.
"""

from __future__ import annotations

import json

from combray.agents.clients.jsonsource import JSON5
from combray.agents.clients.pieces import Default, FilePiece, ServerPiece, Whole
from combray.agents.clients.places import Places, Wanted
from combray.agents.clients.texts import script, text_of
from combray.errors import InvalidInputError


def pieces(places: Places, wanted: Wanted) -> list[FilePiece]:
    """Return what Combray writes for OpenClaw. Raises InvalidInputError for a project."""
    if places.scope == "project":
        raise InvalidInputError("scope", "OpenClaw has no configuration of a project.", "Use --user.")
    folder = places.folder("OPENCLAW_STATE_DIR", ".openclaw")
    given = places.environment.get("OPENCLAW_CONFIG_PATH", "")
    config = places.folder("OPENCLAW_CONFIG_PATH", "") if given else folder / "openclaw.json"
    command, *args = wanted.server()
    call = json.dumps([wanted.program, "hook"])
    options = json.dumps(["--client", "openclaw", *wanted.options])
    hook = folder / "hooks" / "combray"
    return [
        ServerPiece(config, JSON5, ("mcp", "servers", wanted.name), {"command": command, "args": args}),
        Default(config, JSON5, ("hooks", "internal", "enabled"), True),
        Default(config, JSON5, ("hooks", "internal", "entries", "combray"), {"enabled": True}, own=True),
        Whole(hook / "HOOK.md", text_of("openclaw/HOOK.md")),
        Whole(hook / "handler.js", script("openclaw/handler.js", call, options)),
        Whole(folder / "skills" / "combray" / "SKILL.md", text_of("SKILL.md")),
    ]
