"""Prepared configuration files of every client: name of the case -> text of each file, by path."""

from __future__ import annotations

import json
from typing import Any

TOKEN = "keep-me-4711"
"""Stands in a value of somebody else in every prepared file that has one."""

SERVER = {"command": "npx", "args": ["-y", "@acme/files"], "env": {"KEY": TOKEN}}
CLAUDE_HOOKS = {
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": f"./audit.sh {TOKEN}"}]}],
    "SessionStart": [
        {"matcher": "startup", "hooks": [{"type": "command", "command": "./hello.sh", "timeout": 5}]}
    ],
}
GEMINI_HOOKS = {
    "BeforeTool": [{"matcher": "run_.*", "hooks": [{"type": "command", "command": f"./audit.sh {TOKEN}"}]}],
    "BeforeAgent": [{"hooks": [{"type": "command", "command": "./hello.sh", "timeout": 500}]}],
}
CURSOR_HOOKS = {
    "afterFileEdit": [{"command": f"./format.sh {TOKEN}"}],
    "stop": [{"command": "./done.sh"}],
}

Files = dict[str, str]

FOREIGN: dict[str, dict[str, Any]] = {
    "claude-code": {
        ".claude.json": {"numStartups": 7, "mcpServers": {"files": SERVER}, "projects": {"/a": {"history": []}}},
        ".claude/settings.json": {"model": "opus", "hooks": CLAUDE_HOOKS, "permissions": {"allow": ["Read"]}},
    },
    "cursor": {
        ".cursor/mcp.json": {"mcpServers": {"files": SERVER}},
        ".cursor/hooks.json": {"version": 1, "hooks": CURSOR_HOOKS},
    },
    "gemini-cli": {
        ".gemini/settings.json": {
            "theme": "GitHub",
            "mcpServers": {"files": SERVER},
            "hooks": GEMINI_HOOKS,
            "ui": {"hideTips": True},
        }
    },
    "openclaw": {
        ".openclaw/openclaw.json": {
            "agents": {"defaults": {"workspace": "~/w"}},
            "mcp": {"servers": {"files": SERVER}},
            "hooks": {"internal": {"enabled": True, "entries": {"boot-md": {"enabled": False}}}},
        }
    },
    "opencode": {
        ".config/opencode/opencode.json": {
            "$schema": "https://opencode.ai/config.json",
            "model": "anthropic/claude",
            "mcp": {"files": {"type": "local", "command": ["npx", "files"], "environment": {"KEY": TOKEN}}},
        }
    },
}
"""What somebody else has in the files of the clients that use JSON."""

LENIENT = {
    "claude-code": (),
    "cursor": ("comments", "commas"),
    "gemini-cli": ("comments",),
    "openclaw": ("comments", "commas", "json5"),
    "opencode": ("comments", "commas"),
}
"""What a client's parser accepts beyond JSON."""


def _lines(value: Any, indent: str | int = 2) -> str:
    return json.dumps(value, indent=indent) + "\n"


def _commented(value: Any) -> str:
    lines = _lines(value).splitlines()
    lines[0] += " // my settings"
    lines[-2] += "  // the last one"
    return '/* header, with "quotes" and { braces */\n' + "\n".join(lines) + "\n// end\n"


def _commas(value: Any) -> str:
    lines = _lines(value).splitlines()
    for at, line in enumerate(lines[:-1]):
        closes = lines[at + 1].strip()[:1] in "}]"
        if closes and not line.rstrip().endswith(("{", "[", ",")):
            lines[at] = line + ","
    return "\n".join(lines) + "\n"


def _json5(value: Any) -> str:
    text = _commas(value)
    for key in ("agents", "mcp", "servers", "hooks", "internal", "enabled", "command"):
        text = text.replace(f'"{key}":', f"{key}:")
    return text.replace('"npx"', "'npx'") + "// it's JSON5\n"


def json_cases(client: str) -> dict[str, Files]:
    """The prepared files of a client whose files are all JSON."""
    foreign = FOREIGN[client]

    def each(write: Any) -> Files:
        return {path: write(value) for path, value in foreign.items()}

    lenient = LENIENT[client]
    cases: dict[str, Files] = {
        "missing": {},
        "empty": each(lambda value: ""),
        "blank": each(lambda value: "\n\n"),
        "empty object": each(lambda value: "{}"),
        "empty object over lines": each(lambda value: "{\n}\n"),
        "foreign servers and hooks": each(_lines),
        "four spaces": each(lambda value: _lines(value, 4)),
        "tabs": each(lambda value: _lines(value, "\t")),
        "one line": each(json.dumps),
        "minified": each(lambda value: json.dumps(value, separators=(",", ":"))),
        "windows line ends": each(lambda value: _lines(value).replace("\n", "\r\n")),
        "byte order mark": each(lambda value: "\ufeff" + _lines(value)),
        "no line end at the end": each(lambda value: _lines(value).rstrip("\n")),
        "deep indentation": each(
            lambda value: "\n".join(" " * 24 + line for line in _lines(value, 12).splitlines()) + "\n"
        ),
        "empty containers": each(lambda value: _lines({**value, "hooks": {}, "mcpServers": {}, "mcp": {}})),
        "other letters": each(
            lambda value: _lines({**value, "note": "x"}).replace('"x"', '"Grüße, 你好 \\ud83d\\ude00"')
        ),
    }
    if "comments" in lenient:
        cases["comments"] = each(_commented)
        cases["only a comment"] = each(lambda value: "// nothing yet\n")
        cases["a comment in an empty object"] = each(lambda value: "{\n  // nothing yet\n}\n")
    if "commas" in lenient:
        cases["trailing commas"] = each(_commas)
    if "json5" in lenient:
        cases["unquoted keys, single quotes"] = each(_json5)
    return cases


