"""A walk through every page: widths, colours, keys, accessibility; nothing leaves the machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from walking import PAGES, SCHEMES, WIDTHS, Visit, shot, visiting

SHOTS = os.environ.get("COMBRAY_SHOTS", "")
"""A folder for pictures of every page, to be looked at."""
WIDER = """() => [...document.querySelectorAll('body *')].filter(each => {
    const box = each.getBoundingClientRect();
    return box.width > 0 && box.right > document.documentElement.clientWidth + 1
        && !each.closest('.table, [data-scrolls], .hidden, svg, canvas')
        && getComputedStyle(each).position !== 'fixed';
}).slice(0, 5).map(each => each.outerHTML.slice(0, 120))"""
"""Elements that reach beyond the right edge, without those that scroll on their own."""


ALWAYS = [(1440, "light"), (390, "dark")]
_NIGHTLY = pytest.mark.nightly("the widest and the narrowest are walked in every run")
LOOKS = [
    pytest.param(width, scheme, marks=() if (width, scheme) in ALWAYS else _NIGHTLY)
    for width in WIDTHS
    for scheme in SCHEMES
]


def some_memory(visit: Visit, words: str = "PostgreSQL 17") -> str:
    found: str = visit.asks("POST", "/memories/search", {"query": words})["hits"][0]["memory"]["id"]
    return found


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_page_fits_and_axe_finds_nothing_serious(
    browser: Browser, address: str, axe: str, width: int, scheme: str
) -> None:
    with visiting(browser, address, width, scheme) as visit:
        found: dict[str, list[str]] = {}
        for name, rest, query in _every_place(visit):
            page = visit.open(name, rest, query)
            if SHOTS:
                page.wait_for_timeout(700)
                shot(page, f"{name}-{width}-{scheme}", Path(SHOTS))
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, (name, page.evaluate(WIDER))
            found[name] = serious(page, axe)
        assert {name: each for name, each in found.items() if each} == {}


def _every_place(visit: Visit) -> list[tuple[str, str, str]]:
    return [
        *((name, "", "q=where+does+Ana+live" if name == "search" else "") for name in PAGES),
        ("memory", some_memory(visit), ""),
    ]


def serious(page: Page, axe: str) -> list[str]:
    """Return the serious and critical findings of axe-core."""
    page.evaluate(axe)
    options = {"resultTypes": ["violations"]}
    result: dict[str, Any] = page.evaluate("options => axe.run(document, options)", options)
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in result["violations"]
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"][:3]
    ]
