"""Chromium for the tests: found on the machine, or installed where tests run unattended."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
VARIABLE = "COMBRAY_CHROMIUM"
"""Names the program, if it is not in PATH."""
SECONDS = 300
REMEDY = f"Install it (Debian: apt install chromium), or set {VARIABLE} to its path."


class NoBrowserError(Exception):
    """There is no Chromium, and it could not be installed."""


def unattended() -> bool:
    """Return whether nobody reads what a test skips, as in continuous integration."""
    return bool(os.environ.get("CI"))


@cache
def chromium() -> str:
    """Return the path of Chromium. Where tests run unattended on Debian, install it. Raises NoBrowserError."""
    if named := os.environ.get(VARIABLE):
        return named
    if found := _found():
        return found
    if not unattended():
        raise NoBrowserError(f"Chromium is missing. {REMEDY}")
    problem = _install()
    if found := _found():
        return found
    raise NoBrowserError(f"Chromium is missing and could not be installed: {problem} {REMEDY}")


def _found() -> str | None:
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def _install() -> str:
    """Install Debian's Chromium. Return what went wrong."""
    apt = shutil.which("apt-get")
    if sys.platform != "linux" or apt is None or os.getuid() != 0:
        return "it needs apt-get and the rights of root."
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (("update", "-qq"), ("install", "-y", "-qq", "--no-install-recommends", "chromium")):
        done = subprocess.run((apt, *arguments), env=environment, capture_output=True, text=True, timeout=SECONDS)
        if done.returncode:
            return f"apt-get {arguments[0]} said: {done.stderr.strip()[-300:]}"
    return ""
