"""The packages for agent clients in `clients/`: Claude Code plugin, MCP bundle, registry entry, skill."""

from __future__ import annotations

import json
import tomllib
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from combray.agents.clients.files import hook, text_of
from combray.agents.clients.places import Wanted
from combray.agents.events import EVENTS

ROOT = Path(__file__).resolve().parents[1]
REGISTRY_NAME = "io.github.combray/combray"
"""The registry accepts a name only from the owner of its first part: change it to the account that publishes."""
_TITLE = "Combray: long-term memory"
_SHORT = "Long-term memory for agents: recall in milliseconds, with reasons, without a language model."
"""At most 100 characters, as the registry wants."""
_WANTED = Wanted()


def _project() -> Mapping[str, Any]:
    project: Mapping[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _about() -> dict[str, Any]:
    """Fields that manifests share."""
    project = _project()
    return {
        "name": project["name"],
        "version": project["version"],
        "description": project["description"],
        "author": project["authors"][0],
        # The second licence is that of a table in the wheel.
        "license": project["license"].partition(" AND ")[0],
        "keywords": project["keywords"],
    }


def marketplace() -> str:
    """Return the marketplace of one plugin, for `claude plugin marketplace add`."""
    about = _about()
    plugin = {"name": about["name"], "source": "./claude-code", "description": about["description"]}
    head = {"name": about["name"], "description": about["description"], "owner": about["author"]}
    return _json({**head, "plugins": [plugin]})


def plugin() -> str:
    """Return the manifest of the Claude Code plugin."""
    return _json(_about())


def plugin_hooks() -> str:
    """Return the plugin's hooks: those of `combray setup`, without the one for tools."""
    named = EVENTS["claude-code"]
    events = {named[verb]: [{"hooks": [hook(verb, _WANTED)]}] for verb in named if verb != "tool"}
    return _json({"description": "Recall at the start and for each prompt; capture at the end", "hooks": events})


def plugin_server() -> str:
    """Return the plugin's MCP server."""
    command, *args = _WANTED.server()
    return _json({"mcpServers": {_WANTED.name: {"type": "stdio", "command": command, "args": args}}})


def bundle_manifest() -> str:
    """Return the manifest of the MCP bundle; the client runs it with uv, which installs Combray."""
    about = _about()
    return _json(
        {
            "manifest_version": "0.4",
            "name": about.pop("name"),
            "display_name": _TITLE,
            **about,
            "server": {
                "type": "uv",
                "entry_point": "server.py",
                "mcp_config": {
                    "command": "uv",
                    "args": ["run", "--directory", "${__dirname}", "server.py"],
                    "env": {"COMBRAY_NAMESPACE": "${user_config.namespace}"},
                },
            },
            "tools_generated": True,
            "compatibility": {
                "platforms": ["darwin", "linux", "win32"],
                "runtimes": {"python": _project()["requires-python"]},
            },
            "user_config": {
                "namespace": {
                    "type": "string",
                    "title": "Namespace",
                    "description": "Memories of one namespace are not visible in another.",
                    "default": "default",
                    "required": False,
                }
            },
        }
    )


def bundle_project() -> str:
    """Return the bundle's pyproject.toml: Combray in exactly this version."""
    project = _project()
    name, version, python = project["name"], project["version"], project["requires-python"]
    return (
        f'[project]\nname = "{name}-bundle"\nversion = "{version}"\nrequires-python = "{python}"\n'
        f'dependencies = ["{name}[mcp]=={version}"]\n'
    )


def bundle_server() -> str:
    """Return the bundle's entry point."""
    return (
        '"""Combray\'s MCP server, as `combray mcp` starts it."""\n\n'
        "from combray.interfaces.cli import main\n\n"
        'if __name__ == "__main__":\n    main(["mcp"])\n'
    )


def registry_entry() -> str:
    """Return the entry of the MCP registry: `uvx` runs the published package with its extra."""
    project = _project()
    (extra,) = project["optional-dependencies"]["mcp"]
    return _json(
        {
            "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
            "name": REGISTRY_NAME,
            "title": _TITLE,
            "description": _SHORT,
            "version": project["version"],
            "packages": [
                {
                    "registryType": "pypi",
                    "identifier": project["name"],
                    "version": project["version"],
                    "runtimeHint": "uvx",
                    "runtimeArguments": [{"type": "named", "name": "--with", "value": extra}],
                    "packageArguments": [{"type": "positional", "value": "mcp"}],
                    "transport": {"type": "stdio"},
                    "environmentVariables": [
                        {"name": "COMBRAY_DB", "description": "The store's file", "format": "filepath"},
                        {
                            "name": "COMBRAY_NAMESPACE",
                            "description": "Namespace to work in",
                            "default": "default",
                        },
                    ],
                }
            ],
        }
    )


def readme() -> str:
    """Return the page that says what is in the folder."""
    return f"""\
# Packages for agent clients

`python3 run.py clients` makes this folder and `build/combray-{_project()["version"]}.mcpb`.
Edit `pages/packages.py` and `src/combray/agents/clients/`, not these files.

## `claude-code`: plugin with hooks, MCP server and skill

`combray` must be on the path, with the extra `mcp` ([how to install it](../docs/howto/install.md)). Then:

```text
claude plugin marketplace add ./clients
claude plugin install combray@combray
```

Use either the plugin or `combray setup claude-code`. With both, each hook runs twice.

## `mcpb`: MCP bundle

Open the `.mcpb` file with a client that reads bundles, such as Claude Desktop. It installs Combray with uv.

## `server.json`: entry of the MCP registry

For `mcp-publisher publish`. Change the name to the account that publishes. The registry also wants the line
`mcp-name: {REGISTRY_NAME}` in the description of the published package.

## `skill`: the skill alone

Copy the folder `combray` into a client's skills folder.
"""


FILES: Mapping[str, Callable[[], str]] = {
    "clients/README.md": readme,
    "clients/.claude-plugin/marketplace.json": marketplace,
    "clients/claude-code/.claude-plugin/plugin.json": plugin,
    "clients/claude-code/hooks/hooks.json": plugin_hooks,
    "clients/claude-code/.mcp.json": plugin_server,
    "clients/claude-code/skills/combray/SKILL.md": lambda: text_of("SKILL.md"),
    "clients/mcpb/manifest.json": bundle_manifest,
    "clients/mcpb/pyproject.toml": bundle_project,
    "clients/mcpb/server.py": bundle_server,
    "clients/server.json": registry_entry,
    "clients/skill/combray/SKILL.md": lambda: text_of("SKILL.md"),
}
"""Path below the repository's root -> what makes its text."""


def bundle(folder: Path) -> Path:
    """Write the bundle as one file; the same texts give the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"combray-{_project()['version']}.mcpb"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, make in FILES.items():
            if path.startswith("clients/mcpb/"):
                archive.writestr(zipfile.ZipInfo(path.removeprefix("clients/mcpb/")), make())
        archive.writestr(zipfile.ZipInfo("LICENSE"), (ROOT / "LICENSE").read_bytes())
    return made
