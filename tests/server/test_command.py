"""The shell's verb: what it refuses."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from combray.interfaces.cli import combray


def test_other_machines_are_refused_without_keys(tmp_path: Path) -> None:
    for host in ("0.0.0.0", "192.0.2.1", "example.org"):
        refused = CliRunner().invoke(combray, ["serve", "--host", host, "--db", str(tmp_path / "a.db")])
        assert refused.exit_code == 2
        assert "there is no valid key" in refused.stderr
    assert not (tmp_path / "a.db").exists()


@pytest.mark.parametrize("verb", ["serve", "explore"])
def test_a_port_that_is_in_use_is_named_before_anything_is_announced(verb: str, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = CliRunner().invoke(combray, [verb, "--port", str(port), "--db", str(tmp_path / "a.db")])
    assert refused.exit_code == 2
    assert f"{port} is in use. Name another one." in refused.stderr
    assert "serving" not in refused.stderr
    assert not (tmp_path / "a.db").exists()


def test_without_the_extra_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Only the module that imports it: a new package would hide the parts of the old one from later tests.
    for name in [each for each in sys.modules if each.startswith(("combray.server.app", "uvicorn"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    refused = CliRunner().invoke(combray, ["serve", "--db", str(tmp_path / "a.db")])
    assert refused.exit_code == 1
    assert "the extra server, which is not installed: pip install" in refused.stderr
