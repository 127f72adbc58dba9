"""The library's surface: `open` and `Engine` with its facets; one file a noun."""

from combray.engine.engine import Engine
from combray.engine.opening import open
from combray.runtime.calls import interruptible

__all__ = ["Engine", "interruptible", "open"]
