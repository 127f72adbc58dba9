"""A process that keeps a store open between hooks, so that a hook need not load the engine.

It listens on a socket in the folder beside the store, which only the owner may enter. There is one for each
store, namespace, configuration and version. It ends when no hook has called for a while, or when the store is
replaced.
A hook that finds none opens the store and starts one. Without Unix sockets every hook opens the store.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from combray import __version__
from combray.agents.beside import Beside, TurnQueue, note_run
from combray.agents.calling import received
from combray.agents.events import read_event, written
from combray.settings import Settings

if TYPE_CHECKING:
    from combray.agents.answers import Answers

_LONGEST_PATH = 100
"""Bytes of a socket's path; systems allow 104 to 108."""
_TICK = 1.0
_CALL_SECONDS = 5.0
"""A caller that sends its request more slowly is dropped."""


class TooLateError(Exception):
    """Raised in the thread of an answer that nobody waits for any more."""


class Decision:
    """A race between a caller that gives up and an answer that is noted as shown. One of them wins, once.

    A hook that takes too long prints nothing. If its answer were noted as shown all the same, the session would
    never see those memories.
    """

    def __init__(self, until: float | None = None) -> None:
        """`until`: the moment from which on the caller counts as gone, by `time.time`."""
        self._until = until
        self._lock = threading.Lock()
        self.given_up = False
        """Whether nobody waits any more."""
        self._noted = False

    def give_up(self) -> bool:
        """Stop waiting. Return False if the answer is already being noted as shown: it must be printed."""
        with self._lock:
            self.given_up = not self._noted
            return self.given_up

    def step(self, name: str) -> None:
        """Follow the answer's thread (`interruptible`). Raises TooLateError if nobody waits."""
        # Only here, where it is loaded: a hook that asks the resident process loads no engine.
        from combray.prompt.held import SHOWN

        with self._lock:
            if self.given_up or (self._until is not None and not self._noted and time.time() > self._until):
                raise TooLateError
            self._noted = self._noted or name == SHOWN


def socket_of(beside: Beside, location: str, settings: Settings) -> Path | None:
    """Return where the resident process of this configuration listens; None if it cannot."""
    given = {name: value for name, value in os.environ.items() if name.startswith("COMBRAY_")}
    # How long a hook waits is its own matter.
    given.pop("COMBRAY_HOOK_MILLISECONDS", None)
    chosen = repr(msgspec.structs.replace(settings, hook_milliseconds=0))
    named = json.dumps([__version__, location, chosen, sorted(given.items())])
    place = beside.folder / f"{hashlib.sha256(named.encode()).hexdigest()[:12]}.sock"
    fits = len(os.fsencode(place)) < _LONGEST_PATH
    return place if fits and settings.hook_resident > 0 and hasattr(socket, "AF_UNIX") else None


class Resident:
    """The process's side: answers one call after another, and stores what is queued in between."""

    def __init__(self, answers: Answers, place: Path) -> None:
        self._answers = answers
        self._place = place
        self._last = time.monotonic()

    def serve(self) -> None:
        """Serve until nobody has called for `hook_resident` seconds; at once end if another process serves."""
        with _Alone(self._place.with_suffix(".lock")) as alone:
            if not alone:
                return
            self._place.unlink(missing_ok=True)
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
                listening.bind(str(self._place))
                listening.listen(16)
                listening.settimeout(_TICK)
                try:
                    self._loop(listening)
                finally:
                    self._place.unlink(missing_ok=True)

    def _loop(self, listening: socket.socket) -> None:
        self._work()
        store = self._state()
        while time.monotonic() - self._last < self._answers.settings.hook_resident:
            try:
                caller, _ = listening.accept()
            except TimeoutError:
                caller = None
            if store is not None and self._state() != store:
                # Removed or replaced, by a restored backup for example. A caller opens what is there now.
                if caller is not None:
                    caller.close()
                return
            if caller is None:
                continue
            self._last = time.monotonic()
            with caller, suppress(OSError):
                caller.settimeout(_CALL_SECONDS)
                self._call(caller)
            self._work()
            store = store or self._state()

    def _call(self, caller: socket.socket) -> None:
        try:
            request = json.loads(received(caller))
            text = "" if request["verb"] == "work" else self._text(request)
        except TooLateError:
            # The hook reports it, and nothing counts as shown.
            return
        except Exception as error:  # noqa: BLE001 - the hook opens the store, and reports what is wrong
            self._answers.beside.log(f"resident: {type(error).__name__}: {error}")
            return
        caller.sendall(json.dumps({"text": text}).encode())

    def _text(self, request: Mapping[str, Any]) -> str:
        event = read_event(request["verb"], request["client"], request["given"])
        from combray.runtime.calls import interruptible

        until = request.get("until")
        with interruptible(Decision(until if isinstance(until, float) else None).step):
            text = written(event, self._answers.answer(event))
        if "at" in request:
            note_run(event.client, event.verb, round((time.time() - request["at"]) * 1000))
        return text

    def _work(self) -> None:
        if not TurnQueue(self._answers.beside.queue).waiting():
            return
        try:
            self._answers.work()
        except Exception as error:  # noqa: BLE001 - the queue stays, and the next call tries again
            self._answers.beside.log(f"resident: {type(error).__name__}: {error}")

    def _state(self) -> tuple[int, int] | None:
        """Return which file the store is; None without one."""
        try:
            found = Path(self._answers.location.removeprefix("sqlite:///")).expanduser().stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino


class _Alone:
    """Hold a lock for as long as the process lives; yields False if another process holds it."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    def __enter__(self) -> bool:
        import fcntl

        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, str(os.getpid()).encode())
        return True

    def __exit__(self, *_error: object) -> None:
        os.close(self._descriptor)
