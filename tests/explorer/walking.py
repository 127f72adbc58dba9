"""A visit of the explorer: pages that are opened, and what the browser reported meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib import request as web

from playwright.sync_api import Browser, Page, Request, expect

PAGES = ("search", "graph", "time", "people", "pairs", "quarantine", "runs", "audit", "usage", "files")
WIDTHS = {390: 844, 820: 1180, 1440: 900}
"""Width of a phone, a tablet and a desk, with the height."""
SCHEMES = ("light", "dark")
SECONDS = 120
"""A limit for a page that hangs."""


@dataclass
class Visit:
    """One browser window on one server. It notes every address that is asked, and every error."""

    page: Page
    address: str
    asked: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    open_requests: set[Request] = field(default_factory=set)

    def open(self, name: str, rest: str = "", query: str = "") -> Page:
        """Open a page of the explorer, and wait until it is there."""
        self.page.goto(f"{self.address}/#/{name}{rest and '/'}{rest}{query and '?'}{query}")
        if name == "search":
            # It waits a moment for the next key before it asks.
            self.page.locator("main h1").first.wait_for()
            self.goes_on()
        return self.shown()

    def goes_on(self) -> None:
        """Wait until what the page had put off is done: by its own frames and clock, however slow it is."""
        self.page.evaluate(
            "new Promise(go => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(go, 200))))"
        )

    def shown(self) -> Page:
        """Wait until the page has a heading and loads nothing."""
        # The page forbids `eval`, with which Playwright would wait for a condition of our own.
        self.page.locator("main h1").first.wait_for()
        expect(self.page.locator("main .wait")).to_have_count(0)
        while self.open_requests:
            self.page.wait_for_timeout(20)
        return self.page

    def note(self, request: Request) -> None:
        """Note a request. One for events stays open."""
        self.asked.append(request.url)
        if not request.url.endswith("/v1/events"):
            self.open_requests.add(request)

    def asks(self, method: str, path: str, body: object = None) -> Any:
        """Ask the API beside the page."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        with web.urlopen(web.Request(f"{self.address}/v1{path}", data, headers, method=method)) as answer:
            return json.loads(answer.read())

    def check(self) -> None:
        """Assert that nothing left the server and nothing failed."""
        outside = [each for each in self.asked if not each.startswith((f"{self.address}/", "data:", "blob:"))]
        assert outside == []
        assert self.errors == []


@contextmanager
def visiting(
    browser: Browser, address: str, width: int = 1440, scheme: Any = "light", **more: Any
) -> Iterator[Visit]:
    """Open a window of this width and colour scheme. At its end nothing may have left the server or failed."""
    size: Any = {"width": width, "height": WIDTHS.get(width, 750)}
    options = {"viewport": size, "color_scheme": scheme, "locale": "en-GB", "timezone_id": "Europe/Paris", **more}
    context = browser.new_context(**options)
    page = context.new_page()
    page.set_default_timeout(SECONDS * 1000)
    expect.set_options(timeout=SECONDS * 1000)
    visit = Visit(page, address)
    page.on("request", visit.note)
    page.on("requestfinished", lambda request: visit.open_requests.discard(request))
    page.on("requestfailed", lambda request: visit.open_requests.discard(request))
    page.on("pageerror", lambda error: visit.errors.append(str(error)))
    page.on("console", lambda said: visit.errors.append(said.text) if said.type == "error" else None)
    try:
        yield visit
        visit.check()
    finally:
        context.close()


def shot(page: Page, name: str, folder: Path) -> None:
    """Take a picture of the visible part of the page."""
    page.screenshot(path=folder / f"{name}.png", animations="disabled")
