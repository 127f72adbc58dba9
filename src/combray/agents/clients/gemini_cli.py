"""Gemini CLI: MCP servers and hooks in `settings.json`, a skill.

Sources: https://geminicli.com/docs/hooks/reference, /docs/tools/mcp-server and /docs/cli/skills.
"""

from __future__ import annotations

from combray.agents.clients.jsonsource import JSON_WITH_COMMENTS
from combray.agents.clients.pieces import FilePiece, HookPiece, ServerPiece, Whole
from combray.agents.clients.places import Places, Wanted
from combray.agents.clients.texts import text_of

EVENTS = {
    "session-start": "SessionStart",
    "prompt": "BeforeAgent",
    "tool": "AfterTool",
    "pre-compact": "PreCompress",
    "stop": "AfterAgent",
    "session-end": "SessionEnd",
}
_MILLISECONDS = 10_000


def pieces(places: Places, wanted: Wanted) -> list[FilePiece]:
    """Return what Combray writes for Gemini CLI."""
    command, *args = wanted.server()
    home = places.folder("GEMINI_CLI_HOME", "") / ".gemini"
    folder = places.project / ".gemini" if places.scope == "project" else home
    settings = folder / "settings.json"

    def hook(verb: str) -> dict[str, object]:
        line = wanted.hook(verb, "gemini-cli")
        return {"name": f"combray-{verb}", "type": "command", "command": line, "timeout": _MILLISECONDS}

    return [
        ServerPiece(
            settings, JSON_WITH_COMMENTS, ("mcpServers", wanted.name), {"command": command, "args": args}
        ),
        *(
            HookPiece(settings, JSON_WITH_COMMENTS, ("hooks", EVENTS[verb]), hook(verb))
            for verb in wanted.verbs()
        ),
        Whole(folder / "skills" / "combray" / "SKILL.md", text_of("SKILL.md")),
    ]
