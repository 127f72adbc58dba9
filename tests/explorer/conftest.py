"""The fixtures of `window.py`. They are there because mypy takes one conftest.py only."""

from window import address, axe, browser, hostile, written

__all__ = ["address", "axe", "browser", "hostile", "written"]
