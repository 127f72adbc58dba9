"""Property tests draw the same examples in every run: none fails by chance."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import RANDOM

CONSTANTS = "".join(f"C{at} = {at * 7_919_327}, 'constant {at}', {str(at).encode()!r}\n" for at in range(60))


@pytest.mark.skipif(RANDOM, reason="every run is to draw other examples")
def test_examples_do_not_depend_on_the_modules_that_are_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which tests a worker has run before is a matter of time, and with it what is loaded."""
    seen: list[str] = []

    @settings(derandomize=True, database=None)
    @given(st.lists(st.one_of(st.text(), st.integers(), st.binary())))
    def draws(drawn: list[object]) -> None:
        seen.append(repr(drawn))

    draws()
    before = list(seen)
    (tmp_path / "full_of_constants.py").write_text(CONSTANTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.import_module("full_of_constants")
    seen.clear()
    draws()
    assert seen == before
