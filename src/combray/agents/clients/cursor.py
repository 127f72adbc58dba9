"""Cursor: MCP servers in `mcp.json`, hooks in `hooks.json`, a rule in a project or a skill for the user.

Rules of a user live in Cursor's settings, not in a file. `beforeSubmitPrompt` can add no context; `postToolUse`
can, so its hook is wired in any case and delivers what the prompt recalled.
Sources: https://cursor.com/docs/agent/hooks, https://cursor.com/docs/context/mcp and /rules.
"""

from __future__ import annotations

from combray.agents.clients.jsonsource import JSONC
from combray.agents.clients.pieces import Default, FilePiece, HookPiece, ServerPiece, Whole
from combray.agents.clients.places import Places, Wanted
from combray.agents.clients.texts import text_of

EVENTS = {
    "session-start": "sessionStart",
    "prompt": "beforeSubmitPrompt",
    "tool": "postToolUse",
    "pre-compact": "preCompact",
    "stop": "stop",
    "session-end": "sessionEnd",
}
_SECONDS = 10


def pieces(places: Places, wanted: Wanted) -> list[FilePiece]:
    """Return what Combray writes for Cursor."""
    command, *args = wanted.server()
    entry = {"type": "stdio", "command": command, "args": args}
    project = places.scope == "project"
    folder = places.project / ".cursor" if project else places.folder("CURSOR_CONFIG_DIR", ".cursor")
    hooks = folder / "hooks.json"
    guidance = (
        Whole(folder / "rules" / "combray.mdc", text_of("combray.mdc"))
        if project
        else Whole(folder / "skills" / "combray" / "SKILL.md", text_of("SKILL.md"))
    )
    return [
        ServerPiece(folder / "mcp.json", JSONC, ("mcpServers", wanted.name), entry),
        Default(hooks, JSONC, ("version",), 1),
        *(
            HookPiece(
                hooks,
                JSONC,
                ("hooks", EVENTS[verb]),
                {"command": wanted.hook(verb, "cursor"), "timeout": _SECONDS},
                grouped=False,
            )
            for verb in EVENTS
        ),
        guidance,
    ]
