"""Takes the pictures of docs/howto/explorer: `python tests/explorer/pictures.py [FOLDER]`."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import notebook
from browser import chromium
from playwright.sync_api import FilePayload, Page, expect, sync_playwright
from walking import Visit, visiting
from window import OPTIONS, serving

FOLDER = Path(__file__).parents[2] / "docs" / "howto" / "explorer"
WIDE = 1200
NOTES = b"# Office\n\nThe office in Porto has a roof terrace.\n\n## Keys\n\nThe keys are with Bela.\n"


def plan(page: Page) -> None:
    page.get_by_role("button", name="Show plan").click()
    expect(page.get_by_role("button", name="Apply")).to_be_visible()


def merge(page: Page) -> None:
    page.get_by_role("button", name="Add a name to Ana Silva").click()
    page.get_by_label("Another name, or a name from the list").fill("Ana")


def preview(page: Page) -> None:
    file = FilePayload(name="2026-10-05-office.md", mimeType="text/markdown", buffer=NOTES)
    page.locator("#files-input").set_input_files(file)
    page.get_by_text("Show all 2 texts").click()


def stages(page: Page) -> None:
    page.get_by_role("button", name="Why these hits").click()


def drawn(page: Page) -> None:
    page.locator(".graph-canvas[data-ready]").wait_for()


def nothing(_page: Page) -> None:
    pass


PICTURES: dict[str, tuple[str, str, str, int, str, Callable[[Page], None]]] = {
    "search": ("search", "", "q=who+owns+the+billing+service", WIDE, "light", nothing),
    "why": ("search", "", "q=who+owns+the+billing+service", WIDE, "light", stages),
    "phone": ("search", "", "q=where+does+Ana+live", 390, "dark", nothing),
    "memory": ("memory", "PostgreSQL 17", "", WIDE, "light", nothing),
    "graph": ("graph", "", "", WIDE, "dark", drawn),
    "time": ("time", "", "", WIDE, "light", nothing),
    "people": ("people", "", "", WIDE, "light", merge),
    "pairs": ("pairs", "", "", WIDE, "dark", nothing),
    "quarantine": ("quarantine", "", "", WIDE, "light", nothing),
    "runs": ("runs", "", "", WIDE, "light", plan),
    "audit": ("audit", "", "", WIDE, "light", nothing),
    "usage": ("usage", "", "", WIDE, "light", nothing),
    "files": ("files", "", "", WIDE, "light", preview),
}
"""Name of a picture -> page, words of a memory, query, width, colours, and what is done before."""


def take(visit: Visit, name: str, folder: Path) -> None:
    """Take one picture."""
    page_name, words, query, _, _, before = PICTURES[name]
    rest = ""
    if words:
        rest = visit.asks("POST", "/memories/search", {"query": words})["hits"][0]["memory"]["id"]
    page = visit.open(page_name, rest, query)
    before(page)
    page.evaluate("() => document.activeElement.blur()")
    page.wait_for_timeout(1500)
    page.screenshot(path=folder / f"{name}.png", animations="disabled")


def main() -> None:
    """Take every picture."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        store = Path(place) / "team.db"
        notebook.write(store)
        browser = playwright.chromium.launch(executable_path=chromium(), args=OPTIONS)
        with serving(store) as address:
            for name, (*_, width, scheme, _before) in PICTURES.items():
                with visiting(browser, address, width, scheme) as visit:
                    take(visit, name, folder)
        browser.close()


if __name__ == "__main__":
    main()
