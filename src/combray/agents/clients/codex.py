"""Codex: MCP servers in `config.toml`, hooks in `hooks.json`, a skill in `.agents/skills`.

Codex has no event for a session's end, and runs a hook only after its user has reviewed it (`/hooks`).
Sources: https://developers.openai.com/codex/hooks, /config-advanced, /mcp and /skills.
"""

from __future__ import annotations

from combray.agents.clients.claude_code import EVENTS, hook
from combray.agents.clients.jsonsource import JSON, TOML
from combray.agents.clients.pieces import FilePiece, HookPiece, TomlServerPiece, Whole
from combray.agents.clients.places import Places, Wanted
from combray.agents.clients.texts import text_of

_MISSING = ("session-end",)


def pieces(places: Places, wanted: Wanted) -> list[FilePiece]:
    """Return what Combray writes for Codex."""
    command, *args = wanted.server()
    if places.scope == "project":
        folder, skills = places.project / ".codex", places.project / ".agents" / "skills"
    else:
        folder, skills = places.folder("CODEX_HOME", ".codex"), places.home / ".agents" / "skills"
    return [
        TomlServerPiece(
            folder / "config.toml", TOML, ("mcp_servers", wanted.name), {"command": command, "args": args}
        ),
        *(
            HookPiece(folder / "hooks.json", JSON, ("hooks", EVENTS[verb]), hook(verb, wanted, "codex"))
            for verb in wanted.verbs()
            if verb not in _MISSING
        ),
        Whole(skills / "combray" / "SKILL.md", text_of("SKILL.md")),
    ]
