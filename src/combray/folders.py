"""The folders of this user. Imports nothing that takes time: a hook reads it before anything else."""

from __future__ import annotations

import os


def data_folder() -> str:
    """Return the default folder of stores: COMBRAY_HOME, else the platform's per-user data folder."""
    home = os.environ.get("COMBRAY_HOME")
    if home:
        return os.path.expanduser(home)  # noqa: PTH111 - pathlib takes longer to load than a hook to ask
    return _platform("XDG_DATA_HOME", ".local", "share")


def cache_folder() -> str:
    """Return the folder of what can be made again at any time: the platform's per-user cache folder."""
    made = _platform("XDG_CACHE_HOME", ".cache")
    return os.path.join(made, "cache") if os.name == "nt" else made  # noqa: PTH118


def _platform(variable: str, *usual: str) -> str:
    home = os.path.expanduser("~")  # noqa: PTH111
    if os.name == "nt":
        variable, usual = "LOCALAPPDATA", ("AppData", "Local")
    return os.path.join(os.environ.get(variable) or os.path.join(home, *usual), "combray")  # noqa: PTH118
