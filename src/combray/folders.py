"""The folder of this user. Imports nothing that takes time: a hook reads it before anything else."""

from __future__ import annotations

import os


def data_folder() -> str:
    """Return the default folder of stores: COMBRAY_HOME, else the platform's per-user data folder."""
    home = os.environ.get("COMBRAY_HOME")
    if home:
        return os.path.expanduser(home)  # noqa: PTH111 - pathlib takes longer to load than a hook to ask
    user = os.path.expanduser("~")  # noqa: PTH111
    if os.name == "nt":
        variable, usual = "LOCALAPPDATA", ("AppData", "Local")
    else:
        variable, usual = "XDG_DATA_HOME", (".local", "share")
    return os.path.join(os.environ.get(variable) or os.path.join(user, *usual), "combray")  # noqa: PTH118
