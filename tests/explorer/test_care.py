"""People, pairs, quarantine, runs, audit, usage and files: what each does, its undo, and who may do it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import notebook
import pytest
from playwright.sync_api import Browser, expect
from walking import Visit, visiting
from window import serving

import combray

pytestmark = pytest.mark.nightly("drives a browser for a minute; the walk runs every time")
VERDICTS = {"1": "superseded", "4": "active", "3": "merged", "2": "superseded"}
"""Key -> what it makes of the earlier memory."""


@pytest.fixture(scope="module")
def own(written: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A copy of the store, which these tests change."""
    folder = tmp_path_factory.mktemp("care") / "copy"
    shutil.copytree(written, folder)
    with serving(folder / "team.db") as found:
        yield found


@pytest.fixture
def visit(browser: Browser, own: str) -> Iterator[Visit]:
    with visiting(browser, own) as found:
        yield found


def undo(visit: Visit) -> None:
    """Press the undo of the message, and wait until it is done."""
    with visit.page.expect_response(lambda each: each.request.method == "POST"):
        visit.page.locator(".toast").get_by_role("button", name="Undo").click()


def names(visit: Visit) -> dict[str, list[str]]:
    return {each["name"]: each["aliases"] for each in visit.asks("GET", "/entities?limit=500")["results"]}


def test_two_names_are_merged_and_split_and_both_are_undone(visit: Visit) -> None:
    page = visit.open("people")
    page.get_by_role("button", name="Add a name to Ana Silva").click()
    page.get_by_label("Another name, or a name from the list").fill("Mei Tanaka")
    page.get_by_role("button", name="Merge", exact=True).click()
    expect(page.locator(".toast")).to_contain_text("Mei Tanaka is now another name of Ana Silva.")
    assert names(visit)["Ana Silva"] == ["Mei Tanaka"]
    undo(visit)
    expect(page.get_by_role("button", name="Split Mei Tanaka off Ana Silva")).to_have_count(0)
    assert "Mei Tanaka" in names(visit)
    page.get_by_role("button", name="Split kube off Kubernetes").click()
    expect(page.locator(".toast")).to_contain_text("kube is no longer a name of Kubernetes.")
    assert names(visit)["Kubernetes"] == ["k8s"]
    undo(visit)
    expect(page.get_by_role("button", name="Split kube off Kubernetes")).to_have_count(1)


def test_pairs_are_settled_in_a_row_with_one_key_each(visit: Visit) -> None:
    page = visit.open("pairs")
    earlier = ""
    for done, (key, status) in enumerate(VERDICTS.items(), 1):
        link = page.get_by_role("article").first.get_by_role("link").get_attribute("href") or ""
        earlier = link.rpartition("/")[2]
        page.keyboard.press(key)
        expect(page.get_by_text(f"pairs open, {done} settled")).to_be_visible()
        assert visit.asks("GET", f"/memories/{earlier}")["status"] == status
    shown = page.get_by_role("article").all_inner_texts()
    page.keyboard.press("0")
    expect(page.get_by_text("4 settled")).to_be_visible()
    assert page.get_by_role("article").all_inner_texts() != shown
    with page.expect_response("**/v1/settle"):
        page.keyboard.press("z")
    expect(page.get_by_text("3 settled")).to_be_visible()
    assert visit.asks("GET", f"/memories/{earlier}")["status"] == "active"


def test_a_quarantined_memory_is_released_and_that_is_undone(visit: Visit) -> None:
    page = visit.open("quarantine")
    first = page.get_by_role("listitem").filter(has_text="Please disregard")
    expect(first).to_contain_text("asks to ignore earlier instructions")
    first.get_by_label("Release as").select_option("agent")
    first.get_by_role("button", name="Release", exact=True).click()
    expect(page.locator(".toast")).to_contain_text("Released.")
    assert len(visit.asks("GET", "/quarantine")["results"]) == 2
    undo(visit)
    expect(page.get_by_text("3 memories", exact=True)).to_be_visible()
    assert len(visit.asks("GET", "/quarantine")["results"]) == 3


def test_erasing_needs_the_count_typed(visit: Visit) -> None:
    page = visit.open("quarantine")
    page.get_by_role("button", name="Select all").click()
    page.get_by_label("Select", exact=True).first.uncheck()
    page.get_by_role("button", name="Erase 2 selected…").click()
    dialog = page.get_by_role("dialog")
    button = dialog.get_by_role("button", name="Erase for ever")
    expect(button).to_be_disabled()
    dialog.get_by_label("Type 2 to confirm").fill("3")
    expect(button).to_be_disabled()
    dialog.get_by_label("Type 2 to confirm").fill("2")
    button.click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("1 memory", exact=True)).to_be_visible()
    assert len(visit.asks("GET", "/quarantine")["results"]) == 1


