"""The files of each client: what Combray writes into them, and where the client keeps its sessions."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from combray.agents.clients import jsonedit
from combray.agents.clients.jsonsource import JSON, JSON5, JSON_WITH_COMMENTS, JSONC, TOML, SourceError
from combray.agents.clients.pieces import Default, FilePiece, HookPiece, ServerPiece, TomlServerPiece, Whole
from combray.agents.clients.places import CAPTURE_TOOLS, Places, Wanted
from combray.agents.events import EVENTS
from combray.errors import InvalidInputError

_TEXTS = Path(__file__).parent / "texts"
_SECONDS = 10
"""A hook that takes longer is stopped by the client. Combray's own limit is shorter."""
_OPENCODE_NAMES = ("opencode.jsonc", "opencode.json")
_OPENCODE_SCHEMA = "https://opencode.ai/config.json"


def text_of(name: str, **values: str) -> str:
    """Return the text of a whole file; `@@NAME@@` in it is replaced by the value of that name."""
    text = (_TEXTS / name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"@@{key.upper()}@@", value)
    return text


def _script(name: str, client: str, wanted: Wanted, **values: str) -> str:
    """Return a script that calls the hooks of a client."""
    call = json.dumps([wanted.program, "hook"])
    options = json.dumps(["--client", client, *wanted.options])
    return text_of(name, calling=text_of("calling.js", call=call, options=options), **values)


def _skill(folder: Path) -> Whole:
    """Return the skill in a client's folder of skills."""
    return Whole(folder / "combray" / "SKILL.md", text_of("SKILL.md"))


def hook(verb: str, wanted: Wanted, client: str = "claude-code") -> dict[str, Any]:
    """Return one hook; Codex and plugins use the same form."""
    return {"type": "command", "command": wanted.hook(verb, client), "timeout": _SECONDS}


def _claude_code(places: Places, wanted: Wanted) -> list[FilePiece]:
    """Claude Code: MCP servers in `~/.claude.json` or `.mcp.json`, hooks in `settings.json`, a skill.

    Sources: https://docs.claude.com/en/docs/claude-code/hooks, /mcp, /skills and /settings.
    """
    if places.scope == "project":
        folder, servers = places.project / ".claude", places.project / ".mcp.json"
    else:
        folder = places.folder("CLAUDE_CONFIG_DIR", ".claude")
        moved = "CLAUDE_CONFIG_DIR" in places.environment
        servers = folder / ".claude.json" if moved else places.home / ".claude.json"
    settings, events = folder / "settings.json", EVENTS["claude-code"]
    return [
        ServerPiece(servers, JSON, ("mcpServers", wanted.name), {"type": "stdio", **wanted.entry()}),
        *(HookPiece(settings, JSON, ("hooks", events[verb]), hook(verb, wanted)) for verb in wanted.verbs()),
        _skill(folder / "skills"),
    ]


def _codex(places: Places, wanted: Wanted) -> list[FilePiece]:
    """Codex: MCP servers in `config.toml`, hooks in `hooks.json`, a skill in `.agents/skills`.

    Codex has no event for a session's end, and runs a hook only after its user has reviewed it (`/hooks`).
    Sources: https://developers.openai.com/codex/hooks, /config-advanced, /mcp and /skills.
    """
    if places.scope == "project":
        folder, skills = places.project / ".codex", places.project / ".agents" / "skills"
    else:
        folder, skills = places.folder("CODEX_HOME", ".codex"), places.home / ".agents" / "skills"
    hooks, events = folder / "hooks.json", EVENTS["claude-code"]
    return [
        TomlServerPiece(folder / "config.toml", TOML, ("mcp_servers", wanted.name), wanted.entry()),
        *(
            HookPiece(hooks, JSON, ("hooks", events[verb]), hook(verb, wanted, "codex"))
            for verb in wanted.verbs()
            if verb != "session-end"
        ),
        _skill(skills),
    ]


def _cursor(places: Places, wanted: Wanted) -> list[FilePiece]:
    """Cursor: MCP servers in `mcp.json`, hooks in `hooks.json`, a rule in a project or a skill for the user.

    Rules of a user live in Cursor's settings, not in a file. `beforeSubmitPrompt` can add no context;
    `postToolUse` can, so its hook is wired in any case and delivers what the prompt recalled.
    Sources: https://cursor.com/docs/agent/hooks, https://cursor.com/docs/context/mcp and /rules.
    """
    project = places.scope == "project"
    folder = places.project / ".cursor" if project else places.folder("CURSOR_CONFIG_DIR", ".cursor")
    hooks = folder / "hooks.json"
    rule = Whole(folder / "rules" / "combray.mdc", text_of("combray.mdc"))

    def of_verb(verb: str, event: str) -> HookPiece:
        entry = {"command": wanted.hook(verb, "cursor"), "timeout": _SECONDS}
        return HookPiece(hooks, JSONC, ("hooks", event), entry, grouped=False)

    return [
        ServerPiece(folder / "mcp.json", JSONC, ("mcpServers", wanted.name), {"type": "stdio", **wanted.entry()}),
        Default(hooks, JSONC, ("version",), 1),
        *(of_verb(verb, event) for verb, event in EVENTS["cursor"].items()),
        rule if project else _skill(folder / "skills"),
    ]


