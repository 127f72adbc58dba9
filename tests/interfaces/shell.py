"""The shell under test: in this process, as if in a terminal, or as a process of its own."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from combray.interfaces.cli import combray

ENTRY = "from combray.interfaces.cli import main; main()"
_STYLE = re.compile(r"\x1b\[[\d;]*m")


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


class Shell:
    """Runs `combray` with a data folder of its own and no embedder, whatever the environment says."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in [name for name in os.environ if name.startswith("COMBRAY_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("COMBRAY_HOME", str(folder))
        monkeypatch.setenv("COMBRAY_EMBEDDER", "none")
        self.folder = folder
        self.monkeypatch = monkeypatch

    def run(self, *arguments: str, stdin: str | bytes | None = None) -> Result:
        """Output piped, nobody at the keyboard."""
        result = CliRunner().invoke(combray, arguments, input=stdin)
        assert isinstance(result.exception, SystemExit | None), result.exception
        return result

    def json(self, *arguments: str, stdin: str | bytes | None = None) -> Any:
        """The JSON that a successful run prints."""
        result = self.run(*arguments, stdin=stdin)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    def remember(self, text: str, *options: str) -> str:
        """Remember a text; its id."""
        return str(self.json("remember", text, *options)["id"])

    def in_terminal(self, *arguments: str, width: int = 80) -> str:
        """What a successful run shows in a terminal of that width, colours taken out."""
        self.monkeypatch.setenv("COLUMNS", str(width))
        self.monkeypatch.setenv("TERM", "xterm")
        written = io.BytesIO()
        screen = _Terminal(written, encoding="utf-8", write_through=True)
        with self.monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", screen)
            with pytest.raises(SystemExit) as left:
                combray.main(arguments, prog_name="combray")
        shown = written.getvalue().decode()
        assert left.value.code == 0, shown
        return _STYLE.sub("", shown)

    def process(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """A process of its own, as a script would start it."""
        return subprocess.run(
            self.command(*arguments), input=stdin, capture_output=True, timeout=180, check=False
        )

    def command(self, *arguments: str) -> list[str]:
        """The command line of such a process."""
        return [sys.executable, "-c", ENTRY, *arguments]
