"""Texts for a session's start and for a prompt, from an open store; and the storing of queued turns."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from combray.agents.beside import Beside, has_store
from combray.agents.events import MOST_CHARACTERS, Event
from combray.sessions.printed import COMPACTED, GUIDE, SETTLE
from combray.settings import Settings

if TYPE_CHECKING:
    from combray.engine import Engine

_LOCK_SHARE = 0.1
"""Share of a hook's time that it waits for another process's write lock."""
_OUTDATED = re.compile(r"; \d{4}-\d\d-\d\d; [0-9a-f-]+; may be outdated: see [^()]*\)$", re.MULTILINE)
"""The mark of a doubted memory, in the notes at the end of its line. A text may hold the same words."""
_QUERY_CHARACTERS = 20_000


class Answers:
    """The answers of one store and namespace. The store is opened at the first use and stays open."""

    def __init__(self, location: str, settings: Settings, beside: Beside) -> None:
        self.location = location
        self.settings = settings
        self.beside = beside
        self._engine: Engine | None = None

    def engine(self) -> Engine:
        """Return the engine on the store, which is created if it is missing."""
        if self._engine is None:
            from combray.engine import open as open_engine

            chosen = self.settings
            path = Path(os.path.expanduser(self.location.removeprefix("sqlite:///")))  # noqa: PTH111
            if "://" not in str(path):
                path.parent.mkdir(parents=True, exist_ok=True)
            wait = min(chosen.hook_milliseconds / 1000 * _LOCK_SHARE, chosen.busy_timeout)
            with _environment("COMBRAY_BUSY_TIMEOUT", f"{wait:.3f}"):
                self._engine = open_engine(
                    self.location,
                    namespace=chosen.namespace,
                    preset=chosen.preset,
                    embedder=chosen.embedder,
                    worker=False,
                )
        return self._engine

    def answer(self, event: Event) -> str:
        """Return what a session's start or a prompt gets. Raises StoreError."""
        beside = self.beside
        since = beside.last_other(event.session)
        beside.note_session(event.client, event.session)
        if not has_store(self.location):
            return ""
        progress = beside.progress(event.client, event.session)
        if event.verb == "session-start":
            return self._digest(event, since, progress)
        text = self._recalled(event, progress)
        if event.client == "cursor" and text:
            # Cursor shows a model nothing from this hook; the next use of a tool delivers it.
            beside.put_progress(
                event.client, event.session, beside.progress(event.client, event.session) | {"pending": text}
            )
        return text

    def work(self) -> int:
        """Store what is queued. Return how many turns were new. Raises StoreError, OSError."""
        from combray.agents.capture import work_off

        return work_off(self.engine(), self.beside)

    def _digest(self, event: Event, since: str, progress: dict[str, Any]) -> str:
        if event.source == "compact":
            progress |= {"forget": True, "compacted": progress.get("compacted") or datetime.now(UTC).isoformat()}
        self._forget(event, progress)
        engine = self.engine()
        budget = self.settings.context_budget
        made = engine.prompts.digest(event.session, since=since, budget=budget, characters=MOST_CHARACTERS)
        compacted = COMPACTED if event.source == "compact" else ""
        guide = GUIDE.format(count=engine.list(limit=1).total)
        return "\n\n".join(filter(None, (guide, compacted, made.text)))

    def _recalled(self, event: Event, progress: dict[str, Any]) -> str:
        from combray.language.trivial import says_nothing

        query = event.prompt.strip()[:_QUERY_CHARACTERS]
        if not query or query.startswith("/") or says_nothing(query):
            return ""
        engine = self.engine()
        self._forget(event, progress)
        where: dict[str, Any] = {"session": {"ne": event.session}}
        if progress.get("compacted"):
            # What was said before the compaction is no longer in the prompt.
            where = {"or": [where, {"recorded_at": {"lt": progress["compacted"]}}]}
        made = engine.context(
            query,
            self.settings.context_budget,
            session=event.session or None,
            where={"and": [where, {"trust": {"ne": "untrusted"}}]},
            characters=MOST_CHARACTERS,
            sure=True,
        )
        return f"{made.text}\n{SETTLE}" if _OUTDATED.search(made.text) else made.text

    def _forget(self, event: Event, progress: dict[str, Any]) -> None:
        """After a compaction the prompt no longer holds what was shown."""
        if progress.get("forget") and self.engine().prompts.forget_shown(event.session):
            del progress["forget"]
            self.beside.put_progress(event.client, event.session, progress)


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """Set a variable for a while. Processes that are started later do not inherit it."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