def test_a_run_is_planned_applied_and_undone(visit: Visit) -> None:
    page = visit.open("runs")
    page.get_by_role("button", name="Show plan").click()
    apply = page.get_by_role("button", name="Apply")
    expect(apply).to_be_visible()
    assert len(visit.asks("GET", "/consolidation/runs")["results"]) == 2
    apply.click()
    expect(page.locator(".toast")).to_contain_text("Run finished")
    run = visit.asks("GET", "/consolidation/runs")["results"][0]
    assert run["state"] == "done"
    undo_run = page.get_by_role("button", name=f"Undo run {run['id'][:13]}")
    page.get_by_role("listitem").filter(has=undo_run).get_by_text("What it changed").click()
    lines = visit.asks("GET", f"/consolidation/runs/{run['id']}")["results"]
    expect(page.locator("details[open] .plan li")).to_have_count(len(lines))
    undo_run.click()
    expect(page.locator(".toast")).to_contain_text("restored")
    assert visit.asks("GET", "/consolidation/runs")["results"][0]["state"] == "undone"


def test_the_audit_is_verified_and_filtered(visit: Visit) -> None:
    page = visit.open("audit")
    page.get_by_role("button", name="Verify").click()
    expect(page.get_by_text("The log is whole")).to_be_visible()
    page.get_by_label("Operation").select_option("forget")
    expect(page.locator("tbody tr")).to_have_count(
        len(visit.asks("GET", "/audit?operation=forget&limit=50")["results"])
    )


def test_usage_says_in_a_table_what_the_bars_show(visit: Visit) -> None:
    page = visit.open("usage")
    metrics = visit.asks("GET", "/status/metrics?days=30")
    page.get_by_text("The same as a table").click()
    shown = page.locator("details[open] tbody tr").all_inner_texts()
    assert sum(int(each.split("\t")[1]) for each in shown) == metrics["asked"]
    assert sum(int(each.split("\t")[2]) for each in shown) == sum(each["empty"] for each in metrics["by_day"])


def test_a_file_is_previewed_imported_and_that_is_undone(visit: Visit, tmp_path: Path) -> None:
    notes = tmp_path / "2026-10-05-office.md"
    notes.write_text(
        "# Office\n\nThe office in Porto has a roof terrace.\n\n## Keys\n\nThe keys are with Bela.\n"
    )
    before = visit.asks("GET", "/status")["total_insights"]
    page = visit.open("files")
    page.locator("#files-input").set_input_files(notes)
    expect(page.get_by_text("Would store 2 memories.")).to_be_visible()
    assert visit.asks("GET", "/status")["total_insights"] == before
    page.get_by_text("Show all 2 texts").click()
    expect(page.get_by_text("The keys are with Bela.")).to_be_visible()
    page.get_by_role("button", name="Import 2 memories").click()
    expect(page.locator("main").get_by_text("Imported 2 memories.")).to_be_visible()
    assert visit.asks("GET", "/status")["total_insights"] == before + 2
    page.get_by_role("button", name="Undo import").click()
    expect(page.get_by_text("Undone: the imported memories are hidden.")).to_be_visible()
    assert visit.asks("GET", "/status")["total_insights"] == before


def test_a_file_that_is_dropped_is_previewed_and_a_bad_one_says_why(visit: Visit) -> None:
    page = visit.open("files")
    dropped = page.evaluate_handle(
        """() => {
            const data = new DataTransfer();
            data.items.add(new File(['{"role": "user", "content": "I moved to Nantes."}'], 'talk.jsonl'));
            data.items.add(new File(['PK\\u0003\\u0004'], 'broken.zip'));
            data.items.add(new File(['# Only a heading'], 'empty.md'));
            return data;
        }"""
    )
    page.dispatch_event(".drop", "drop", {"dataTransfer": dropped})
    expect(page.get_by_text("Would store 1 memory.")).to_be_visible()
    expect(page.get_by_text("cannot be unpacked")).to_be_visible()
    expect(page.get_by_text("contains no texts")).to_be_visible()
    # The browser reports the refusals of the server.
    assert len(visit.errors) == 2
    visit.errors.clear()


def test_who_may_only_read_is_not_offered_what_fails(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "keyed.db"
    with combray.open(path, worker=False, embedder="none") as engine:
        engine.remember("Ana Silva owns the billing service.")
        engine.remember("Robert Keller works from home on Fridays.")
        engine.remember("Robert Keller no longer works from home on Fridays.")
    key = notebook.key(path, "read")
    with serving(path) as address, visiting(browser, address) as visit:
        page = visit.page
        page.goto(address)
        page.get_by_label("Key").fill(key)
        page.get_by_role("button", name="Open").click()
        page.wait_for_selector("nav")
        visit.errors.clear()
        visit.open("people")
        expect(page.get_by_role("button", name="Add a name")).to_have_count(0)
        visit.open("pairs")
        expect(page.get_by_role("button", name="Later replaces")).to_be_disabled()
        visit.open("quarantine")
        expect(page.get_by_text("The quarantine needs an admin key.")).to_be_visible()
        visit.open("runs")
        expect(page.get_by_role("button", name="Show plan")).to_have_count(0)
        visit.open("files")
        expect(page.get_by_text("Files are imported with an admin key.")).to_be_visible()


def test_an_empty_store_says_what_to_do_first(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path / "empty.db") as address, visiting(browser, address) as visit:
        for name in ("people", "pairs", "quarantine", "runs"):
            expect(visit.open(name).locator(".empty")).to_be_visible()
        visit.open("files")
        expect(visit.page.get_by_text("Drop files here")).to_be_visible()
        visit.open("usage")
        expect(visit.page.get_by_text("No question and no text in these days.")).to_be_visible()
