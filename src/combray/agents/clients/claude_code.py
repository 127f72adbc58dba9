"""Claude Code: MCP servers in `~/.claude.json` or `.mcp.json`, hooks in `settings.json`, a skill.

Sources: https://docs.claude.com/en/docs/claude-code/hooks, /mcp, /skills and /settings.
"""

from __future__ import annotations

from typing import Any

from combray.agents.clients.jsonsource import JSON
from combray.agents.clients.pieces import FilePiece, HookPiece, ServerPiece, Whole
from combray.agents.clients.places import Places, Wanted
from combray.agents.clients.texts import text_of

EVENTS = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "tool": "PostToolUse",
    "pre-compact": "PreCompact",
    "stop": "Stop",
    "session-end": "SessionEnd",
}
_SECONDS = 10
"""A hook that takes longer is stopped by the client. Combray's own limit is shorter."""


def hook(verb: str, wanted: Wanted, client: str = "claude-code") -> dict[str, Any]:
    """Return one hook; Codex and plugins use the same form."""
    return {"type": "command", "command": wanted.hook(verb, client), "timeout": _SECONDS}


def pieces(places: Places, wanted: Wanted) -> list[FilePiece]:
    """Return what Combray writes for Claude Code."""
    command, *args = wanted.server()
    entry = {"type": "stdio", "command": command, "args": args}
    if places.scope == "project":
        folder, servers = places.project / ".claude", places.project / ".mcp.json"
    else:
        folder = places.folder("CLAUDE_CONFIG_DIR", ".claude")
        moved = "CLAUDE_CONFIG_DIR" in places.environment
        servers = folder / ".claude.json" if moved else places.home / ".claude.json"
    settings = folder / "settings.json"
    return [
        ServerPiece(servers, JSON, ("mcpServers", wanted.name), entry),
        *(HookPiece(settings, JSON, ("hooks", EVENTS[verb]), hook(verb, wanted)) for verb in wanted.verbs()),
        Whole(folder / "skills" / "combray" / "SKILL.md", text_of("SKILL.md")),
    ]
