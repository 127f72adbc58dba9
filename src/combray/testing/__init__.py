"""For tests of your own parts: a suite every store must pass, and stand-ins for models and clock.

Needs pytest.
"""

import pytest

pytest.register_assert_rewrite(
    *(f"combray.testing.store_{part}" for part in ("arms", "filters", "reads", "transactions", "writes"))
)
