"""The shell as a process of its own: pipes, signals, a real terminal."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from shell import Shell

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and pseudo-terminals of POSIX")


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, monkeypatch)


def test_a_closed_standard_output_is_no_failure(shell: Shell) -> None:
    """`combray list >&-` in a shell: Python has no standard output then."""
    shell.remember("Anna drinks tea")
    line = " ".join(map(shlex.quote, shell.command("list")))
    ran = subprocess.run(["sh", "-c", f"{line} >&-"], capture_output=True, timeout=180, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_piped_runs_give_json_and_exit_codes(shell: Shell) -> None:
    made = shell.process("remember", "-", stdin="Züge nach Lissabon".encode())
    assert (made.returncode, made.stderr) == (0, b"")
    assert json.loads(made.stdout)["action"] == "added"
    nothing = shell.process("recall", "submarine")
    assert nothing.returncode == 1
    assert json.loads(nothing.stdout)["results"] == []
    assert nothing.stderr.count(b"\n") == 1
    assert shell.process("recall").returncode == 2


def test_output_survives_a_terminal_encoding_without_the_letters(shell: Shell) -> None:
    shell.remember("Züge nach 里斯本")
    shell.monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    found = shell.process("search", "Züge")
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)[0]["content"] == "Züge nach 里斯本"


@posix
def test_a_reader_that_goes_away_is_no_traceback(shell: Shell, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("".join(f"note {number} {'word ' * 100}{number}\n" for number in range(600)))
    shell.json("remember", "--file", str(notes), "--no-diff")
    running = subprocess.Popen(shell.command("export"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.read(10)
    running.stdout.close()
    said = running.stderr.read()
    running.stderr.close()
    assert running.wait(timeout=180) == 1
    assert said == b""


@posix
def test_an_interrupt_leaves_with_130_and_one_line(shell: Shell) -> None:
    running = subprocess.Popen(
        shell.command("remember", "-"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdin is not None
    # More than a pipe holds: once it is written, the verb has begun to read.
    running.stdin.write(b"x" * 300_000)
    running.stdin.flush()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=180)
    assert running.returncode == 130
    assert out == b""
    assert err.strip() == b"combray: interrupted."


@posix
def test_erase_in_a_real_terminal_asks_first(shell: Shell) -> None:
    made = shell.remember("Ada plays the cello")
    assert _typed(shell, b"n\n", "erase", made)[0] == 1
    assert shell.json("get", made)["content"] == "Ada plays the cello"
    code, said = _typed(shell, b"y\n", "erase", made)
    assert code == 0
    assert "Erase permanently: 'Ada plays the cello'?" in said
    assert shell.run("get", made).exit_code == 1


def _typed(shell: Shell, keys: bytes, *arguments: str) -> tuple[int, str]:
    """Run in a pseudo-terminal with keys typed ahead; the exit code and the screen."""
    import pty

    screen, terminal = pty.openpty()
    running = subprocess.Popen(shell.command(*arguments), stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    os.write(screen, keys)
    said = b""
    try:
        while chunk := os.read(screen, 4096):
            said += chunk
    except OSError:
        # Linux's way of saying that the other side has closed.
        pass
    finally:
        os.close(screen)
    return running.wait(timeout=180), said.decode()
