"""What a text claims about time becomes its validity. The caller's own wins, and recall hides nothing."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

import combray
from combray.presets import load, names
from combray.remember.time import ReadTime

SAID = datetime(2025, 5, 14, 9, 30, tzinfo=UTC)
PAST = "I used to live in Lisbon"


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.fixture(params=("none", "wordllama"))
def engine(request: pytest.FixtureRequest) -> Iterator[combray.Engine]:
    with combray.open(":memory:", embedder=request.param, worker=False, clock=SAID.timestamp) as opened:
        yield opened


def test_every_preset_reads_the_time_of_a_text_before_it_compares() -> None:
    for name in names():
        stages = [type(each).__name__ for each in load(name).remember]
        assert stages.index("Guard") < stages.index("ReadTime") < stages.index("Diff"), name


@pytest.mark.parametrize("kind", ["fact", "insight", "episode"])
@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("I used to live in Lisbon until 2019.", None, day("2020-01-01")),
        (PAST, None, SAID),
        ("From 1 June we'll meet in the small room.", day("2025-06-01"), None),
        ("I'm in Oslo until Friday.", None, day("2025-05-17")),
        ("I live in Berlin.", None, None),
        ("I might move to Oslo on 1 June.", None, None),
    ],
)
def test_the_text_gives_the_validity(
    engine: combray.Engine, text: str, since: datetime | None, until: datetime | None, kind: str
) -> None:
    stored = engine.get(engine.remember(text, kind=kind).id)
    assert (stored.valid_from, stored.valid_to) == (since, until)


def test_relative_days_count_from_the_day_on_which_it_was_said(engine: combray.Engine) -> None:
    stored = engine.get(engine.remember("Next week we will move.", occurred_at="2025-04-01").id)
    assert stored.valid_from == day("2025-04-07")


def test_the_callers_own_validity_wins(engine: combray.Engine) -> None:
    own = engine.get(engine.remember(PAST, valid_to="2015-01-01").id)
    assert (own.valid_from, own.valid_to) == (None, day("2015-01-01"))
    plan = engine.get(engine.remember("We will move on 1 June.", valid_to="2025-05-20").id)
    # The text's start would lie behind the caller's end.
    assert (plan.valid_from, plan.valid_to) == (None, day("2025-05-20"))


def test_a_summary_has_no_validity(engine: combray.Engine) -> None:
    assert engine.get(engine.remember(PAST, kind="summary").id).valid_to is None


def test_what_is_over_is_found_and_not_true_any_more(engine: combray.Engine) -> None:
    over = engine.remember(PAST).id
    now = engine.remember("I live in Berlin").id
    assert engine.recall("Where did I use to live in Lisbon")[0].memory.id == over
    seen = {hit.memory.id for hit in engine.recall("Where do I live", as_of="2025-06-01")}
    assert seen == {now}


def test_a_plan_becomes_true_on_its_day_without_a_write(engine: combray.Engine) -> None:
    plan = engine.remember("From 1 June we will meet in the small room.").id
    assert [hit.memory.id for hit in engine.recall("small room")] == [plan]
    assert not list(engine.recall("small room", as_of="2025-05-31"))
    assert [hit.memory.id for hit in engine.recall("small room", as_of="2025-06-01")] == [plan]


def test_a_new_text_has_a_new_validity(engine: combray.Engine) -> None:
    key = engine.remember(PAST).id
    engine.update(key, content="I live in Lisbon")
    assert engine.get(key).valid_to is None
    engine.update(key, content="I used to live in Lisbon until 2019")
    assert engine.get(key).valid_to == day("2020-01-01")
    engine.update(key, importance=5)
    assert engine.get(key).valid_to == day("2020-01-01")
    engine.update(key, content="I used to live in Lisbon until 2018", valid_to=None)
    assert engine.get(key).valid_to is None
    # The caller wanted no end: the text does not bring one back.
    engine.update(key, content="I used to live in Lisbon until 2017")
    assert engine.get(key).valid_to is None


def test_a_new_text_keeps_the_callers_validity(engine: combray.Engine) -> None:
    key = engine.remember(PAST, valid_to="2015-01-01").id
    engine.update(key, content="I used to live in Porto until 2019")
    assert engine.get(key).valid_to == day("2015-01-01")


def test_a_past_text_that_is_superseded_and_restored_is_as_it_was(engine: combray.Engine) -> None:
    old = engine.remember(PAST).id
    engine.remember("I used to live in Porto", supersedes=old)
    engine.restore(old)
    assert engine.get(old).valid_to == SAID


def test_an_export_keeps_the_validity(engine: combray.Engine) -> None:
    key = engine.remember(PAST).id
    cleared = engine.remember("I used to work in Porto").id
    engine.update(cleared, valid_to=None)
    written = io.StringIO()
    engine.store.export_to(written)
    with combray.open(":memory:", embedder="none", worker=False) as other:
        other.store.import_from(written.getvalue().splitlines(), dry_run=False, trusted=True)
        assert other.get(key).valid_to == SAID
        assert other.get(cleared).valid_to is None


def test_a_night_does_not_let_the_past_replace_the_present(engine: combray.Engine) -> None:
    present = engine.remember("The office is in Cork").id
    engine.remember("The office was in Dublin until 2019")
    engine.consolidation.run()
    assert engine.get(present).status == "active"


def test_the_stage_has_no_setting_for_chunks() -> None:
    assert ReadTime().kinds == ("fact", "insight", "episode")
