"""Servers of the tests: each on a free port, and waited for until it accepts."""

from __future__ import annotations

import itertools
import os
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress

SECONDS = 120
"""A limit for a server that hangs."""
# Workers of one run begin far from one another.
_ports = itertools.islice(itertools.cycle(range(10_000, 30_000)), os.getpid() * 97 % 20_000, None)


def _free() -> int:
    """A free port below those that the system gives out: until the server has it, nobody else is given it."""
    while True:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port := next(_ports)))
            return port


def started(start: Callable[[int], subprocess.Popen[bytes]]) -> tuple[subprocess.Popen[bytes], int]:
    """Start a server on a free port, on another one if that is taken meanwhile. The process and its port."""
    until = time.monotonic() + SECONDS
    while True:
        port = _free()
        running = start(port)
        while running.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return running, port
            assert time.monotonic() < until, "the server does not listen"
            time.sleep(0.05)
        assert time.monotonic() < until, "the server does not start"
