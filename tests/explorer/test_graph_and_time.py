"""The pages Graph and Time: what they show is what /v1 says, by mouse, by keys and without WebGL."""

from __future__ import annotations

from itertools import pairwise
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect
from walking import Visit, visiting

pytestmark = pytest.mark.nightly("drives a browser for a minute; the walk runs every time")
NO_WEBGL = """
const before = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    return kind.includes('webgl') ? null : before.call(this, kind, ...rest);
};
"""
SHOWN = ("entity", "causal", "semantic", "supersedes", "restates", "contrasts")
"""Types of edges that the page shows at first."""
MOVED = "Ana Silva moved from Lisbon to Porto."
LISBON = "Ana Silva lives in Lisbon."


def network(visit: Visit, **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = visit.asks("GET", f"/graph?{urlencode(query, doseq=True)}")
    return found


def drawn(page: Page) -> int:
    """Wait for the picture; how many memories are in it."""
    canvas = page.locator(".graph-canvas[data-ready]")
    canvas.wait_for()
    return int(canvas.get_attribute("data-ready") or 0)


def choose(page: Page, text: str) -> None:
    """Choose a memory in the list."""
    page.get_by_label("Find in this graph").fill(text)
    page.locator(".graph-list ol button", has_text=text).first.click()
    expect(page.locator(".graph-text")).to_contain_text(text)


# -- graph -------------------------------------------------------------------------------------------


def test_picture_and_list_show_what_the_server_has(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        page = visit.open("graph")
        found = network(visit, limit=1000, strongest=4)
        assert drawn(page) == len(found["ids"])
        names = [found["type_names"][code] for code in found["types"]]
        said = f"{len(found['ids'])} memories, {sum(name in SHOWN for name in names):,} links"
        expect(page.locator(".graph-count")).to_contain_text(said)
        page.get_by_role("button", name="near in time").click()
        more = sum(name in (*SHOWN, "temporal") for name in names)
        expect(page.locator(".graph-count")).to_contain_text(f"{more:,} links")
        page.get_by_label("Least weight").fill("1")
        full = sum(
            name in (*SHOWN, "temporal") and weight >= 1
            for name, weight in zip(names, found["weights"], strict=True)
        )
        expect(page.locator(".graph-count")).to_contain_text(f"{full:,} links")


def test_arrow_keys_walk_along_links(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        page = visit.open("graph")
        drawn(page)
        found = network(visit, limit=1000, strongest=4)
        labels = found["labels"]
        linked = {
            frozenset((labels[a], labels[b])) for a, b in zip(found["sources"], found["targets"], strict=True)
        }
        page.locator(".graph-canvas").focus()
        page.keyboard.press("ArrowDown")
        walk = [page.locator(".graph-text").inner_text()]
        for key in ("ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft") * 2:
            page.keyboard.press(key)
            # The text follows with the next frame.
            page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            walk.append(page.locator(".graph-text").inner_text())
        steps = [frozenset(pair) for pair in pairwise(walk) if pair[0] != pair[1]]
        assert steps, "some link leads somewhere"
        assert set(steps) <= linked
        page.keyboard.press("Enter")
        page.wait_for_url("**/#/memory/*")


def test_a_graph_begins_with_a_memory_and_grows_by_steps(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        page = visit.open("graph")
        drawn(page)
        choose(page, LISBON)
        page.get_by_role("button", name="Graph from here").click()
        page.wait_for_url("**/#/graph/*")
        start = page.url.rpartition("/")[2]
        expect(page.locator(".graph-around")).to_contain_text(LISBON)
        for depth in (1, 2, 3):
            page.get_by_role("group", name="Steps outwards").get_by_role("button", name=str(depth)).click()
            wanted = network(visit, memory_id=start, depth=depth, limit=1000, strongest=6, types=SHOWN)
            expect(page.locator(".graph-count")).to_contain_text(f"{len(wanted['ids'])} memories")
        page.get_by_role("button", name="Show the whole store").click()
        expect(page.get_by_role("group", name="Memories")).to_be_visible()


def test_the_chosen_memory_names_its_links_in_words(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        page = visit.open("graph")
        drawn(page)
        choose(page, LISBON)
        link = page.locator(".graph-links li", has_text="is superseded by")
        expect(link).to_contain_text(MOVED)
        link.get_by_role("button").click()
        expect(page.locator(".graph-text")).to_have_text(MOVED)
        expect(page.locator(".graph-links li", has_text="supersedes").first).to_contain_text(LISBON)


def test_without_webgl_the_list_says_the_same(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        visit.page.add_init_script(NO_WEBGL)
        page = visit.open("graph")
        expect(page.get_by_text("This browser gives the page no WebGL.")).to_be_visible()
        choose(page, LISBON)
        expect(page.locator(".graph-links")).to_contain_text(MOVED)


# -- time --------------------------------------------------------------------------------------------


def day(page: Page, name: str, place: int) -> None:
    """Set a clock to a day, counted from the first one."""
    page.get_by_label(name, exact=True).fill(str(place))


def row(page: Page, text: str) -> Any:
    return page.locator(".time-row", has=page.get_by_role("link", name=text, exact=True))


def test_what_stood_on_a_day_is_what_the_server_says(browser: Browser, address: str) -> None:
    with visiting(browser, address, timezone_id="UTC") as visit:
        page = visit.open("time")
        page.get_by_role("tab", name="What stood on the day").click()
        for place, date in ((30, "2026-06-28"), (120, "2026-09-26")):
            day(page, "Day", place)
            end = f"{date}T23:59:59.999Z"
            wanted = visit.asks("GET", f"/timeline?{urlencode({'true_on': end, 'known_by': end, 'limit': 0})}")
            expect(page.locator(".time-count")).to_contain_text(f"{wanted['total']} memories")
        expect(row(page, MOVED)).to_be_visible()
        expect(row(page, LISBON)).to_have_count(0)


def test_a_superseded_memory_is_marked_on_both_sides_of_its_day(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        page = visit.open("time")
        page.get_by_label("From").fill("2026-06-15")
        page.get_by_label("Until").fill("2026-06-25")
        lisbon = row(page, LISBON)
        expect(lisbon).to_contain_text("no longer true")
        expect(lisbon.get_by_role("link", name="superseded by a later memory")).to_be_visible()
        day(page, "Day", 40)
        expect(lisbon).to_contain_text("true, and known")
        day(page, "Day", 3)
        expect(lisbon).to_contain_text("not known yet")
        page.get_by_role("button", name="Set the clocks apart").click()
        day(page, "What was true on", 150)
        day(page, "As it was known on", 50)
        expect(lisbon).to_contain_text("held true, but had ended")


def test_a_question_is_answered_as_of_the_day(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        page = visit.open("time")
        page.get_by_role("tab", name="What stood on the day").click()
        page.get_by_label("Ask as of this day").fill("Where does Ana Silva live?")
        day(page, "Day", 40)
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.locator(".time-hits")).to_contain_text(LISBON)
        expect(page.locator(".time-hits")).not_to_contain_text(MOVED)


def test_play_goes_through_the_days_and_a_key_stops_it(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        page = visit.open("time")
        slider = page.get_by_label("Day", exact=True)
        slider.focus()
        page.keyboard.press("Home")
        assert slider.input_value() == "0"
        page.keyboard.press("Space")
        expect(slider).not_to_have_value("0")
        page.keyboard.press("Space")
        expect(page.get_by_role("button", name="Play")).to_be_visible()
        # The step that was on its way when the key came.
        visit.goes_on()
        stopped = slider.input_value()
        page.keyboard.press("ArrowRight")
        assert int(slider.input_value()) == int(stopped) + 1
        page.keyboard.press("PageUp")
        assert int(slider.input_value()) >= int(stopped) + 1


def test_dragging_over_the_chart_chooses_a_window(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        page = visit.open("time")
        all_of_it = page.locator(".time-count").inner_text()
        box = page.locator(".time-chart svg").bounding_box()
        assert box is not None
        middle = box["y"] + 30
        page.mouse.move(box["x"] + box["width"] * 0.3, middle)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.4, middle, steps=4)
        page.mouse.up()
        expect(page.locator(".time-count")).not_to_have_text(all_of_it)
        page.get_by_role("button", name="Whole time").click()
        expect(page.locator(".time-count")).to_have_text(all_of_it)
