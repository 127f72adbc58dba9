"""Requests that Schemathesis makes from the description: all phases, no failure."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from serving import SECONDS, Served

PROGRAM = shutil.which("schemathesis")


@pytest.mark.skipif(PROGRAM is None, reason="Schemathesis is not installed")
def test_the_server_keeps_what_the_description_says(served: Served) -> None:
    url = f"http://127.0.0.1:{served.port}"
    options = ["--url", url, "-n", "5", "--seed", "1", "--exclude-path", "/v1/events", "--continue-on-failure"]
    done = subprocess.run(
        [str(PROGRAM), "run", f"{url}/v1/openapi.json", *options],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        timeout=5 * SECONDS,
    )
    assert done.returncode == 0, done.stdout
