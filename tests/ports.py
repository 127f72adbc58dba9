"""Free ports for servers that are told theirs."""

from __future__ import annotations

import itertools
import os
import socket
from contextlib import suppress

# Workers of one run begin far from one another.
_ports = itertools.islice(itertools.cycle(range(10_000, 30_000)), os.getpid() * 97 % 20_000, None)


def free_port() -> int:
    """Return a free port below those that the system gives out.

    Until a server listens on it, and while the server is started again, nobody else is given it.
    """
    while True:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port := next(_ports)))
            return port
