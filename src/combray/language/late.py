"""Patterns that are compiled when they are first used.

A class of letters beyond ASCII takes milliseconds to compile, and an English question meets none of them.
"""

from __future__ import annotations

import re
from typing import Any, cast


class _Late:
    """Stands for a pattern, whose methods it looks up once."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self._source, self._flags), name)
        self.__dict__[name] = value
        return value


def late(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled on first use. Take no method from it at import."""
    return cast("re.Pattern[str]", _Late(source, flags))
