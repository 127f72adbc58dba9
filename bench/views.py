"""How long the graph and the timeline of a large store take: CPU seconds of the verbs, and a browser's time.

    python -m bench.views --memories 100000
    python -m bench.views --memories 100000 --browser

The memories are made of templates with people, projects and tools, so they are linked as notes of a team are.
With `--browser` a server runs in a process of its own, and the time is that from opening the page to the first
picture, in Chromium without a GPU.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import combray
from combray import Engine

PEOPLE = [
    "Ana",
    "Ben",
    "Carla",
    "Dmitri",
    "Elif",
    "Farid",
    "Grace",
    "Hiro",
    "Ines",
    "Jonas",
    "Kofi",
    "Lena",
    "Mateo",
    "Nadia",
    "Omar",
    "Priya",
]
PROJECTS = ["Atlas", "Borealis", "Cinder", "Delta", "Ember", "Falcon", "Granite", "Harbor", "Iris", "Juniper"]
TOOLS = [
    "PostgreSQL",
    "SQLite",
    "Redis",
    "Kafka",
    "Terraform",
    "Kubernetes",
    "React",
    "Django",
    "Rust",
    "Grafana",
]
TEMPLATES = (
    "{p} moved {a} to {t} because the old one was too slow, ticket {n}.",
    "{p} met {q} to talk about {a} and {t}; note {n}.",
    "We decided to use {t} in {a} after the outage (decision {n}).",
    "The budget of {a} is {n} euros according to {p}.",
)
START = datetime(2024, 1, 5, 9, tzinfo=UTC)
DAYS = 1000
BATCH = 2000
SIZES = (1_000, 10_000)
PATIENCE = 120


def fill(engine: Engine, count: int) -> None:
    """Store so many memories, spread over the days."""
    draw = random.Random(7)
    for first in range(0, count, BATCH):
        items: list[Any] = []
        for number in range(first, min(first + BATCH, count)):
            at = START + timedelta(days=DAYS * number / count)
            p, q = draw.sample(PEOPLE, 2)
            text = draw.choice(TEMPLATES).format(
                p=p, q=q, a=draw.choice(PROJECTS), t=draw.choice(TOOLS), n=number
            )
            learnt = at + timedelta(hours=draw.choice((0, 0, 1, 30, 400)))
            items.append(
                {"content": text, "author": p, "session": f"s{number // 25}", "occurred_at": at.isoformat()}
            )
            items[-1]["recorded_at"] = learnt.isoformat()
        engine.remember_many(items, diff=False, batch=BATCH)


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of a call."""
    started = time.process_time()
    work()
    return round(time.process_time() - started, 3)


def of_verbs(engine: Engine) -> dict[str, Any]:
    """The first and the second call of each: the second finds columns and positions in memory."""
    views = engine.views
    return {
        "timeline": [cpu(views.timeline) for _ in range(2)],
        **{
            f"graph of {size}": [cpu(lambda size=size: views.graph(limit=size, strongest=1)) for _ in range(2)]  # type: ignore[misc]
            for size in SIZES
        },
    }


@contextmanager
def served(path: Path) -> Iterator[str]:
    """Serve the store; yield the address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "combray", "serve", "--db", str(path), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(PATIENCE * 10):
            with suppress(OSError), urllib.request.urlopen(f"{address}/ready"):
                break
            time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait()


def in_browser(path: Path, largest: int) -> dict[str, list[int]]:
    """Milliseconds from opening the page to the first picture, and from the choice of a size to that picture."""
    from playwright.sync_api import sync_playwright

    with served(path) as address, sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--use-angle=swiftshader"]
        )
        opened, chosen = [], []
        for _ in range(3):
            page = launched.new_page()
            page.goto(f"{address}/#/graph")
            page.wait_for_selector(".graph-canvas[data-ready]")
            opened.append(round(page.evaluate("performance.getEntriesByName('combray-graph')[0].startTime")))
            started = time.perf_counter()
            page.locator(".graph-choice button").last.click()
            page.wait_for_selector(f".graph-canvas[data-ready='{largest}']")
            chosen.append(round((time.perf_counter() - started) * 1000))
            page.close()
        launched.close()
    return {"opened": opened, f"chosen {largest}": chosen}


def main() -> int:
    """Print the figures as JSON."""
    options = argparse.ArgumentParser(prog="python -m bench.views", description=__doc__.partition("\n")[0])
    options.add_argument("--memories", type=int, default=100_000)
    options.add_argument("--browser", action="store_true", help="also measure the page in Chromium")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "views.db"
        with combray.open(path, worker=False) as engine:
            fill(engine, given.memories)
        with combray.open(path, worker=False) as engine:
            figures: dict[str, Any] = {"memories": given.memories, "cpu seconds": of_verbs(engine)}
        if given.browser:
            figures["milliseconds in Chromium"] = in_browser(path, min(SIZES[-1], given.memories))
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
