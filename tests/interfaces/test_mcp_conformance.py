"""The protocol's own conformance suite against Combray's server code.

It runs where the npm package is installed, which needs Node 22 or later:

    npm install -g @modelcontextprotocol/conformance@0.2.0-alpha.12

or in any folder that `COMBRAY_NPM` names. Nothing is downloaded here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from listening import started

FIXTURE = Path(__file__).parent / "conformance" / "fixture.py"
EXTENSIONS = re.compile(r"tasks-")
"""The suite also runs and never scores scenarios of the extension `tasks`, which the server does not declare."""


def suite() -> str:
    """The suite's command; skips where it is not installed or cannot start."""
    folder = os.environ.get("COMBRAY_NPM")
    local = Path(folder, "node_modules", ".bin", "conformance") if folder else None
    command = str(local) if local and local.exists() else shutil.which("conformance")
    if command is None:
        pytest.skip("npm package @modelcontextprotocol/conformance is not installed; see this file's docstring")
    started = subprocess.run([command, "--version"], capture_output=True, text=True, check=False, timeout=120)
    if started.returncode:
        pytest.skip(f"@modelcontextprotocol/conformance does not start: {started.stderr.strip()[-200:]}")
    return command


@contextmanager
def fixture(folder: Path) -> Iterator[str]:
    def start(port: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, str(FIXTURE), str(port), str(folder)], stderr=subprocess.DEVNULL)

    running, port = started(start)
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        running.terminate()
        running.wait(60)


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_no_required_scenario_of_the_protocol_fails(tmp_path: Path, revision: str) -> None:
    command = suite()
    with fixture(tmp_path) as url:
        asked = [command, "server", "--url", url, "--requirements", revision, "-o", str(tmp_path / "results")]
        done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=600)
    said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    summary = said.partition("=== SUMMARY ===")[2]
    assert done.returncode == 0, summary or done.stderr
    passed = re.findall(r"^✓ (\S+): (\d+) passed, 0 failed", summary, re.MULTILINE)
    assert len(passed) >= 30, summary
    failed = re.findall(r"^✗ (\S+): ", summary, re.MULTILINE)
    # Resuming a stream is on hold in the suite itself: its own server does not pass.
    assert [name for name in failed if not EXTENSIONS.match(name)] in ([], ["server-sse-polling"])
