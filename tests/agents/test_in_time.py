"""What a hook did not print counts as not shown: the next prompt of the session gets it."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from client import QUESTION

import combray
from combray.agents.answers import Answers
from combray.agents.beside import Beside, folder_of
from combray.agents.resident import Resident
from combray.agents.serving import Hook
from combray.prompt import context, held
from combray.settings import load

GIVEN = json.dumps({"session_id": "s1", "prompt": QUESTION})
WAIT = 60


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COMBRAY_HOME", str(tmp_path))
    monkeypatch.setenv("COMBRAY_HOOK_RESIDENT", "0")
    monkeypatch.setenv("COMBRAY_HOOK_MILLISECONDS", "60000")
    # A hook logs to a file of its own.
    monkeypatch.setattr(logging.getLogger("combray"), "handlers", [])
    with combray.open(tmp_path / "a.db", worker=False) as engine:
        engine.remember("We deploy the billing service on Thursdays.", category="decision")
    return tmp_path / "a.db"


def hook(store: Path) -> Hook:
    return Hook("claude-code", {"db": str(store)})


class Noting:
    """Stands where an answer is noted as shown, and stops there before or after."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, first: bool) -> None:
        self.reached, self.may_go_on = threading.Event(), threading.Event()
        self._plain, self._first = held.add_shown, first
        monkeypatch.setattr(context, "add_shown", self)
        # The time is over when that point is reached.
        monkeypatch.setattr(Hook, "_left", lambda _: 0.0 if self.reached.is_set() else float(WAIT))

    def __call__(self, *given: Any) -> None:
        if self._first:
            self._plain(*given)
        self.reached.set()
        assert self.may_go_on.wait(WAIT)
        if not self._first:
            self._plain(*given)


def test_what_came_too_late_is_shown_to_the_next_prompt(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        noting = Noting(patch, first=False)
        late = hook(store)
        assert late.serve("prompt", GIVEN) == ""
        assert late.overdue
        noting.may_go_on.set()
        for each in threading.enumerate():
            if "_try" in each.name:
                each.join(WAIT)
    log = (Path(f"{store}.hooks") / "hooks.log").read_text()
    assert log.count("\n") == 1
    assert "took longer than" in log
    assert "Thursdays" in hook(store).serve("prompt", GIVEN)
    assert hook(store).serve("prompt", GIVEN) == ""


def test_what_is_noted_as_shown_is_printed_even_if_the_time_is_over(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        noting = Noting(patch, first=True)
        noting.may_go_on.set()
        assert "Thursdays" in hook(store).serve("prompt", GIVEN)
    assert hook(store).serve("prompt", GIVEN) == ""


def test_whoever_notices_first_that_the_time_is_over_it_is_said_once(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hook and its question to the resident process have the same time."""

    def silent(*_: object) -> str:
        raise TimeoutError("timed out")

    monkeypatch.setattr("combray.agents.calling.ask", silent)
    monkeypatch.setattr(Hook, "_place", lambda _: store)
    monkeypatch.setattr(Hook, "_prepare_next", lambda _: None)
    late = hook(store)
    assert late.serve("prompt", GIVEN) == ""
    assert late.overdue
    log = (Path(f"{store}.hooks") / "hooks.log").read_text()
    assert log.count("\n") == 1
    assert "took longer than" in log


def test_the_resident_process_notes_nothing_for_a_hook_that_has_given_up(store: Path) -> None:
    settings = load({"db": str(store)})
    answers = Answers(str(store), settings, Beside(folder_of(str(store)), settings.namespace))
    resident = Resident(answers, store)

    def asked(until: float) -> bytes:
        request = {"verb": "prompt", "client": "claude-code", "given": GIVEN, "until": until}
        caller, other = socket.socketpair()
        with caller:
            with other:
                caller.sendall(json.dumps(request).encode())
                caller.shutdown(socket.SHUT_WR)
                resident._call(other)
            return caller.recv(65_536)

    assert asked(time.time() - 1.0) == b""
    assert b"Thursdays" in asked(time.time() + WAIT)
    assert b"Thursdays" not in asked(time.time() + WAIT)
    answers.engine().close()
    assert not (Path(f"{store}.hooks") / "hooks.log").exists()
