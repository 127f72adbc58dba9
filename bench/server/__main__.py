"""50 clients of `combray serve`, beside the same calls in a process: `python -m bench.server [--seconds 60]`.

A store of 10,000 memories; nine recalls for each write, and one for each. Server, clients and the calls without a
server run in processes of their own. What was acknowledged is counted in the store afterwards. Results:
bench/results/server.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx2
import numpy as np

import combray
from bench.server.calls import Call, calls, shares
from bench.speed.engine import items
from bench.speed.texts import Text, clauses, questions, sources, texts

SIZE, CALLS, ASKED, CLIENTS = 10_000, 12_000, 2_000, 50
MIXES = {"9:1": 9, "1:1": 1}
PORT = 8799
READY_WITHIN = 60.0


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run gave. Times in milliseconds, sizes in MB; `cpu`: milliseconds of the process for each call."""

    clients: int
    calls_a_second: float
    recalls: tuple[float, float, float]
    writes: tuple[float, float, float]
    cpu: float
    errors: int
    before: float
    after: float

    def line(self, mix: str, name: str) -> str:
        """Return a row of the table."""
        spent = [f"{value:.0f}" for value in (*self.recalls, *self.writes)]
        cells = [mix, name, str(self.clients), f"{self.calls_a_second:.0f}", *spent, f"{self.cpu:.1f}"]
        return f"| {' | '.join([*cells, str(self.errors), f'{self.before:.0f}', f'{self.after:.0f}'])} |"


HEAD = (
    "| mix | calls | clients | calls/s | recall p50 | p95 | p99 | write p50 | p95 | p99 | CPU a call "
    "| errors | MB before | MB after |"
)


def percentiles(seconds: Sequence[float]) -> tuple[float, float, float]:
    """Median, 95th and 99th percentile in milliseconds."""
    found = np.percentile(np.asarray(seconds or [0.0]) * 1000, (50, 95, 99))
    return float(found[0]), float(found[1]), float(found[2])


