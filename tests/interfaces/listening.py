"""Servers of the tests: each on a free port, and waited for until it accepts."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable

from ports import free_port

SECONDS = 120
"""A limit for a server that hangs."""


def started(start: Callable[[int], subprocess.Popen[bytes]]) -> tuple[subprocess.Popen[bytes], int]:
    """Start a server on a free port, on another one if that is taken meanwhile. The process and its port."""
    until = time.monotonic() + SECONDS
    while True:
        port = free_port()
        running = start(port)
        while running.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return running, port
            assert time.monotonic() < until, "the server does not listen"
            time.sleep(0.05)
        assert time.monotonic() < until, "the server does not start"
