"""Tables written into a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.quality.__main__ import main
from bench.quality.measuring import Result
from bench.quality.metrics import scores
from bench.quality.report import MARKS, PageError, write_markdown


def result(system: str) -> Result:
    """Two questions: gold found first, and gold not found, answered with nothing."""
    made = Result("little", system, "none", plain=False, items=3, refused=1)
    made.rows = [scores(["a", "b"], {"a"}), scores([], {"c"})]
    made.categories = ["when", "who"]
    made.milliseconds = [1.0, 2.0]
    return made


def test_a_new_page_is_the_table(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    write_markdown(page, [result("one")])
    lines = page.read_text().splitlines()
    assert lines[2] == "**little**: 2 questions, 3 memories."
    # Recall is 1 and 0, so 50 on average; the questions' kinds have one each.
    row = [cell.strip() for cell in lines[-3].strip("|").split("|")]
    assert row[:3] == ["one", "50.0", "**50.0**"]
    assert row[-4:] == ["1", "1.5", "100.0", "0.0"]


def test_what_stands_around_the_marks_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Title\n\n{MARKS[0]}\nold\n{MARKS[1]}\n\nThe end.\n")
    for _ in range(2):
        write_markdown(page, [result("one"), result("two")])
    text = page.read_text()
    assert text.startswith(f"# Title\n\n{MARKS[0]}\n")
    assert text.endswith(f"{MARKS[1]}\n\nThe end.\n")
    assert "old" not in text
    assert (text.count("| one |"), text.count("| two |")) == (1, 1)


def test_a_page_without_a_place_is_refused_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n")
    with pytest.raises(PageError, match="has no place for tables"):
        write_markdown(page, [result("one")])
    assert main(["--set", "chinese", "--embedder", "none", "--markdown", str(page)]) == 2
    assert "has no place for tables" in capsys.readouterr().err
    assert page.read_text() == "# Title\n"
