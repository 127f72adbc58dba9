"""The comparison of `tests/outside`: the same calls on mem0's own `Memory` (`infer=False`) and on Combray's."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "outside"))
pytest.register_assert_rewrite("test_mem0_library")

from test_mem0_library import *  # noqa: E402, F403
