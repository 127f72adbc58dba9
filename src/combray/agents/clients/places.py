"""Where clients keep their configuration, and how they call Combray."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from combray.agents.events import VERBS
from combray.records import dataclass, field

Scope = Literal["user", "project"]

CAPTURE_TOOLS = ("--tools", "on")
"""The option of `combray hook tool` that stores the results of tools."""


@dataclass(frozen=True, slots=True)
class Places:
    """The home folder, a project's folder and the environment that the paths come from."""

    scope: Scope = "user"
    project: Path = field(default_factory=Path.cwd)
    home: Path = field(default_factory=Path.home)
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def folder(self, variable: str, default: str) -> Path:
        """Return the folder that an environment variable names, else `default` in the home folder."""
        given = self.environment.get(variable, "").strip()
        return Path(
            given.replace("~", str(self.home), 1) if given.startswith("~") else given or self.home / default
        )

    @property
    def config_home(self) -> Path:
        """XDG_CONFIG_HOME, else ~/.config."""
        return self.folder("XDG_CONFIG_HOME", ".config")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to write: the call of Combray, the name of the MCP entry, and whether the use of tools is captured."""

    program: str = "combray"
    options: tuple[str, ...] = ()
    name: str = "combray"
    tools: bool = False

    def server(self) -> list[str]:
        """Return the words that start the MCP server."""
        return [self.program, "mcp", *self.options]

    def entry(self) -> dict[str, Any]:
        """Return the fields of an MCP entry that starts the server."""
        command, *args = self.server()
        return {"command": command, "args": args}

    def hook(self, verb: str, client: str) -> str:
        """Return the shell line of a hook."""
        words = [self.program, "hook", verb, "--client", client, *self.options]
        if verb == "tool" and self.tools:
            words += CAPTURE_TOOLS
        return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)

    def verbs(self) -> tuple[str, ...]:
        """Return the hook verbs to wire."""
        return tuple(each for each in VERBS if each != "tool" or self.tools)


def program(scope: Scope) -> str:
    """Return how a client calls Combray: in a project by name, because others share the file; else by path.

    A path also works for clients that a desktop starts without the shell's PATH.
    """
    if scope == "project":
        return "combray"
    beside = Path(sys.executable).with_name("combray.exe" if os.name == "nt" else "combray")
    return shutil.which("combray") or (str(beside) if beside.exists() else "combray")
