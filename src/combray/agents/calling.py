"""The fast path of a hook: ask the resident process, and load nothing else.

Reading the settings takes longer than asking. So a hook that the resident process has answered writes a card: a
small file with the path of that process's socket. The card's name is a hash of everything that the settings
depend on, so the next hook with the same call and settings finds the card and skips the settings.
"""

from __future__ import annotations

import os
import sys
import time

from combray import __version__
from combray.folders import data_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

_SHARE = 0.9
"""Share of the time in which an answer must be ready; the rest is for noting and sending it."""
_SHORT = ("session-start", "prompt")
"""Verbs that print what the resident process answers."""


class CardReply:
    """The result of asking. `reply`: None if the settings must be read after all. `given`: the input, if read."""

    def __init__(self, card: str = "") -> None:
        self.card = card
        self.started = time.perf_counter()
        self.given: str | None = None
        self.reply: str | None = None


def ask_by_card(words: Sequence[str]) -> CardReply:
    """Ask the process that the call's card names. `words`: verb and options of the call. Raises nothing."""
    if not words or words[0] not in _SHORT:
        return CardReply()
    import json

    try:
        asked = CardReply(_card(words))
        with open(asked.card, "rb") as file:  # noqa: PTH123 - pathlib takes longer to load than to ask
            place, seconds = json.loads(file.read())
            left = float(seconds) - (time.perf_counter() - asked.started)
    except (OSError, ValueError, TypeError):
        return asked
    asked.given = sys.stdin.buffer.read().decode("utf-8", "replace")
    client = words[words.index("--client") + 1] if "--client" in words else ""
    request = {"verb": words[0], "client": client, "given": asked.given, "at": time.time()}
    try:
        asked.reply = ask(str(place), request, left)
    except TimeoutError:
        # The time is used up; `Hook.serve` reports it.
        return asked
    if asked.reply is None:
        try:
            os.unlink(asked.card)  # noqa: PTH108
        except OSError:
            # Another hook has deleted it.
            return asked
    return asked


def ask(place: str, request: dict[str, object], seconds: float) -> str | None:
    """Return the answer of the resident process at a socket; None if there is none. Raises TimeoutError.

    The process gets the deadline, so that it does not record memories as shown that nobody saw.
    """
    import json
    import socket

    request["until"] = time.time() + _SHARE * seconds
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        caller.settimeout(max(0.01, seconds))
        try:
            caller.connect(place)
        except (OSError, ValueError):
            return None
        try:
            caller.sendall(json.dumps(request).encode())
            caller.shutdown(socket.SHUT_WR)
            answer = json.loads(received(caller))
        except TimeoutError:
            raise
        except (OSError, ValueError):
            # It ended while it was asked.
            return None
    text = answer.get("text") if isinstance(answer, dict) else None
    return text if isinstance(text, str) else None


def received(caller: socket.socket) -> bytes:
    """Return all that the other side sends."""
    parts = []
    while part := caller.recv(65_536):
        parts.append(part)
    return b"".join(parts)


def _card(words: Sequence[str]) -> str:
    """Return the path of the card for a call."""
    import hashlib
    import json

    folder = data_folder()
    variables = sorted(each for each in os.environ.items() if each[0].startswith("COMBRAY_"))
    file = os.environ.get("COMBRAY_CONFIG") or os.path.join(folder, "combray.toml")  # noqa: PTH118
    try:
        found = os.stat(os.path.expanduser(file))  # noqa: PTH111, PTH116
        state = [found.st_ino, found.st_size, found.st_mtime_ns]
    except OSError:
        state = []
    named = json.dumps([__version__, os.getcwd(), list(words[1:]), variables, state])  # noqa: PTH109
    name = hashlib.sha256(named.encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return os.path.join(folder, "hooks", f"{name}.card")  # noqa: PTH118
