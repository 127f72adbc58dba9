from __future__ import annotations

import os
import subprocess
import sys

import pytest

from combray.runtime.background import is_there, new_holder


@pytest.mark.slow("starts processes")
def test_a_holder_is_there_as_long_as_its_process() -> None:
    asked = "from combray.runtime.background import new_holder; print(new_holder())"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert is_there(new_holder())
    assert not is_there(done.stdout.strip())


def test_a_holder_elsewhere_or_of_unknown_form_may_be_there() -> None:
    gone = f"another-machine:{os.getpid()}:x"
    assert is_there(gone)
    assert is_there("nobody")
    assert is_there("")


def test_two_holders_of_one_process_differ() -> None:
    assert new_holder() != new_holder()