_TOML = f"""\
model = "gpt-5"   # my model

[mcp_servers.files]
command = "npx"
args = ["-y", "@acme/files"]

[mcp_servers.files.env]
KEY = "{TOKEN}"

[projects."/home/me/x"]
trust_level = "trusted"
"""
_CODEX_HOOKS = _lines({"hooks": CLAUDE_HOOKS})
_CONFIG, _HOOKS = ".codex/config.toml", ".codex/hooks.json"

CODEX: dict[str, Files] = {
    "missing": {},
    "empty": {_CONFIG: "", _HOOKS: ""},
    "blank": {_CONFIG: "\n\n", _HOOKS: " \n"},
    "only a comment": {_CONFIG: "# nothing yet\n"},
    "foreign servers and hooks": {_CONFIG: _TOML, _HOOKS: _CODEX_HOOKS},
    "comments": {_CONFIG: "# [mcp_servers.combray] is not a header here\n" + _TOML + "# end\n"},
    "windows line ends": {
        _CONFIG: _TOML.replace("\n", "\r\n"),
        _HOOKS: _CODEX_HOOKS.replace("\n", "\r\n"),
    },
    "byte order mark": {_CONFIG: "\ufeff" + _TOML, _HOOKS: "\ufeff" + _CODEX_HOOKS},
    "tabs": {
        _CONFIG: _TOML.replace('KEY = "', '\tKEY\t= "'),
        _HOOKS: _lines({"hooks": CLAUDE_HOOKS}, "\t"),
    },
    "no line end at the end": {_CONFIG: _TOML.rstrip("\n"), _HOOKS: _CODEX_HOOKS.rstrip("\n")},
    "deep indentation": {_CONFIG: "\n".join("      " + line for line in _TOML.splitlines()) + "\n"},
    "values over several lines": {
        _CONFIG: _TOML + '[tui]\nstatus = [\n  "[mcp_servers.combray]", # a text\n]\n'
        'prompt = """\n[mcp_servers.combray]\ncommand = "no"\n"""\n'
    },
    "hooks in the configuration": {
        _CONFIG: _TOML + "\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'command'\ncommand = './done.sh'\n"
    },
    "dotted keys": {_CONFIG: f'mcp_servers.files.command = "npx"\nmcp_servers.files.env.KEY = "{TOKEN}"\n'},
    "minified hooks": {_HOOKS: json.dumps({"hooks": CLAUDE_HOOKS}, separators=(",", ":"))},
}

CASES: dict[str, dict[str, Files]] = {**{client: json_cases(client) for client in FOREIGN}, "codex": CODEX}
"""Client -> name of the case -> files."""

INVALID: dict[str, tuple[str, dict[str, str]]] = {
    "claude-code": (
        ".claude/settings.json",
        {
            "cut": '{"hooks": {',
            "comment": '{"a": 1 // no\n}',
            "comma": '{"a": 1,}',
            "two values": "{} {}",
            "list": '["a"]',
            "hooks no object": '{"hooks": []}',
            "event no list": '{"hooks": {"Stop": {}}}',
            "words": "hello",
        },
    ),
    "codex": (
        ".codex/config.toml",
        {
            "cut": "[mcp_servers",
            "twice": "a = 1\na = 2\n",
            "inline": "mcp_servers = {}\n",
            "json": '{"a": 1}',
        },
    ),
    "cursor": (".cursor/mcp.json", {"cut": '{"mcpServers": {', "servers no object": '{"mcpServers": []}'}),
    "gemini-cli": (".gemini/settings.json", {"cut": '{"hooks": {', "comma": '{"a": 1,}', "quote": "{'a': 1}"}),
    "openclaw": (".openclaw/openclaw.json", {"cut": "{mcp: {", "colon": "{mcp {}}", "comment": "{} /* "}),
    "opencode": (
        ".config/opencode/opencode.json",
        {"cut": '{"mcp": {', "name": "{mcp: {}}", "text": '{"mcp": "x"}'},
    ),
}
"""Client -> a file -> texts that refuse the set-up."""
