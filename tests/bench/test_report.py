"""Tables of `bench.quality`."""

from __future__ import annotations

import pytest
from rich.console import Console

from bench.quality.__main__ import main
from bench.quality.measuring import Result
from bench.quality.metrics import scores
from bench.quality.report import rows, show


def result(system: str) -> Result:
    """Two questions: gold found first, and gold not found, answered with nothing."""
    made = Result("little", system, "none", plain=False, items=3, refused=1)
    made.rows = [scores(["a", "b"], {"a"}), scores([], {"c"})]
    made.categories = ["when", "who"]
    made.milliseconds = [1.0, 2.0]
    return made


def test_a_table_has_the_measures_and_recall_by_category(capsys: pytest.CaptureFixture[str]) -> None:
    show(Console(), [result("one"), result("two")], markdown=True)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "little: 2 questions, 3 items"
    # Recall is 1 and 0, so 50 on average; the questions' kinds have one each.
    cells = [cell.strip() for cell in lines[-1].strip("|").split("|")]
    assert cells[:3] == ["two", "50.0", "50.0"]
    assert cells[-4:] == ["1", "1.5", "100.0", "0.0"]
    assert rows([result("one")])[0][-2:] == ["when (1)", "who (1)"]


def test_an_unknown_set_is_refused_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--set", "absent", "--embedder", "none", "--preset", "default", "--no-plain"]) == 2
    assert "no set 'absent'; there is" in capsys.readouterr().err
