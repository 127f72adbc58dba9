"""Names of those who hold a lease, and whether they still run."""

from __future__ import annotations

import os
import uuid


def new_holder() -> str:
    """A name for whoever takes a lease: machine, process, and something of its own."""
    return f"{_machine()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


def is_there(holder: str) -> bool:
    """Whether the process that holds a lease may still run; a process of another machine may."""
    host, _, rest = holder.rpartition(":")[0].rpartition(":")
    if host != _machine() or os.name != "posix" or not rest.isascii() or not rest.isdigit():
        return True
    try:
        os.kill(int(rest), 0)
    except (ProcessLookupError, OverflowError, ValueError):
        # Numbers beyond those of processes: what wrote this name was damaged.
        return False
    except PermissionError:
        return True
    return True


def _machine() -> str:
    # Imported here: every verb of the shell imports the engine, and hardly any needs the network's name.
    import socket

    return socket.gethostname()
