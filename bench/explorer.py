"""How long the explorer takes on a store, in Chromium: `python -m bench.explorer STORE [--queries N]`.

Prints processor time, which other programs hardly change, and medians and the slowest of the clock: from the last
key of a question to the hits of that question on the page (with the pause after a key, and without it), from the
address to the first paint, and from the address of the graph to a picture that answers. Needs the tools of
development and Chromium.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

import combray
from bench.server.__main__ import PORT, processor
from bench.server.starting import answered

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "explorer"))

PAUSE = 40
"""Milliseconds that the page waits for another key: explorer/src/search/page.ts."""
WORDS = 5
SHOWN = """async ({ text, last }) => {
    const field = document.querySelector('[data-find]');
    const started = performance.now();
    const asked = new Promise(resolve => {
        const seen = new PerformanceObserver(list => {
            const mine = each => each.name.includes('/v1/') && each.startTime > started;
            const found = list.getEntries().filter(mine);
            if (found.length) { seen.disconnect(); resolve(found.at(-1)); }
        });
        seen.observe({ type: 'resource' });
    });
    field.value = text;
    field.dispatchEvent(new InputEvent('input', { bubbles: true, data: last }));
    const request = await asked;
    await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return [performance.now() - started, request.responseEnd - request.startTime];
}"""
"""Types the last key of a question; milliseconds until its hits are painted, and those of its request."""
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def questions(store: Path, count: int) -> list[str]:
    """Return the first words of memories as questions."""
    with combray.open(store, worker=False) as engine:
        found = engine.list(limit=count).memories
    return [" ".join(each.content.split()[:WORDS]) for each in found]


def said(name: str, times: Sequence[float]) -> None:
    """Print a median and the slowest, in milliseconds."""
    ordered = sorted(times)
    late = ordered[int(len(ordered) * 0.9)]
    sys.stdout.write(
        f"{name}: median {statistics.median(ordered):.0f} ms, p90 {late:.0f} ms, slowest {ordered[-1]:.0f} ms\n"
    )


def searches(page: Page, address: str, asked: Sequence[str], server: int) -> None:
    """Type the last key of every question. `server`: the process that answers."""
    page.goto(f"{address}/#/search")
    page.locator("[data-find]").wait_for()
    page.wait_for_timeout(1500)
    whole, requests = [], []
    thread = page.context.new_cdp_session(page)
    thread.send("Performance.enable", {"timeDomain": "threadTicks"})
    before, spent = busy(thread), processor(server)
    for text in asked:
        shown, request = page.evaluate(SHOWN, {"text": text, "last": text[-1]})
        whole.append(shown)
        requests.append(request)
        page.wait_for_timeout(50)
    of_page, of_server = busy(thread) - before, processor(server) - spent
    sys.stdout.write(
        f"processor time of one question: page {of_page / len(asked) * 1000:.0f} ms, "
        f"server {of_server / len(asked) * 1000:.0f} ms\n"
    )
    said(f"last key to hits, {len(asked)} questions", whole)
    said(f"without the pause of {PAUSE} ms", [each - PAUSE for each in whole])
    said("the request alone", requests)


def opened(browser: Browser, address: str, wanted: str, server: int, name: str) -> None:
    """Open a page in a new window, and wait for what is wanted."""
    times, of_page, of_server = [], [], []
    for _ in range(5):
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        thread = page.context.new_cdp_session(page)
        thread.send("Performance.enable", {"timeDomain": "threadTicks"})
        spent, started = processor(server), time.perf_counter()
        page.goto(address)
        page.locator(wanted).wait_for()
        took = (time.perf_counter() - started) * 1000
        while (paint := page.evaluate(PAINT)) is None:
            page.wait_for_timeout(20)
        times.append(paint if "paint" in name else took)
        of_page.append(busy(thread) * 1000)
        of_server.append((processor(server) - spent) * 1000)
        page.close()
    said(name, times)
    said("  processor time of the page's thread", of_page)
    said("  processor time of the server", of_server)


def busy(thread: CDPSession) -> float:
    """Return the processor seconds of the page's own thread."""
    metrics = thread.send("Performance.getMetrics")["metrics"]
    found: float = next(each["value"] for each in metrics if each["name"] == "TaskDuration")
    return found


@contextmanager
def serving(store: Path) -> Iterator[int]:
    """Serve a store on the port of the benches. Yield the number of the process."""
    program = [sys.executable, "-m", "combray", "serve", "--db", str(store), "--port", str(PORT)]
    with subprocess.Popen(program, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as server:
        try:
            while not answered("/ready"):
                time.sleep(0.05)
            yield server.pid
        finally:
            server.terminate()


def main() -> None:
    """Serve the store and measure."""
    from browser import chromium
    from window import OPTIONS

    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Path)
    parser.add_argument("--queries", type=int, default=40)
    given = parser.parse_args()
    asked = questions(given.store, given.queries)
    with ExitStack() as stack:
        server = stack.enter_context(serving(given.store))
        address = f"http://127.0.0.1:{PORT}"
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium(), args=OPTIONS)
        stack.callback(browser.close)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        searches(page, address, asked, server)
        opened(browser, f"{address}/#/search", "[data-find]", server, "first paint")
        opened(browser, f"{address}/#/graph", ".graph-canvas[data-ready]", server, "graph, until it answers")


if __name__ == "__main__":
    main()
