"""For tests of your own parts: a suite every store must pass, and stand-ins for models and clock.

Needs pytest.
"""

from pathlib import Path

import pytest

SUITES = tuple(sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*_*.py")))
"""Modules whose assertions pytest rewrites, so that a failure shows the values."""

pytest.register_assert_rewrite(*(f"{__name__}.{name}" for name in SUITES))
