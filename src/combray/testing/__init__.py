"""For tests of your own stages and stores: conformance suites, and fakes of models and the clock.

Needs pytest.
"""

from pathlib import Path

import pytest

SUITES = tuple(sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*_*.py")))
"""Modules whose assertions pytest rewrites, so that a failure shows the values."""

pytest.register_assert_rewrite(*(f"{__name__}.{name}" for name in SUITES))
