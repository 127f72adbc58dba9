"""The transcript of docs/howto/serve.md, run line by line against a server."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pages_read import steps
from serving import SECONDS, environment, started

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "serve.md"
STEPS = [each for each in steps(PAGE) if "curl" in each[0]]
"""Those that call the server."""


@pytest.mark.skipif(shutil.which("curl") is None or shutil.which("bash") is None, reason="needs curl and bash")
def test_the_transcript_is_what_happens(tmp_path: Path) -> None:
    process, port = started(tmp_path / "notes.db")
    mark = "== next =="
    lines = [f"{command}; echo; echo '{mark}'" for command, _ in STEPS]
    script = "\n".join(lines).replace("8765", str(port))
    try:
        done = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, timeout=SECONDS, env=environment(tmp_path)
        )
    finally:
        process.terminate()
        process.wait(SECONDS)
    printed = [each.strip() for each in done.stdout.replace("\r", "").split(mark)]
    for (command, expected), real in zip(STEPS, printed, strict=False):
        pattern = ".*".join(map(re.escape, expected.strip().split("…")))
        assert re.fullmatch(pattern, real, re.DOTALL), f"{command}\n{expected}\n---\n{real}"
    assert len(printed) == len(STEPS) + 1