def _gemini_cli(places: Places, wanted: Wanted) -> list[FilePiece]:
    """Gemini CLI: MCP servers and hooks in `settings.json`, a skill. Its limit of time is in milliseconds.

    Sources: https://geminicli.com/docs/hooks/reference, /docs/tools/mcp-server and /docs/cli/skills.
    """
    home = places.folder("GEMINI_CLI_HOME", "") / ".gemini"
    folder = places.project / ".gemini" if places.scope == "project" else home
    settings, dialect = folder / "settings.json", JSON_WITH_COMMENTS

    def of_verb(verb: str) -> HookPiece:
        entry = {"name": f"combray-{verb}", **hook(verb, wanted, "gemini-cli"), "timeout": 1000 * _SECONDS}
        return HookPiece(settings, dialect, ("hooks", EVENTS["gemini-cli"][verb]), entry)

    return [
        ServerPiece(settings, dialect, ("mcpServers", wanted.name), wanted.entry()),
        *map(of_verb, wanted.verbs()),
        _skill(folder / "skills"),
    ]


def _openclaw(places: Places, wanted: Wanted) -> list[FilePiece]:
    """OpenClaw: MCP servers and the switch of the hook in `openclaw.json` (JSON5), a hook folder, a skill.

    OpenClaw has one configuration for a user and none for a project. A hook is a folder with `HOOK.md` and
    `handler.js`.
    Sources: https://docs.openclaw.ai/automation/hooks, /gateway/config-extensions and /tools/skills.
    """
    if places.scope == "project":
        raise InvalidInputError("scope", "OpenClaw has no configuration of a project.", "Use --user.")
    folder = places.folder("OPENCLAW_STATE_DIR", ".openclaw")
    given = places.environment.get("OPENCLAW_CONFIG_PATH", "")
    config = places.folder("OPENCLAW_CONFIG_PATH", "") if given else folder / "openclaw.json"
    folder_of_hook = folder / "hooks" / "combray"
    return [
        ServerPiece(config, JSON5, ("mcp", "servers", wanted.name), wanted.entry()),
        Default(config, JSON5, ("hooks", "internal", "enabled"), True),
        Default(config, JSON5, ("hooks", "internal", "entries", "combray"), {"enabled": True}, own=True),
        Whole(folder_of_hook / "HOOK.md", text_of("openclaw/HOOK.md")),
        Whole(folder_of_hook / "handler.js", _script("openclaw/handler.js", "openclaw", wanted)),
        _skill(folder / "skills"),
    ]


def _opencode(places: Places, wanted: Wanted) -> list[FilePiece]:
    """opencode: MCP servers in `opencode.json` or `opencode.jsonc`, hooks as a plugin file, a skill.

    Version 2 has servers under `mcp.servers` and reads the form of version 1, `mcp.NAME`, too. A file in the form
    of version 2 keeps it; every other gets the form that both versions read. The plugin runs in both.
    Sources: https://opencode.ai/docs/mcp-servers, /docs/migrate-v1, /docs/plugins and /docs/skills.
    """
    if places.scope == "project":
        folder = places.project / ".opencode"
        config = _existing(places.project, folder) or places.project / "opencode.json"
    else:
        given = places.environment.get("OPENCODE_CONFIG_DIR")
        folder = places.folder("OPENCODE_CONFIG_DIR", "") if given else places.config_home / "opencode"
        config = _existing(folder) or folder / "opencode.json"
    tools = json.dumps(list(CAPTURE_TOOLS) if wanted.tools else None)
    entry = {"type": "local", "command": wanted.server()}
    at = ("mcp", "servers", wanted.name) if _second_version(config) else ("mcp", wanted.name)
    return [
        Default(config, JSONC, ("$schema",), _OPENCODE_SCHEMA),
        ServerPiece(config, JSONC, at, entry),
        Whole(folder / "plugins" / "combray.js", _script("opencode.js", "opencode", wanted, tools=tools)),
        _skill(folder / "skills"),
    ]


def _existing(*folders: Path) -> Path | None:
    places = (folder / name for folder in folders for name in _OPENCODE_NAMES)
    return next((each for each in places if each.is_file()), None)


def _second_version(config: Path) -> bool:
    try:
        text = config.read_bytes().decode("utf-8-sig")
        servers = jsonedit.value_at(text, ("mcp", "servers"), JSONC)
    except (OSError, UnicodeDecodeError, SourceError):
        return False
    # A server of version 1 may have the name "servers"; it has a type.
    return isinstance(servers, dict) and not isinstance(servers.get("type"), str)


CLIENTS: dict[str, Callable[[Places, Wanted], list[FilePiece]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "cursor": _cursor,
    "gemini-cli": _gemini_cli,
    "openclaw": _openclaw,
    "opencode": _opencode,
}
"""Client -> what Combray writes for it."""


# -- sessions ------------------------------------------------------------------------------------


def session_folders(client: str, places: Places) -> list[Path]:
    """Return the folders and databases with a client's sessions; empty for a client without any."""
    codex = places.folder("CODEX_HOME", ".codex")
    known = {
        "claude-code": [places.folder("CLAUDE_CONFIG_DIR", ".claude") / "projects"],
        "codex": [codex / "sessions", codex / "archived_sessions"],
        "cursor": [_cursor_app(places), places.folder("CURSOR_CONFIG_DIR", ".cursor") / "projects"],
        "gemini-cli": [places.folder("GEMINI_CLI_HOME", "") / ".gemini" / "tmp"],
        "opencode": [_opencode_database(places)],
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


def _opencode_database(places: Places) -> Path:
    """The database: in the XDG folder on every platform, or where OPENCODE_DB says if it is an absolute path."""
    given = Path(places.environment.get("OPENCODE_DB", ""))
    data = places.folder("XDG_DATA_HOME", ".local/share")
    return given if given.is_absolute() else data / "opencode" / "opencode.db"
