"""What happens while one of several servers is killed, and while a namespace moves to another."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg

import combray
from combray import Engine
from combray.errors import CombrayError
from combray.stores.postgres import PostgresStore
from combray.testing.postgres import Server
from combray.transfer.moving import move

AWAY = 8.0
"""Seconds that a killed server stays away: longer than a call waits for it."""
CLOSE = """
ALTER TABLE combray.namespace ENABLE ROW LEVEL SECURITY;
CREATE POLICY every ON combray.namespace USING (true);
CREATE POLICY "moved to service other" ON combray.namespace AS RESTRICTIVE FOR UPDATE
    USING (true) WITH CHECK (name <> 'default')
"""


class Writer(threading.Thread):
    """Writes one text after another: what was confirmed and when, and the errors."""

    def __init__(self, engine: Engine, name: str) -> None:
        super().__init__()
        self.engine, self.label = engine, name
        self.ids: list[str] = []
        self.times: list[float] = []
        self.errors: Counter[str] = Counter()
        self.stopped = threading.Event()

    def run(self) -> None:
        place = 0
        while not self.stopped.is_set():
            try:
                stored = self.engine.remember(
                    f"Crate {place} of {self.label} holds {place * 7} blue lamps.", diff=False
                )
            except CombrayError as error:
                self.errors[
                    f"{type(error).__name__}: {str(error).partition(': ')[2].partition('(')[0].strip()}"
                ] += 1
                time.sleep(0.05)
                continue
            finally:
                place += 1
            self.ids.append(stored.id)
            self.times.append(time.monotonic())

    def lost(self, engine: Engine) -> int:
        """Count confirmed memories that a store does not have."""
        return len(set(self.ids)) - len(engine.runtime.store.reader("default").keys_of(list(set(self.ids))))


@contextmanager
def _writers(engines: list[Engine]) -> Iterator[list[Writer]]:
    writers = [Writer(engine, f"room {place}") for place, engine in enumerate(engines)]
    for writer in writers:
        writer.start()
    try:
        yield writers
    finally:
        for writer in writers:
            writer.stopped.set()
        for writer in writers:
            writer.join()


def killed(count: int, seconds: float) -> list[str]:
    """Kill one of `count` servers in mid-load, start it again after a while, and count."""
    servers = [Server(durable=True) for _ in range(count)]
    engines = [combray.open(server.url(), worker=False) for server in servers]
    try:
        with _writers(engines) as writers:
            time.sleep(seconds / 4)
            servers[0].kill()
            at = time.monotonic()
            time.sleep(AWAY)
            servers[0].start()
            back = time.monotonic()
            time.sleep(seconds / 2)
        lines = ["| server | confirmed | while one was away | errors | lost |", "|---|---|---|---|---|"]
        for place, writer in enumerate(writers):
            away = sum(at < each < back for each in writer.times)
            name = "killed" if not place else f"other {place}"
            lost = writer.lost(engines[place])
            lines.append(f"| {name} | {len(writer.ids)} | {away} | {sum(writer.errors.values())} | {lost} |")
        first = min(each for each in writers[0].times if each > back) - back
        lines += ["", f"First write {first:.2f} s after the start. Errors: {dict(writers[0].errors)}"]
        return lines
    finally:
        for engine in engines:
            engine.close()
        for server in servers:
            server.stop()


def moved() -> list[str]:
    """Move a namespace while it is written: without a stop, and with its writes closed."""
    old, new = Server(durable=True), Server(durable=True)
    engine = combray.open(old.url(), worker=False)
    lines = []
    try:
        with (
            closing(PostgresStore(old.url())) as source,
            closing(PostgresStore(new.url())) as target,
            _writers([engine]) as (writer,),
        ):
            time.sleep(5)
            for label in ("written to", "closed"):
                if label == "closed":
                    with psycopg.connect(old.url(), autocommit=True) as connection:
                        connection.execute(CLOSE.encode())
                started, before = time.monotonic(), len(writer.ids)
                try:
                    found = move(source, target, "default")
                    result = f"{found.memories} memories, {found.copied} copied by this call"
                except CombrayError as error:
                    result = str(error)
                spent, during = time.monotonic() - started, len(writer.ids) - before
                lines.append(f"- {label}: {spent:.2f} s, {during} writes meanwhile: {result}")
        with combray.open(new.url(), worker=False) as other:
            lines.append(f"- confirmed {len(writer.ids)}, lost {writer.lost(other)}, {dict(writer.errors)}")
        return lines
    finally:
        engine.close()
        old.stop()
        new.stop()
