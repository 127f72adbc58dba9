"""A filter's count is confirmed at a real terminal: what is shown, what each answer does."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

import combray

INTERRUPT = "\x03"
WHERE = '{"metadata.user": "ann"}'


class Terminal:
    """`combray` in a process of its own whose input, output and errors are one terminal."""

    def __init__(self, store: Path, embedder: str, *arguments: str) -> None:
        self.own, theirs = pty.openpty()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("COMBRAY_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "combray", *arguments, "--db", str(store)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**kept, "COMBRAY_HOME": str(store.parent), "COMBRAY_EMBEDDER": embedder, "TERM": "xterm"},
            start_new_session=True,
            # Ctrl-C reaches a process only from the terminal that controls it.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)
        self.shown = ""

    def read_until(self, expected: str) -> None:
        """Read until the screen shows a text."""
        until = time.monotonic() + 60
        while expected not in self.shown and self._read(until - time.monotonic()):
            pass
        assert expected in self.shown, self.shown

    def answer(self, typed: str) -> tuple[int, str]:
        """Type an answer; the exit code and the whole screen."""
        until = time.monotonic() + 60
        os.write(self.own, typed.encode())
        while time.monotonic() < until:
            if self._read(2.0):
                continue
            if self.process.poll() is not None:
                break
            if typed == INTERRUPT:
                # Python may be between the prompt and the read, and does not notice it before the next key. Not a
                # second interrupt: while the first is handled it prints a traceback.
                os.write(self.own, b"\n")
        code = self.process.wait(timeout=180)
        os.close(self.own)
        return code, self.shown

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self.own], [], [], max(seconds, 0))
        try:
            some = os.read(self.own, 65536) if ready else b""
        except OSError:  # Linux reports the other end's closing as an error.
            some = b""
        self.shown += re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", some.decode()).replace("\r\n", "\n")
        return bool(some)


@pytest.fixture
def embedder() -> str:
    return "none"


@pytest.fixture
def store(tmp_path: Path, embedder: str) -> Path:
    path = tmp_path / "a.db"
    with combray.open(path, embedder=embedder) as engine:
        engine.remember_many(
            [{"content": f"note {at} of Ann", "metadata": {"user": "ann"}} for at in range(12)], diff=False
        )
        engine.remember("a note of Bob", metadata={"user": "bob"}, diff=False)
    return path


def live(store: Path) -> int:
    with combray.open(store, embedder="none") as engine:
        return engine.list().total


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize("verb", ["forget", "erase"])
def test_the_count_is_shown_and_a_yes_changes_as_many(store: Path, embedder: str, verb: str) -> None:
    terminal = Terminal(store, embedder, verb, "--where", WHERE)
    terminal.read_until(f"{verb.capitalize()} 12 memories? [y/N]: ")
    assert terminal.shown.count(" of Ann") == 5
    assert "  and 7 more\n" in terminal.shown
    assert live(store) == 13
    code, shown = terminal.answer("y\n")
    assert (code, live(store)) == (0, 1)
    assert f"12 memories are {'forgotten' if verb == 'forget' else 'erased'}." in shown


@pytest.mark.parametrize("verb", ["forget", "erase"])
@pytest.mark.parametrize("typed", ["n\n", "\n", "\x04", INTERRUPT], ids=["no", "enter", "end", "interrupt"])
def test_any_other_answer_changes_nothing(store: Path, verb: str, typed: str) -> None:
    terminal = Terminal(store, "none", verb, "--where", WHERE)
    terminal.read_until("[y/N]: ")
    code, shown = terminal.answer(typed)
    assert code != 0
    assert "Traceback" not in shown
    assert live(store) == 13


def test_an_answer_that_is_neither_is_asked_again(store: Path) -> None:
    terminal = Terminal(store, "none", "erase", "--where", WHERE)
    terminal.read_until("[y/N]: ")
    os.write(terminal.own, b"12\n")
    terminal.read_until("Error: invalid input")
    assert live(store) == 13
    assert terminal.answer("y\n")[0] == 0
    assert live(store) == 1


def test_what_was_written_while_the_question_was_open_is_not_erased_unasked(store: Path) -> None:
    terminal = Terminal(store, "none", "erase", "--where", WHERE)
    terminal.read_until("[y/N]: ")
    with combray.open(store, embedder="none") as engine:
        engine.remember("a late note", metadata={"user": "ann"}, diff=False)
    code, shown = terminal.answer("y\n")
    assert code != 0
    assert "is 12, but the filter matches 13 memories" in shown
    assert live(store) == 14


def test_yes_and_a_given_count_ask_nothing(store: Path) -> None:
    code, shown = Terminal(store, "none", "forget", "--where", WHERE, "--confirm", "12").answer("")
    assert (code, "[y/N]" in shown, live(store)) == (0, False, 1)
    code, shown = Terminal(store, "none", "erase", "--where", WHERE, "--yes").answer("")
    assert (code, "[y/N]" in shown, live(store)) == (0, False, 1)
