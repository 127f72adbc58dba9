"""Hostile memories: shown as text on every page, and nothing leaves the machine."""

from __future__ import annotations

import notebook
from playwright.sync_api import Browser, expect
from walking import Visit, visiting

HARMLESS = """() => [
    window.hacked,
    document.querySelectorAll('main script, main iframe, main object, main embed').length,
    [...document.querySelectorAll('main img')].filter(each => !each.src.startsWith(location.origin)).length,
    [...document.querySelectorAll('main a')].filter(each => !each.href.startsWith(location.origin)).length,
]"""


def harmless(visit: Visit) -> None:
    assert visit.page.evaluate(HARMLESS) == [None, 0, 0, 0]
    wide = visit.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0


def test_a_memory_is_shown_word_for_word_and_harmlessly(browser: Browser, hostile: tuple[str, list[str]]) -> None:
    address, ids = hostile
    with visiting(browser, address, 390) as visit:
        for text, memory_id in zip(notebook.HOSTILE, ids, strict=True):
            page = visit.open("memory", memory_id)
            shown = page.locator("main .text").first
            expect(shown).to_be_visible()
            if len(text) > 4000:
                page.get_by_role("button", name="Show all").click()
            assert text.strip() in (page.locator("main").text_content() or "")
            assert shown.get_attribute("dir") == "auto"
            harmless(visit)


def test_lists_of_hostile_memories_are_harmless(browser: Browser, hostile: tuple[str, list[str]]) -> None:
    address, _ = hostile
    with visiting(browser, address, 390) as visit:
        for query in ("script", "link", "pixel", "override", "xxxx"):
            visit.open("search", query=f"q={query}")
            harmless(visit)
        for name in ("graph", "time", "people", "pairs", "quarantine", "usage"):
            visit.open(name)
            harmless(visit)


def test_what_is_typed_into_the_address_is_harmless(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        visit.page.goto(f"{address}/#/search?q=%3Cimg%20src%3Dx%20onerror%3D%22window.hacked%3D1%22%3E")
        visit.shown()
        harmless(visit)
        visit.page.goto(f"{address}/#/%3Cscript%3Ewindow.hacked%3D1%3C/script%3E")
        visit.page.wait_for_selector("main .empty")
        harmless(visit)


def test_the_policy_forbids_what_the_page_does_not_need(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        visit.open("search")
        answer = visit.page.request.get(address)
        policy = answer.headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy.replace("'wasm-unsafe-eval'", "")
        for way in ("fetch('https://tracker.example/')", "document.body.innerHTML = '<b>x</b>'"):
            blocked = visit.page.evaluate(f"(async () => {way})().then(() => false, () => true)")
            assert blocked, way
        # The browser reports both, as it should.
        visit.errors.clear()
        visit.asked[:] = [each for each in visit.asked if "tracker.example" not in each]
