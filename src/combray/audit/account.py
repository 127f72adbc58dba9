"""The account that runs this process, as the operating system knows it, not as the environment says."""

from __future__ import annotations

import functools
import os
import sys


@functools.cache
def account() -> str:
    """The account's name; its number where it has no name."""
    if sys.platform == "win32":
        return os.getlogin()
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"uid {os.geteuid()}"
