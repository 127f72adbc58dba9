"""One call of a hook: what it prints, within the time it may take. Nothing that goes wrong reaches the client."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from combray.hooks.beside import Beside, folder_of, note_run
from combray.hooks.capture import queue_new, work_off
from combray.hooks.events import CAPTURING, MOST_CHARACTERS, Event, read_event, written
from combray.hooks.queue import Queue
from combray.settings import Settings, default_location, load

if TYPE_CHECKING:
    from combray.engine import Engine

_STARTED = time.perf_counter()
_LOCK_SHARE = 0.25
"""Share of the hook's time that it waits for another process's write lock."""
SETTLE = (
    "A line above may be outdated. If the user's words decide which holds, call settle_memories with both ids; "
    "do not guess."
)
_OUTDATED = "may be outdated: see"
_QUERY_CHARACTERS = 20_000


class Hook:
    """The hooks of one client on one store and namespace. `serve` raises nothing."""

    def __init__(self, client: str, given: Mapping[str, str | None]) -> None:
        """`given`: the settings db, namespace, preset and embedder, as far as the call names them."""
        self.client = client
        self._given = dict(given)
        self.settings = Settings()
        self.location = given.get("db") or default_location()
        self.beside = Beside(folder_of(self.location), given.get("namespace") or self.settings.namespace)

    def serve(self, verb: str, given: str | None = None) -> str:
        """Return what the hook prints. `given`: the client's JSON; None reads standard input."""
        said: list[str] = []
        worker = threading.Thread(target=self._try, args=(verb, given, said), daemon=True)
        worker.start()
        # Before the settings are read, the default is the limit.
        limit = self.settings.hook_milliseconds
        while worker.is_alive() and time.perf_counter() - _STARTED < limit / 1000:
            worker.join(max(0.0, min(0.05, limit / 1000 - (time.perf_counter() - _STARTED))))
            limit = self.settings.hook_milliseconds
        if worker.is_alive():
            self._failed(verb, f"took longer than {limit} ms, nothing was printed")
        elif said:
            note_run(self.client, verb, _elapsed())
            return said[0]
        return written(Event(verb, self.client), "")

    def _failed(self, verb: str, why: str) -> None:
        self.beside.log(f"{self.client} {verb}: {why}")
        note_run(self.client, verb, _elapsed(), why)

    def _try(self, verb: str, given: str | None, said: list[str]) -> None:
        try:
            text = sys.stdin.buffer.read().decode("utf-8", "replace") if given is None else given
            event = read_event(verb, self.client, text)
            self._load()
            said.append(written(event, self._answer(event)[:MOST_CHARACTERS]))
        except BaseException as error:  # noqa: BLE001 - whatever it is, the agent goes on
            self._failed(verb, f"{type(error).__name__}: {error}")

    def _load(self) -> None:
        self.settings = load(self._given)
        self.location = self.settings.db or default_location()
        self.beside = Beside(folder_of(self.location), self.settings.namespace)
        logging.getLogger("combray").handlers = [_Logged(self.beside)]

    def _answer(self, event: Event) -> str:
        beside = self.beside
        since = beside.last_other(event.session) if event.verb == "session-start" else ""
        beside.note_session(event.client, event.session)
        if event.verb in CAPTURING:
            return self._capture(event)
        progress = beside.progress(event.client, event.session)
        if event.verb == "session-start":
            text = self._with_engine(lambda engine: self._digest(engine, event, since, progress))
        else:
            text = self._with_engine(lambda engine: self._recall(engine, event, progress))
        if event.verb == "prompt" and event.client == "cursor" and text:
            beside.put_progress(event.client, event.session, progress | {"pending": text})
        if Queue(beside.queue).waiting():
            self._start_worker()
        return text

    # -- capture -----------------------------------------------------------------------------------

    def _capture(self, event: Event) -> str:
        beside = self.beside
        progress = beside.progress(event.client, event.session)
        pending = str(progress.get("pending", "")) if event.shows else ""
        if event.verb == "pre-compact" or pending:
            changes = {"compacted": datetime.now(UTC).isoformat(), "forget": True}
            changes = changes if event.verb == "pre-compact" else {"pending": ""}
            beside.put_progress(event.client, event.session, progress | changes)
        if self.settings.hook_capture and (event.verb != "tool" or self.settings.hook_tools):
            queue_new(event, beside)
            if Queue(beside.queue).waiting():
                self._start_worker()
        return pending

    def _start_worker(self) -> None:
        """Store what is queued in a process of its own, which outlives this one."""
        import subprocess

        command = [sys.executable, "-m", "combray", "hook", "work", "--client", self.client]
        for option in ("namespace", "preset", "embedder"):
            command += [f"--{option}", str(getattr(self.settings, option))]
        command += ["--db", self.location]
        nothing: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        detached: Any = {"creationflags": 0x00000208} if os.name == "nt" else {"start_new_session": True}
        subprocess.Popen(command, close_fds=True, **nothing, **detached)  # noqa: S603 - our own command line

    def work(self) -> int:
        """Store what is queued now. Return how many turns were new; failures are logged."""
        try:
            self._load()
            if not Queue(self.beside.queue).waiting():
                return 0
            with self._opened(to_write=True) as engine:
                return work_off(engine, self.beside)
        except Exception as error:  # noqa: BLE001 - the queue stays, and the next worker tries again
            self.beside.log(f"{self.client} work: {type(error).__name__}: {error}")
            return 0

    # -- answers -----------------------------------------------------------------------------------

    def _opened(self, *, to_write: bool = False) -> Engine:
        from pathlib import Path

        from combray.engine import open as open_engine

        path = Path(self.location.removeprefix("sqlite:///"))
        if to_write and not path.parent.exists() and "://" not in self.location:
            path.parent.mkdir(parents=True, exist_ok=True)
        chosen = self.settings
        return open_engine(
            self.location,
            namespace=chosen.namespace,
            preset=chosen.preset,
            embedder=chosen.embedder,
            worker=False,
        )

    def _with_engine(self, use: Any) -> str:
        """Open the store for one answer. A store that does not exist yet has nothing to tell."""
        if "://" not in self.location.removeprefix("sqlite:///"):
            path = os.path.expanduser(self.location.removeprefix("sqlite:///"))  # noqa: PTH111
            if not os.path.exists(path):  # noqa: PTH110
                return ""
        wait = self.settings.hook_milliseconds / 1000 * _LOCK_SHARE
        os.environ["COMBRAY_BUSY_TIMEOUT"] = f"{min(wait, self.settings.busy_timeout):.3f}"
        # Not closed: that would count what was recalled as accessed, and nobody asked for it.
        return str(use(self._opened()))

    def _digest(self, engine: Engine, event: Event, since: str, progress: dict[str, Any]) -> str:
        from combray.hooks.digest import digest

        if event.source == "compact":
            progress |= {"forget": True, "compacted": progress.get("compacted") or datetime.now(UTC).isoformat()}
        self._forget(engine, event, progress)
        return digest(engine, event, since)

    def _recall(self, engine: Engine, event: Event, progress: dict[str, Any]) -> str:
        from combray.language.trivial import says_nothing

        query = event.prompt.strip()[:_QUERY_CHARACTERS]
        if not query or query.startswith("/") or says_nothing(query):
            return ""
        self._forget(engine, event, progress)
        where: dict[str, Any] = {"session": {"ne": event.session}}
        if progress.get("compacted"):
            # What was said before the compaction is no longer in the prompt.
            where = {"or": [where, {"recorded_at": {"lt": progress["compacted"]}}]}
        trusts = [each for each in engine.trusts if each != "untrusted"]
        made = engine.context(query, session=event.session or None, where=where, trusts=trusts)
        return f"{made.text}\n{SETTLE}" if _OUTDATED in made.text else made.text

    def _forget(self, engine: Engine, event: Event, progress: dict[str, Any]) -> None:
        """After a compaction the prompt no longer holds what was shown."""
        from combray.prompt.shown import forget_shown

        if progress.pop("forget", False):
            forget_shown(engine.runtime.store, engine.namespace, event.session)
            self.beside.put_progress(event.client, event.session, progress)


class _Logged(logging.Handler):
    """Writes warnings to the log of the hooks: what a client reads has no room for them."""

    def __init__(self, beside: Beside) -> None:
        super().__init__(logging.WARNING)
        self._beside = beside

    def emit(self, record: logging.LogRecord) -> None:
        """Write the message and the error's name, without the error's text."""
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
        self._beside.log(f"{record.name}: {record.getMessage()} {error}")


def _elapsed() -> int:
    """Milliseconds since this program was loaded."""
    return round((time.perf_counter() - _STARTED) * 1000)
