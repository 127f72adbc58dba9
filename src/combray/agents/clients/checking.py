"""The doctor of a set-up: is it wired, does the hook answer, when did it last run."""

from __future__ import annotations

import importlib.util
import json
import shlex
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from combray.agents.clients.files import CLIENTS
from combray.agents.clients.pieces import FilePiece, State
from combray.agents.clients.places import Places, Wanted
from combray.agents.clients.wiring import text_at
from combray.errors import InvalidInputError, install_command
from combray.records import dataclass

_SECONDS = 10
_WORST: tuple[State, ...] = ("foreign", "older", "missing", "wired")
_SAID: dict[State, str] = {
    "foreign": "another entry is in its place",
    "older": "wired by another version or with other options: run combray setup again",
    "missing": "not wired",
    "wired": "wired",
}


@dataclass(frozen=True, slots=True)
class ClientCheck:
    """One thing that was checked. `good` is None for a mere remark."""

    what: str
    good: bool | None
    said: str


def check(client: str, places: Places, wanted: Wanted, runs: Path) -> list[ClientCheck]:
    """Return what is wired, whether the hook answers, and when it last ran.

    `runs`: the folder where hooks note their last run, one JSON file a client.
    """
    findings = _files(CLIENTS[client](places, wanted))
    server = importlib.util.find_spec("mcp") is not None
    said = "its library is installed" if server else f"its library is missing: {install_command('mcp')}"
    findings.append(ClientCheck("MCP server", server, said))
    if any(each.good for each in findings[:-1]):
        findings.append(_answer(client, wanted, places))
        findings.append(_last_run(runs / f"{client}.json"))
    return findings


def _files(pieces: list[FilePiece]) -> list[ClientCheck]:
    """One finding a file: the worst state of its pieces."""
    states: dict[Path, State] = {}
    findings = []
    for piece in pieces:
        try:
            state = piece.state(text_at(piece.path))
        except (InvalidInputError, OSError) as error:
            findings.append(ClientCheck(str(piece.path), False, getattr(error, "problem", "") or str(error)))
            continue
        states[piece.path] = min(states.get(piece.path, "wired"), state, key=_WORST.index)
    broken = {each.what for each in findings}
    found = [
        ClientCheck(str(path), state == "wired", _SAID[state])
        for path, state in states.items()
        if str(path) not in broken
    ]
    return found + list({each.what: each for each in findings}.values())


def _answer(client: str, wanted: Wanted, places: Places) -> ClientCheck:
    """Run the hook of a session's start as the client would."""
    words = shlex.split(wanted.hook("session-start", client))
    if shutil.which(words[0]) is None:
        return ClientCheck(
            "hook", False, f"{words[0]} is not on the path: run combray setup again, or add it to PATH"
        )
    event = {
        "session_id": "combray-check",
        "hook_event_name": "SessionStart",
        "source": "startup",
        "cwd": str(places.project),
    }
    start = time.perf_counter()
    try:
        done = subprocess.run(  # noqa: S603 - our own command line
            words, input=json.dumps(event).encode(), capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return ClientCheck("hook", False, f"does not answer: {error}")
    took = f"{(time.perf_counter() - start) * 1000:.0f} ms"
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        return ClientCheck("hook", False, f"fails after {took}: {last[0]}")
    return ClientCheck("hook", True, f"answers in {took} with {len(done.stdout)} bytes")


def _last_run(place: Path) -> ClientCheck:
    try:
        noted: Mapping[str, Any] = json.loads(place.read_text(encoding="utf-8"))
        said = f"{noted['verb']} at {noted['at']}, {noted['ms']} ms"
        error = str(noted.get("error") or "")
    except (OSError, ValueError, KeyError, TypeError):
        return ClientCheck("last run", None, "no hook has run yet")
    return ClientCheck("last run", not error, f"{said}: {error}" if error else said)
