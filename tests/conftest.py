"""What all tests start from."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Processes that tests start heed Ctrl-C, also where the tests themselves were started in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
