"""The shell's verb: what it refuses."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from combray.errors import InvalidInputError
from combray.interfaces.cli import combray, serving


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


def test_an_address_that_the_machine_lacks_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the one of `localhost` in IPv6 where that is switched off. 192.0.2.0/24 is nobody's (RFC 5737)."""
    own, nobodys = (
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in ("127.0.0.1", "192.0.2.1")
    )
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [nobodys, own])
    (made,) = serving._listening("localhost", 0)
    with made:
        assert made.getsockname()[0] == "127.0.0.1"
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [nobodys])
    with pytest.raises(InvalidInputError, match="localhost is no address of this machine"):
        serving._listening("localhost", 0)


def test_without_the_extra_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Only the module that imports it: a new package would hide the parts of the old one from later tests.
    for name in [each for each in sys.modules if each.startswith(("combray.server.app", "uvicorn"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    refused = CliRunner().invoke(combray, ["serve", "--db", str(tmp_path / "a.db")])
    assert refused.exit_code == 1
    assert "the extra server, which is not installed: pip install" in refused.stderr
