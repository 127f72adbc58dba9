"""The account of this process, from the operating system and not from the environment."""

from __future__ import annotations

import functools
import os
import sys


@functools.cache
def account() -> str:
    """Return the account's name, or its number if it has no name."""
    if sys.platform == "win32":
        return os.getlogin()
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"uid {os.geteuid()}"
