"""The library's surface: `open` and `Engine`; one file a noun."""

from combray.engine.engine import Engine, open

__all__ = ["Engine", "open"]
