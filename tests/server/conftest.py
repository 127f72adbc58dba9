"""A server for each file of tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from serving import Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served") / "a.db") as found:
        yield found
