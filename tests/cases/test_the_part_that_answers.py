"""Of a long memory the part that answers is shown; an answer over MCP is bounded and says what it left out.

Source: nowledge-co/community#493.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp_types import TextContent

import combray
from combray.interfaces.mcp.calls import Calls
from combray.interfaces.mcp.lines import MOST, WIDTH
from combray.prompt.excerpt import excerpt

WALK = (
    "We went through the old theatre from the cellar to the roof, counted the broken seats, looked at the ropes "
    "and the lamps, and wrote down in which rooms the plaster comes off the walls and where water has run down. "
)
RUNDGANG = (
    "Wir sind durch die alte Mühle gegangen, vom Keller bis zum Dach, haben die Balken angesehen, das Rad, die "
    "Schleuse und die Böden, und haben Raum für Raum aufgeschrieben, was kaputt ist und was noch hält. "
)
参观 = "我们从地下室一直走到屋顶，看了所有的房间和灯，数了坏掉的椅子，记下了哪些墙在掉灰，" * 5 + "。"
LONG = WALK.replace(". ", ", ") * 3 + "and the piano tuner is Ines Roth, " + WALK
LIST = "Rooms:\n" + "".join(f"- room {n}: grey since {1990 + n}\n" for n in range(20)) + "- attic: for the choir"


@pytest.mark.parametrize(
    ("text", "question", "shown"),
    [
        (WALK + "The stage manager is Odalys Prior.", "Who is the stage manager?", "Odalys Prior"),
        (
            WALK + "The stage manager is Odalys Prior. " + "Then we had soup and walked home in the rain. " * 4,
            "Who is the stage manager?",
            "Odalys Prior",
        ),
        ("The caretaker is Mr Lund. " + WALK * 2, "Who is the caretaker?", "Mr Lund"),
        (RUNDGANG + "Der Gutachter heißt Falk Börner.", "Wie heißt der Gutachter?", "Falk Börner"),
        (参观 + "舞台监督是欧丽。", "舞台监督是谁？", "欧丽"),
        (LONG, "Who is the piano tuner?", "Ines Roth"),
        (LIST, "Who is the attic for?", "for the choir"),
        (WALK + "My code for the gate is 4471.", "What is the code for the gate?", "4471"),
        (WALK + "Le régisseur s'appelle Aubin.", "Comment s'appelle le régisseur ?", "Aubin"),
        (WALK, "What is the weather?", "We went through the old theatre"),
    ],
)
def test_the_excerpt_holds_the_answer_and_fits(text: str, question: str, shown: str) -> None:
    part = excerpt(text, question, WIDTH)
    assert shown in part
    assert len(part) <= WIDTH
    assert part.startswith(" ".join(text.split())[:30])


def test_what_fits_is_shown_whole() -> None:
    assert excerpt("Short  and\nwhole.", "anything", WIDTH) == "Short and whole."


@pytest.fixture
def calls(tmp_path: Path) -> Calls:
    return Calls(combray.open(tmp_path / "a.db", embedder="none", worker=False))


def said(result: object) -> str:
    return "".join(each.text for each in result.content if isinstance(each, TextContent))  # type: ignore[attr-defined]


def test_recall_over_mcp_shows_the_part_that_answers(calls: Calls) -> None:
    calls._engine.remember(WALK + "The stage manager is Odalys Prior.")
    result = calls.recall("Who is the stage manager?")
    assert "Odalys Prior" in said(result)
    assert result.structured_content is not None
    assert "Odalys Prior" in result.structured_content["results"][0]["content"]


def test_an_answer_is_bounded_and_says_what_it_left_out(calls: Calls) -> None:
    for number in range(50):
        calls._engine.remember(f"Theatre report {number}: " + WALK * 8, diff=False)
    result = calls.recall("theatre report", limit=50, full=True)
    structured = result.structured_content
    assert structured is not None
    shown = len(structured["results"])
    assert 0 < shown < 50
    assert structured["left_out"] == 50 - shown
    assert f"note: {50 - shown} more left out" in said(result)
    assert len(said(result)) < MOST + 2_000


def test_a_list_that_is_too_long_goes_on_with_its_cursor(calls: Calls) -> None:
    ids = {calls._engine.remember(f"Theatre report {number}: " + WALK * 8, diff=False).id for number in range(40)}
    seen: list[str] = []
    after = ""
    for _ in range(40):
        page = calls.list_memories(limit=40, full=True, after=after).structured_content
        assert page is not None
        seen += [each["id"] for each in page["results"]]
        after = page["cursor"] or ""
        if not after:
            break
    assert sorted(seen) == sorted(ids)


LONG_LINES = [
    (WALK * 40 + "The stage manager is Odalys Prior. " + WALK * 4, "Who is the stage manager?", "Odalys Prior"),
    (
        RUNDGANG * 30 + "Der Gutachter heißt Falk Börner. " + RUNDGANG * 4,
        "Wie heißt der Gutachter?",
        "Falk Börner",
    ),
    (参观 * 30 + "舞台监督是欧丽。" + 参观 * 4, "舞台监督是谁？", "欧丽"),
]


@pytest.mark.parametrize(("text", "question", "shown"), LONG_LINES)
def test_of_a_memory_that_does_not_fit_a_prompt_the_part_that_answers_is_shown(
    text: str, question: str, shown: str
) -> None:
    with combray.open(":memory:", embedder="none", worker=False) as engine:
        engine.remember(text[:8000] if shown in text[:8000] else text[-8000:])
        made = engine.context(question, budget=300)
        assert shown in made.text
        assert made.tokens <= 300
        assert [each.reason for each in made.dropped] == ["truncated to fit"]


@pytest.mark.parametrize(("text", "question", "shown"), LONG_LINES)
def test_of_a_long_line_in_a_note_the_part_that_answers_is_shown(
    tmp_path: Path, text: str, question: str, shown: str
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text(text[-1500:] if shown in text[-1500:] else text[-2500:], encoding="utf-8")
    with combray.open(tmp_path / "a.db", embedder="none", worker=False) as engine:
        engine.documents.index(notes)
        assert shown in engine.documents.search(question)[0].snippet
        assert shown in said(Calls(engine).memory_search(question))


def test_one_very_long_turn_is_bounded_too_and_says_where_the_rest_is(calls: Calls) -> None:
    turn = calls._engine.conversation("s").add(WALK * 800, author="user")
    result = calls.recall("broken seats", full=True)
    assert len(turn.content) > 3 * MOST
    assert len(said(result)) < MOST + 2_000
    assert f"more characters: read memory://memory/{turn.id}" in said(result)
    assert result.structured_content is not None
    assert len(result.structured_content["results"][0]["content"]) < MOST + 200


def test_ids_of_thousands_are_bounded(calls: Calls) -> None:
    calls._engine.remember_many([{"content": f"Seat {number} is broken."} for number in range(2_500)], diff=False)
    structured = calls.forget(where={"kind": "fact"}).structured_content
    assert structured is not None
    assert structured["count"] == 2_500
    assert len(structured["ids"]) + structured["truncated"]["ids"] == 2_500
    assert len(str(structured["ids"])) < 3 * MOST
