"""The MCP server as a process: how it ends, what it tells a person, what it needs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from agent import Raw, command
from shell import Shell

import combray


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_told_to_stop_it_writes_the_counts_that_wait_and_leaves(tmp_path: Path) -> None:
    db = tmp_path / "stopped.db"
    server = Raw(db, "work")
    made = server.call("remember", content="Kites fly at the beach")["structuredContent"]["id"]
    assert server.call("recall", query="kites")["structuredContent"]["results"]
    assert server.end(lambda process: process.send_signal(signal.SIGTERM)) == (0, b"", b"")
    with combray.open(db, namespace="work", embedder="none") as engine:
        assert engine.get(made).access_count == 1


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals of POSIX")
def test_started_by_a_person_it_says_what_it_waits_for(tmp_path: Path) -> None:
    import pty

    keyboard, terminal = pty.openpty()
    pipe = subprocess.PIPE
    running = subprocess.Popen(command(tmp_path / "x.db", "work"), stdin=terminal, stdout=pipe, stderr=pipe)
    os.close(terminal)
    os.write(keyboard, b"\x04")
    out, err = running.communicate(timeout=180)
    os.close(keyboard)
    assert (running.returncode, out) == (0, b"")
    assert err.startswith(b"combray: waiting for an MCP client")


# -- installation --------------------------------------------------------------------------------------


def test_without_the_sdk_the_message_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "combray.interfaces.mcp.server", raising=False)
    for name in [name for name in sys.modules if name == "mcp" or name.startswith("mcp.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    result = Shell(tmp_path, monkeypatch).run("mcp", "--db", str(tmp_path / "x.db"))
    assert result.exit_code == 1
    assert "the extra mcp, which is not installed: pip install" in result.stderr
    assert not (tmp_path / "x.db").exists()


def test_other_verbs_do_not_load_the_sdk() -> None:
    check = (
        "import sys; from combray.interfaces.cli import combray\n"
        "try: combray.main(['mcp', '--help'], prog_name='combray')\n"
        "except SystemExit: pass\n"
        "loaded = {'mcp', 'pydantic', 'anyio', 'numpy'} & set(sys.modules)\n"
        "sys.exit(f'loaded: {loaded}' if loaded else 0)"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
