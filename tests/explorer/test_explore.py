"""`combray explore`, as a process: the address works once, and Ctrl-C ends it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

SECONDS = 120
"""A limit for a process that hangs."""

pytestmark = pytest.mark.slow("starts processes")


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to one process")
def test_the_printed_address_works_once_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "combray", "explore", "--db", str(tmp_path / "a.db"), "--no-browser"]
    environment = os.environ | {"COMBRAY_EMBEDDER": "none"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            found = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/#token=([\w-]{43})\n", process.stdout.readline())
            assert found
            with httpx2.Client(base_url=found[1], timeout=SECONDS) as client:
                assert client.get("/v1/status").status_code == 401
                key = client.post("/v1/session", json={"token": found[2]}).json()["key"]
                assert client.post("/v1/session", json={"token": found[2]}).status_code == 401
                bearer = {"Authorization": f"Bearer {key}"}
                assert client.get("/v1/status", headers=bearer).status_code == 200
            process.send_signal(signal.SIGINT)
            assert process.wait(SECONDS) == 0
        finally:
            process.kill()


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "combray", "explore", "--db", str(tmp_path / "a.db"), "--no-browser"]
        done = subprocess.run([*command, "--port", port], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 2
    assert f"{port} is in use" in done.stderr