def memory(pid: int) -> float:
    """Resident MB of a process, without the pages of mapped files."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    raise ValueError(f"process {pid} has no RssAnon")


def processor(pid: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def served(store: Path, listed: Path, given: argparse.Namespace) -> Figures:
    """Clients of a server."""
    program = [sys.executable, "-m", "combray", "serve", "--db", str(store), "--port", str(PORT)]
    program += ["--threads", str(given.threads)]
    with subprocess.Popen(program) as server:
        try:
            wait_until_ready()
            asked(PORT, listed)
            before, spent, started = memory(server.pid), processor(server.pid), time.perf_counter()
            sender = [sys.executable, "-m", "bench.server.clients", str(PORT), str(listed)]
            sender += ["--seconds", str(given.seconds), "--clients", str(CLIENTS)]
            found = json.loads(subprocess.run(sender, check=True, capture_output=True).stdout)
            took, spent = time.perf_counter() - started, processor(server.pid) - spent
            after = memory(server.pid)
        finally:
            server.terminate()
    for each in filter(None, found["errors"]):
        say(each)
    lost = (SIZE + len(found["writes"])) - stored(store)
    if lost:
        say(f"{lost} acknowledged writes are not in the store")
    done = len(found["recalls"]) + len(found["writes"])
    errors = len(found["errors"]) + abs(lost)
    times = percentiles(found["recalls"]), percentiles(found["writes"])
    return Figures(CLIENTS, done / took, *times, spent / done * 1000, errors, before, after)


def wait_until_ready() -> None:
    """Return when the server answers."""
    until = time.monotonic() + READY_WITHIN
    while time.monotonic() < until:
        with suppress(httpx2.HTTPError):
            if httpx2.get(f"http://127.0.0.1:{PORT}/ready").status_code == 200:
                return
        time.sleep(0.05)
    raise SystemExit("the server does not start")


def asked(port: int, listed: Path) -> None:
    """Ask a few questions, so that the indexes are loaded before memory is measured."""
    for each in json.loads(listed.read_text(encoding="utf-8"))[:10]:
        if each["path"] == "/v1/recall":
            httpx2.post(f"http://127.0.0.1:{port}/v1/recall", json=each["body"], timeout=READY_WITHIN)


def stored(store: Path) -> int:
    """Return how many memories a store has, of any status."""
    with combray.open(store, worker=False) as engine:
        counts: dict[str, int] = engine.reader.status()["by_status"]
    return sum(counts.values())


def in_process(store: Path, listed: list[Call], clients: int, seconds: float) -> Figures:
    """The same calls by threads of this process."""
    recalls: list[float] = []
    writes: list[float] = []
    with combray.open(store, worker=False) as engine:
        for call in listed[:10]:
            if not call.writes:
                call.in_process(engine)

        def work(part: Sequence[Call]) -> None:
            for call in part:
                started = time.monotonic()
                if started >= until:
                    return
                call.in_process(engine)
                (writes if call.writes else recalls).append(time.monotonic() - started)

        before, spent, started = memory(os.getpid()), time.process_time(), time.monotonic()
        until = started + seconds
        threads = [threading.Thread(target=work, args=(part,)) for part in shares(listed, clients)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        took, spent = time.monotonic() - started, time.process_time() - spent
        done = len(recalls) + len(writes)
        times = percentiles(recalls), percentiles(writes)
        return Figures(clients, done / took, *times, spent / done * 1000, 0, before, memory(os.getpid()))


def filled(store: Path, every: Sequence[Text]) -> None:
    """Make the store that each run gets a copy of."""
    with combray.open(store, worker=False) as engine:
        engine.remember_many(items(every, 0), batch=256, diff=False)


def copied(store: Path) -> Path:
    """Return a fresh copy of a store."""
    folder = Path(tempfile.mkdtemp(dir=store.parent))
    for each in store.parent.glob(f"{store.name}*"):
        if each.is_file():
            shutil.copy(each, folder)
    return folder / store.name


def say(text: str) -> None:
    """Report progress on standard error."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {text}\n")


def run_alone(given: argparse.Namespace) -> None:
    """Measure calls without a server, in the process that was started for it, and print them."""
    listed = [Call(**each) for each in json.loads(given.alone.read_text(encoding="utf-8"))]
    json.dump(asdict(in_process(given.store, listed, given.clients, given.seconds)), sys.stdout)


def without_server(store: Path, listed: Path, clients: int, seconds: float) -> Figures:
    """Start a process that measures calls without a server."""
    program = [sys.executable, "-m", "bench.server", "--alone", str(listed), "--store", str(store)]
    program += ["--clients", str(clients), "--seconds", str(seconds)]
    found: dict[str, Any] = json.loads(subprocess.run(program, check=True, stdout=subprocess.PIPE).stdout)
    return Figures(**found)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.server")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--alone", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--store", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--clients", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        run_alone(given)
        return
    every = list(texts(clauses(sources(None)), SIZE + CALLS))
    asked_for = questions(every[:SIZE], ASKED)
    lines = [HEAD, "|---" * HEAD.count(" | ") + "|---|"]
    with tempfile.TemporaryDirectory() as folder:
        store, listed = Path(folder) / "notes.db", Path(folder) / "calls.json"
        filled(store, every[:SIZE])
        for mix, recalls in MIXES.items():
            new = every[SIZE : SIZE + CALLS // (recalls + 1)]
            listed.write_text(json.dumps([asdict(each) for each in calls(asked_for, new, recalls)]), "utf-8")
            say(f"{mix}, {CLIENTS} clients of a server")
            lines.append(served(copied(store), listed, given).line(mix, "HTTP"))
            for clients in (1, given.threads):
                say(f"{mix}, {clients} threads of one process")
                found = without_server(copied(store), listed, clients, given.seconds)
                lines.append(found.line(mix, "in-process"))
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
