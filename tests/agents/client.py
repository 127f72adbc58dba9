"""A client under test: calls the hooks in the default configuration, and keeps a transcript."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import combray
from combray import Engine
from combray.agents.calling import CardReply
from combray.agents.command import _read, call

QUESTION = "On which day do we deploy the billing service?"


class Client:
    """One session of a client with a data folder of its own."""

    def __init__(self, name: str, folder: Path, session: str = "s1") -> None:
        self.name = name
        self.folder = folder
        self.session = session
        self.options: tuple[str, ...] = ()
        self.store = folder / "agent.db"
        self.transcript = folder / f"{session}.jsonl"
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("COMBRAY_")}
        self.environment |= {
            "COMBRAY_HOME": str(folder),
            "COMBRAY_HOOK_MILLISECONDS": "60000",
            "COMBRAY_HOOK_RESIDENT": "0",
        }

    def hook(self, verb: str, given: Any = None, **fields: Any) -> str:
        """Serve one hook in this process. What it prints."""
        words = _read(self.command(verb)[4:])
        assert words is not None
        asked = CardReply()
        asked.given = self._sent(given, fields)
        log = logging.getLogger("combray")
        with patch.dict(os.environ, self.environment, clear=True), patch.object(log, "handlers", []):
            return call(words.pop("verb"), words.pop("client"), asked, **words)

    def process(self, verb: str, given: Any = None, **fields: Any) -> str:
        """Run one hook as the client does; it exits with 0 whatever happens. What it prints."""
        sent = self._sent(given, fields).encode()
        done = subprocess.run(
            self.command(verb), input=sent, capture_output=True, timeout=120, env=self.environment, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == b""
        return done.stdout.decode()

    def _sent(self, given: Any, fields: dict[str, Any]) -> str:
        return json.dumps({"session_id": self.session, **fields}) if given is None else str(given)

    def command(self, verb: str) -> list[str]:
        """The command line that `combray setup` writes."""
        called = [sys.executable, "-m", "combray", "hook", verb, "--client", self.name]
        return [*called, "--store", str(self.store), *self.options]

    def work(self) -> None:
        """Wait until what is queued is stored."""
        self.hook("work")

    def say(self, role: str, text: str, number: int) -> None:
        """Write a turn to the transcript as Claude Code does."""
        entry = {
            "type": role,
            "uuid": f"00000000-0000-4000-8000-{number:012d}",
            "timestamp": "2026-11-20T10:00:00.000Z",
            "message": {"role": role, "content": text},
        }
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def open(self) -> Engine:
        """The store, once nobody works on it."""
        return combray.open(self.store, worker=False)

    def contents(self) -> list[str]:
        """The texts that the store holds, in order."""
        with self.open() as engine:
            return [each.content for each in engine.list(order="position", limit=1000)]

    def log(self) -> str:
        """The log of the hooks."""
        place = Path(f"{self.store}.hooks") / "hooks.log"
        return place.read_text() if place.exists() else ""

    def wait_for(self, count: int, seconds: float = 120) -> None:
        """Wait until the worker in the background has stored as many memories."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.store.exists():
                with self.open() as engine:
                    if engine.reader.count(None) >= count:
                        return
            time.sleep(0.1)
        raise AssertionError(f"{count} memories were not stored in {seconds} s: {self.log()}")


def pids(client: Client) -> list[int]:
    """The resident processes of the client's store that run."""
    folder = Path(f"{client.store}.hooks")
    found = [int(each.read_text() or 0) for each in folder.glob("*.lock") if each.stem != "queue"]
    return [pid for pid in found if pid and Path(f"/proc/{pid}").exists()]


@contextmanager
def with_resident(folder: Path) -> Iterator[Client]:
    """A client whose hooks start a resident process, which is gone at the end."""
    client = Client("claude-code", folder)
    client.environment["COMBRAY_HOOK_RESIDENT"] = "120"
    with client.open() as engine:
        engine.remember("We deploy the billing service on Thursdays.", category="decision")
    yield client
    for pid in pids(client):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
