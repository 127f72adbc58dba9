"""The walk by keyboard alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect
from walking import visiting

pytestmark = pytest.mark.nightly("drives a browser for a minute; the walk runs every time")
LEAD = {
    "g": "graph", "t": "time", "p": "people", "o": "pairs", "q": "quarantine", "c": "runs", "a": "audit",
    "u": "usage", "f": "files", "s": "search",
}  # fmt: skip
FOCUS = """() => {
    const now = document.activeElement;
    const style = getComputedStyle(now);
    const ring = each => {
        const { outlineWidth, outlineStyle } = getComputedStyle(each);
        return parseFloat(outlineWidth) > 0 && outlineStyle !== 'none';
    };
    // The ring may be around the row of a link, or the label of a hidden field.
    const near = [now, now.closest('.hit'), now.nextElementSibling].filter(Boolean);
    // Of a date the browser shows the part that has the focus.
    const seen = now.matches('body, [type=date]') || style.boxShadow !== 'none' || near.some(ring);
    return seen ? '' : now.outerHTML.slice(0, 160);
}"""
"""What has the focus, if that cannot be seen."""
MOST_TABS = 400


def tab_to(page: Page, wanted: str) -> None:
    """Press Tab until what matches has the focus; each thing on the way shows that it has it."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUS) == ""
        if page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
            return
    raise AssertionError(f"{wanted} is not reached")


def test_every_page_is_reached_and_every_control_shows_its_focus(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        page = visit.open("search")
        for key, name in LEAD.items():
            page.locator("body").evaluate("() => document.activeElement.blur()")
            page.keyboard.press("g")
            page.keyboard.press(key)
            page.wait_for_url(f"**/#/{name}*")
            visit.shown()
            for _ in range(25):
                page.keyboard.press("Tab")
                assert page.evaluate(FOCUS) == "", name


def test_a_question_is_asked_and_a_hit_is_opened(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        page = visit.open("usage")
        page.keyboard.press("/")
        page.wait_for_url("**/#/search*")
        visit.shown()
        expect(page.get_by_text("Newest")).to_be_visible()
        page.keyboard.press("/")
        expect(page.get_by_role("searchbox")).to_be_focused()
        page.keyboard.type("where does Ana Silva live")
        expect(page.get_by_text("hits in")).to_be_visible()
        expect(page.locator("main mark").first).to_be_visible()
        visit.shown()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url("**/#/memory/*")
        visit.shown()


def test_the_link_to_the_content_skips_the_navigation(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        page = visit.open("people")
        page.locator("body").evaluate("() => document.activeElement.blur()")
        page.keyboard.press("Tab")
        expect(page.get_by_text("Skip to content")).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        expect(page.get_by_label("Find a name")).to_be_focused()


def test_the_keys_are_listed(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        page = visit.open("search")
        page.locator("body").evaluate("() => document.activeElement.blur()")
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_contain_text("Keyboard")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_erasing_is_cancelled_by_escape(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        page = visit.open("quarantine")
        tab_to(page, "li button.danger")
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert len(visit.asks("GET", "/quarantine")["results"]) == 3
