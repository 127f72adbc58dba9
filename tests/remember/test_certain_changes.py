"""What the default preset replaces by itself: a text that names the old and the new value, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import combray


@pytest.fixture(params=("none", "wordllama"))
def engine(request: pytest.FixtureRequest) -> Iterator[combray.Engine]:
    with combray.open(":memory:", embedder=request.param, worker=False) as opened:
        yield opened


def statuses(engine: combray.Engine, *texts: str, author: str | None = None) -> list[str]:
    ids = [engine.remember(text, author=author).id for text in texts]
    return [engine.get(each).status for each in ids]


def test_a_text_that_names_both_values_supersedes(engine: combray.Engine) -> None:
    old = engine.remember("The retro is on Friday at 15:00", author="ana")
    engine.remember("The board meets on Friday at 16:00", author="ana")
    new = engine.remember("The retro moved from Friday to Tuesday", author="ana")
    assert (new.action, new.replaced_id) == ("replaced", old.id)
    assert new.reason == "names the old value and the new one"
    assert engine.get(old.id).superseded_by == new.id


@pytest.mark.parametrize(
    "later",
    [
        "The retro will move from Friday to Tuesday",
        "The retro might have moved from Friday to Tuesday",
        "Someone said the retro moved from Friday to Tuesday",
        "Has the retro moved from Friday to Tuesday?",
        "The retro is not on Friday",
        "The retro is on Tuesday",
    ],
)
def test_what_is_not_certain_replaces_nothing(engine: combray.Engine, later: str) -> None:
    assert statuses(engine, "The retro is on Friday", later) == ["active", "active"]


def test_the_one_that_fits_is_replaced_or_none(engine: combray.Engine) -> None:
    first, second = engine.remember("We test with Jest"), engine.remember("We mock with Jest")
    new = engine.remember("We switched from Jest to Vitest")
    assert (new.action, new.replaced_id) == ("added", None)
    assert [engine.get(each.id).status for each in (first, second)] == ["active", "active"]


def test_another_author_changes_only_what_both_name(engine: combray.Engine) -> None:
    mine = engine.remember("I live in Berlin", author="ana")
    named = engine.remember("Project Atlas runs on Jenkins", author="ana", entities=["Atlas"])
    engine.remember("I moved from Berlin to Lisbon", author="ben")
    engine.remember("Project Atlas moved from Jenkins to Buildkite", author="ben", entities=["Atlas"])
    assert engine.get(mine.id).status == "active"
    assert engine.get(named.id).status == "superseded"


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The door code is 2290", "The door code is 7713"),
        ("My favourite colour is blue", "My favourite colour is green"),
        ("Meeting on 3 May was cancelled", "Meeting on 4 May"),
    ],
)
def test_the_same_sentence_with_another_value_is_kept_beside(
    engine: combray.Engine, earlier: str, later: str
) -> None:
    assert statuses(engine, earlier, later) == ["active", "active"]


def test_a_batch_decides_as_its_texts_one_by_one(engine: combray.Engine) -> None:
    results = engine.remember_many(["We use Jest", "We switched from Jest to Vitest"])
    assert results[1].replaced_id == results[0].id


# -- told again -------------------------------------------------------------------------------------


def test_on_off_on_by_a_caller(engine: combray.Engine) -> None:
    on = engine.remember("The beta flag is on")
    engine.remember("The beta flag is off", supersedes=on.id)
    again = engine.remember("The beta flag is on")
    assert again.action == "added"
    assert engine.remember("The beta flag is on").id == again.id


def test_on_off_on_where_a_later_one_may_revise(engine: combray.Engine) -> None:
    on, off = engine.remember("The flag is on"), engine.remember("Beta testers see nothing new")
    engine.link(off.id, on.id, type="may_revise", weight=0.8)
    again = engine.remember("The flag is on")
    assert (again.action, again.diff_suggestion) == ("added", "ADD")
    # What was told last is known, and repeats nothing older.
    assert engine.remember("The flag is on").id == again.id


def test_a_pair_that_both_hold_is_no_reason_to_say_it_again(engine: combray.Engine) -> None:
    on, off = engine.remember("The flag is on"), engine.remember("Beta testers see nothing new")
    engine.settle(off.id, on.id, "both")
    assert engine.remember("The flag is on").id == on.id


@pytest.mark.parametrize("at_once", [False, True])
def test_a_statement_its_denial_and_the_statement_again(engine: combray.Engine, at_once: bool) -> None:
    texts = ["Deploys need approval from Dana", "Deploys do not need approval from Dana"]
    told = [texts[0], texts[1], texts[0], texts[0]]
    results = engine.remember_many(told) if at_once else [engine.remember(each) for each in told]
    assert [each.action for each in results] == ["added", "added", "added", "skipped"]
    assert results[3].id == results[2].id
