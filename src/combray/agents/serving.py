"""One call of a hook: what it prints, within the time it may take. Nothing that goes wrong reaches the client."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from combray.agents.beside import Beside, folder_of, has_store, note_run, replace
from combray.agents.events import CAPTURING, Event, read_event, written
from combray.settings import Settings, default_location, load

if TYPE_CHECKING:
    from combray.agents.answers import Answers
    from combray.agents.resident import Decision

_OPTIONS = ("namespace", "preset", "embedder")
_POKE_SECONDS = 0.2
_COMMIT_SECONDS = 2.0
"""How long a hook waits beyond its time for the commit of what it is about to print."""
_CARD_SECONDS = 30 * 86_400


class Hook:
    """The hooks of one client on one store and namespace. `serve` raises nothing."""

    def __init__(
        self, client: str, given: Mapping[str, str | None], *, card: str = "", started: float | None = None
    ) -> None:
        """`given`: the settings db, namespace, preset and embedder, as far as the call names them.

        `card`: the file for the path of the resident process's socket (`agents.calling`), "" for none.
        `started`: when the call began, by `time.perf_counter`.
        """
        self.client = client
        self._given = dict(given)
        self.settings = Settings()
        self.location = given.get("db") or default_location()
        self.beside = Beside(folder_of(self.location), given.get("namespace") or self.settings.namespace)
        self._card = card
        self._started = time.perf_counter() if started is None else started
        self.overdue = False
        """Whether `serve` gave up on work that still runs: leave the process at once."""

    def serve(self, verb: str, given: str | None = None) -> str:
        """Return what the hook prints. `given`: the client's JSON; None reads standard input."""
        from combray.agents.resident import Decision

        said: list[str] = []
        decision = Decision()
        worker = threading.Thread(target=self._try, args=(verb, given, said, decision), daemon=True)
        worker.start()
        # Before the settings are read, the default is the limit.
        while worker.is_alive() and (left := self._left()) > 0:
            worker.join(min(0.05, left))
        if worker.is_alive() and not decision.give_up():
            worker.join(_COMMIT_SECONDS)
        if worker.is_alive() or decision.given_up:
            self.overdue = True
            limit = self.settings.hook_milliseconds
            self._failed(verb, f"took longer than {limit} ms, nothing was printed")
            if verb not in CAPTURING:
                self._prepare_next()
        elif said:
            note_run(self.client, verb, self._elapsed())
            return said[0]
        return written(Event(verb, self.client), "")

    def stay(self) -> None:
        """Serve hooks until none has called for a while (`agents.resident`). Failures are logged."""
        from combray.agents.resident import Resident

        with self._logging(" stay"):
            self._load()
            place = self._place()
            if place is None:
                self._work()
            else:
                self.beside.make()
                Resident(self._answers(), place).serve()

    def work(self) -> None:
        """Store what is queued now. Failures are logged, and the queue stays."""
        with self._logging(" work"):
            self._load()
            self._work()

    # -- one call ----------------------------------------------------------------------------------

    def _left(self) -> float:
        """Seconds that this call may still take."""
        return self.settings.hook_milliseconds / 1000 - (time.perf_counter() - self._started)

    def _prepare_next(self) -> None:
        """Start the process that keeps the store open: where that takes too long, no hook would ever answer."""
        with self._logging():
            self._load()
            # `Answers` would load the engine here, whose loading took too long in the thread of the answer.
            if self._place() is not None and has_store(self.location):
                self._start("stay")

    @contextmanager
    def _logging(self, what: str = "") -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001 - the next hook tries again
            self.beside.log(f"{self.client}{what}: {type(error).__name__}: {error}")

    def _elapsed(self) -> int:
        """Milliseconds since this call began."""
        return round((time.perf_counter() - self._started) * 1000)

    def _failed(self, verb: str, why: str) -> None:
        self.beside.log(f"{self.client} {verb}: {why}")
        note_run(self.client, verb, self._elapsed(), why)

    def _try(self, verb: str, given: str | None, said: list[str], decision: Decision) -> None:
        from combray.agents.resident import TooLateError

        try:
            text = sys.stdin.buffer.read().decode("utf-8", "replace") if given is None else given
            event = read_event(verb, self.client, text)
            self._load()
            captures = event.verb in CAPTURING
            said.append(self._capture(event) if captures else self._shown(event, text, decision))
        except TooLateError:
            # `serve` reports it.
            decision.give_up()
        except BaseException as error:  # noqa: BLE001 - whatever it is, the agent goes on
            self._failed(verb, f"{type(error).__name__}: {error}")

    def _load(self) -> None:
        self.settings = load(self._given)
        self.location = self.settings.db or default_location()
        self.beside = Beside(folder_of(self.location), self.settings.namespace)

    def _shown(self, event: Event, given: str, decision: Decision) -> str:
        """Ask the process that has the store open; without one, open it here and start one for the next hook."""
        from combray.agents.calling import ask
        from combray.agents.resident import TooLateError

        place = self._place()
        request: dict[str, object] = {"verb": event.verb, "client": event.client, "given": given}
        try:
            reply = None if place is None else ask(str(place), request, self._left())
        except TimeoutError as error:
            # It has the time of the whole call, and may notice before `serve` that it is over.
            raise TooLateError from error
        if reply is not None:
            self._leave_card(place)
            return reply
        from combray.runtime.calls import interruptible

        answers = self._answers()
        with interruptible(decision.step):
            text = answers.answer(event)
        if place is not None and has_store(self.location):
            self._start("stay")
        elif self._waiting():
            self._start("work")
        return written(event, text)

    def _leave_card(self, place: Path | None) -> None:
        """Write the socket's path into the call's card. Delete cards that are 30 days old."""
        if not self._card:
            return
        card = Path(self._card)
        with suppress(OSError):
            card.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            for each in card.parent.glob("*.card"):
                if time.time() - each.stat().st_mtime > _CARD_SECONDS:
                    each.unlink()
            replace(card, [str(place), self.settings.hook_milliseconds / 1000])

    def _capture(self, event: Event) -> str:
        from combray.agents.capture import queue_new

        beside = self.beside
        beside.note_session(event.client, event.session)
        progress = beside.progress(event.client, event.session)
        # Delivered once, and not kept beyond the turn: it is text of memories.
        pending = str(progress.pop("pending", ""))
        if event.verb == "pre-compact":
            progress |= {"compacted": datetime.now(UTC).isoformat(), "forget": True}
        if pending or event.verb == "pre-compact":
            beside.put_progress(event.client, event.session, progress)
        if self.settings.hook_capture and (event.verb != "tool" or self.settings.hook_tools):
            queue_new(event, beside)
            if self._waiting():
                self._have_worked()
        return written(event, pending if event.shows else "")

    def _have_worked(self) -> None:
        """Have what is queued stored, without waiting for it."""
        from combray.agents.calling import ask

        place = self._place()
        if place is not None:
            try:
                if ask(str(place), {"verb": "work"}, _POKE_SECONDS) is not None:
                    return
            except TimeoutError:
                # It is busy, and looks at the queue when it is done.
                return
        self._start("work" if place is None else "stay")

    def _place(self) -> Path | None:
        from combray.agents.resident import socket_of

        return socket_of(self.beside, self.location, self.settings)

    def _answers(self) -> Answers:
        import logging

        from combray.agents.answers import Answers

        logging.getLogger("combray").handlers = [_handler(self.beside)]
        return Answers(self.location, self.settings, self.beside)

    def _waiting(self) -> bool:
        from combray.agents.beside import TurnQueue

        return TurnQueue(self.beside.queue).waiting()

    def _work(self) -> None:
        if self._waiting():
            self._answers().work()

    def _start(self, verb: str) -> None:
        """Start a process of its own, which outlives this one."""
        import subprocess

        command = [sys.executable, "-m", "combray", "hook", verb, "--client", self.client]
        for option in _OPTIONS:
            if self._given.get(option):
                command += [f"--{option}", str(self._given[option])]
        environment = None
        if self._given.get("db"):
            if "://" in self.location:
                # The URL of a server may hold a password, and everybody can read a command line.
                environment = {**os.environ, "COMBRAY_DB": self.location}
            else:
                command += ["--db", self.location]
        nothing = subprocess.DEVNULL
        subprocess.Popen(  # noqa: S603 - our own command line
            command,
            env=environment,
            stdin=nothing,
            stdout=nothing,
            stderr=nothing,
            close_fds=True,
            start_new_session=os.name != "nt",
            creationflags=0x00000208 if os.name == "nt" else 0,
        )


def _handler(beside: Beside):  # type: ignore[no-untyped-def]
    """Return a handler that writes warnings to the log of the hooks: a client has no place for them."""
    import logging

    class Logged(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            # Without the error's text, which may quote a conversation.
            error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
            beside.log(f"{record.name}: {record.getMessage()} {error}")

    return Logged(logging.WARNING)
