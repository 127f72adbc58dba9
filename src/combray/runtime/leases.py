"""Lease holders: names of processes, and whether they still run."""

from __future__ import annotations

import os
import uuid


def new_holder() -> str:
    """Return a name for a lease holder: machine, process id, and a random part."""
    return f"{_machine()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


def is_there(holder: str) -> bool:
    """Return whether a lease holder may still run. A process of another machine always may."""
    host, _, rest = holder.rpartition(":")[0].rpartition(":")
    if host != _machine() or os.name != "posix" or not rest.isascii() or not rest.isdigit():
        return True
    try:
        os.kill(int(rest), 0)
    except (ProcessLookupError, OverflowError, ValueError):
        # Not a process id: the name is damaged.
        return False
    except PermissionError:
        return True
    return True


def _machine() -> str:
    # Imported here: every shell command imports the engine, and hardly any needs the host name.
    import socket

    return socket.gethostname()
