"""Which earlier memories a new text may change: edges, suggestions, and what is never a candidate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import combray
from combray import presets
from combray.engine.consolidation import suggest_left
from combray.facts.candidates import SuggestRevisions
from combray.presets.tuning import tuned
from combray.types import Remembered

DAY = 86_400.0
START = 1_750_000_000.0
OLD = "Daily standup is at 9:30."
NEW = "We moved the standup to 9:15."
ASIDE = "The cat likes the balcony."
# A suggestion is raised whatever its score.
ALWAYS = tuned(presets.load("default"), {"revision_budget": 1.0})


class Clock:
    """Every write is a day later than the one before."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        self.now += DAY
        return self.now


@pytest.fixture(params=("none", "wordllama"))
def engine(request: pytest.FixtureRequest) -> Iterator[combray.Engine]:
    with combray.open(":memory:", embedder=request.param, worker=False, clock=Clock()) as opened:
        yield opened


def edges(engine: combray.Engine) -> dict[tuple[str, str], float]:
    """(content of the later, content of the earlier) -> probability, of the open edges."""
    return {
        (engine.get(edge.source).content, engine.get(edge.target).content): edge.weight
        for edge in engine.reader.edges(("may_revise",))
        if not edge.subtype
    }


def revises(engine: combray.Engine, old: str = OLD, new: str = NEW, **fields: Any) -> bool:
    engine.remember(old, author="Ida")
    engine.remember(ASIDE, author="Ida")
    engine.remember(new, author="Ida", **fields)
    return (new, old) in edges(engine)


def test_another_date_of_the_same_appointment_is_suggested(engine: combray.Engine) -> None:
    first = engine.remember(OLD, author="Ida")
    engine.remember(ASIDE, author="Ida")
    found = engine.remember(NEW, author="Ida")
    assert [each.id for each in found.may_revise][:1] == [first.id]
    best = found.may_revise[0]
    assert (best.content, best.author, best.at) == (OLD, "Ida", engine.get(first.id).moment)
    assert 0 < best.score <= 1
    assert best.reason == "another number; shares standup"
    assert edges(engine)[NEW, OLD] == best.score
    assert (found.action, engine.get(first.id).status) == ("added", "active")
    assert found.as_json()["may_revise"][0]["id"] == first.id


def test_a_reason_names_whole_words_in_the_order_of_the_text(engine: combray.Engine) -> None:
    """ "lives" and "houses" have the stems "live" and "hous"."""
    engine.remember("Grandmother lives in one of the houses by the canal", author="Ida")
    engine.remember(ASIDE, author="Ida")
    found = engine.remember("Grandmother lives in none of the houses by the canal now", author="Ida")
    assert found.may_revise[0].reason == "shares grandmother, lives, houses"


def test_at_most_three_are_kept_the_best_first(engine: combray.Engine) -> None:
    for day in range(1, 8):
        engine.remember(f"Daily standup is at 9:{10 + day}.", author="Ida")
    found = engine.remember(NEW, author="Ida").may_revise
    assert len(found) <= 3
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


@pytest.mark.parametrize(
    "text",
    [
        "The standup used to be at 9:15.",
        "If I were late we would move the standup to 9:15.",
        "Did we move the standup to 9:15?",
        "I heard that we moved the standup to 9:15.",
    ],
)
def test_the_past_an_if_a_question_and_a_rumour_change_nothing(engine: combray.Engine, text: str) -> None:
    assert not revises(engine, new=text)


def test_a_plan_may_change_what_holds_until_it_comes_due(engine: combray.Engine) -> None:
    assert revises(engine, OLD, "On 1 May we will move the standup to 9:15.")


def test_nothing_later_is_a_candidate(engine: combray.Engine) -> None:
    assert not revises(engine, occurred_at=START - 400 * DAY)


def test_a_backdated_text_is_compared_with_what_was_said_before_it(engine: combray.Engine) -> None:
    engine.remember(OLD, author="Ida", occurred_at=START - 9 * DAY)
    engine.remember(ASIDE, author="Ida", occurred_at=START - 8 * DAY)
    for number in range(9):
        engine.remember(f"Note {number} of a later day.", author="Ida")
    engine.remember(NEW, author="Ida", occurred_at=START - 7 * DAY)
    assert {old for new, old in edges(engine) if new == NEW} <= {OLD, ASIDE}
    assert (NEW, OLD) in edges(engine)


def test_untrusted_text_may_revise_only_untrusted_text(engine: combray.Engine) -> None:
    engine.remember(OLD, author="Ida")
    engine.remember(ASIDE, author="Ida", trust="untrusted")
    engine.remember(NEW, author="Ida", trust="untrusted")
    assert OLD not in {old for _, old in edges(engine)}
    engine.remember("We moved the standup to 9:45.", author="Ida", trust="untrusted")
    assert {old for _, old in edges(engine)} == {ASIDE, NEW}


def test_quarantined_text_is_never_a_candidate(engine: combray.Engine) -> None:
    engine.remember(OLD, author="Ida", trust="quarantined")
    assert not engine.remember(NEW, author="Ida").may_revise
    assert not edges(engine)


def test_only_memories_of_the_same_scope_are_candidates(engine: combray.Engine) -> None:
    assert not revises(engine, tags=["scope:project:a"])
    engine.remember(f"{NEW} Again.", author="Ida", tags=["scope:project:a", "health"])
    assert {pair for pair in edges(engine) if "Again" in pair[0]} == {(f"{NEW} Again.", NEW)}


def test_another_namespace_has_no_part(engine: combray.Engine) -> None:
    engine.within("other").remember(OLD, author="Ida")
    assert not engine.remember(NEW, author="Ida").may_revise


def test_chunks_change_nothing_and_are_not_changed(engine: combray.Engine) -> None:
    assert not revises(engine, kind="chunk")


def test_what_the_write_supersedes_is_no_candidate(engine: combray.Engine) -> None:
    old = engine.remember(OLD, author="Ida")
    new = engine.remember(NEW, author="Ida", supersedes=old.id)
    assert (new.replaced_id, new.may_revise, edges(engine)) == (old.id, (), {})


def test_what_holds_beside_it_is_no_candidate(engine: combray.Engine) -> None:
    old = engine.remember(OLD, author="Ida")
    assert not engine.remember(NEW, author="Ida", keep_both=[old.id]).may_revise
    assert not edges(engine)


def test_without_diff_nothing_is_looked_up(engine: combray.Engine) -> None:
    engine.remember(OLD, author="Ida")
    assert not engine.remember(NEW, author="Ida", diff=False).may_revise
    assert not edges(engine)


def test_edges_of_suggestions_are_not_counted_as_links(engine: combray.Engine) -> None:
    engine.remember(OLD, author="Ida")
    assert "may_revise" not in engine.remember(NEW, author="Ida").edges_created


def both(engine: combray.Engine, extra: int = 0) -> list[Remembered]:
    items = [
        (OLD, START),
        (ASIDE, START),
        (NEW, START + DAY),
        *((f"note {number}", START) for number in range(extra)),
    ]
    return engine.remember_many({"content": text, "author": "Ida", "occurred_at": at} for text, at in items)


def test_an_earlier_item_of_the_batch_is_a_candidate(engine: combray.Engine) -> None:
    both(engine)
    assert (NEW, OLD) in edges(engine)


def test_a_large_batch_is_left_to_consolidation(engine: combray.Engine) -> None:
    both(engine, extra=SuggestRevisions().most - 2)
    assert not edges(engine)
    assert engine.unsettled().due == SuggestRevisions().most + 1
    engine.consolidation.run()
    assert engine.unsettled().due == 0
    assert (NEW, OLD) in edges(engine)
    before = edges(engine)
    engine.consolidation.run()
    assert edges(engine) == before


def test_one_run_of_consolidation_is_bounded(engine: combray.Engine) -> None:
    both(engine, extra=199)
    looked = [suggest_left(engine._at, 120), suggest_left(engine._at, 120), suggest_left(engine._at, 120)]
    assert looked == [120, 82, 0]


def test_no_budget_raises_nothing_and_keeps_the_edges() -> None:
    preset = tuned(presets.load("default"), {"revision_budget": 0.0})
    with combray.open(":memory:", preset=preset, embedder="none", clock=Clock()) as engine:
        assert revises(engine)
        assert not engine.remember(f"{NEW} Yes.", author="Ida").may_revise


def test_the_budget_is_kept_across_openings_and_for_episodes_apart(tmp_path: Path) -> None:
    clock = Clock()
    for kind in ("fact", "episode"):
        for number in (1, 2):
            with combray.open(tmp_path / "a.db", embedder="none", clock=clock) as engine:
                engine.remember(f"{OLD} {kind} {number}", kind=kind, author="Ida")
                with engine.runtime.store.transaction("default") as tx:
                    names = ("fact", "episode") if kind == "episode" else ("fact",)
                    kept = [len(bytes.fromhex(tx.kept(f"revisions:none:{each}"))) for each in names]
        assert kept == [2] * len(names)


def test_other_presets_suggest_nothing() -> None:
    with combray.open(":memory:", preset="mnemon", embedder="none", clock=Clock()) as engine:
        assert not revises(engine)


def test_two_stores_give_the_same(engine: combray.Engine) -> None:
    texts = (OLD, "My sister lives in Graz.", NEW, "I live in Porto now.", "My sister moved to Linz.")
    with combray.open(":memory:", embedder=engine.runtime.embedder or "none", worker=False) as other:
        for day, text in enumerate(texts):
            for each in (engine, other):
                each.remember(text, author="Ida", occurred_at=START + day * DAY)
        assert edges(engine) == edges(other)


def test_the_reference_store_agrees() -> None:
    from combray.testing.reference import ReferenceStore

    with combray.open(":memory:", embedder="none", clock=Clock()) as engine:
        runtime = replace(engine.runtime, store=ReferenceStore(), clock=Clock())
        other = combray.Engine(runtime, "default", presets.load("default"))
        for day, text in enumerate((OLD, "My sister lives in Graz.", NEW, "My sister moved to Linz.")):
            for each in (engine, other):
                each.remember(text, author="Ida", occurred_at=START + day * DAY)
        assert edges(engine)
        assert edges(engine) == edges(other)


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_a_plan_is_linked_with_what_holds_and_not_with_plans_about_other_things(embedder: str) -> None:
    """All of them move something: what it will change is where we live."""
    plans = (
        "Plan: on 15 April we move the backups to Warsaw.",
        "On 2 May we move the shop to Station Road.",
        "In June we're going to move CI to Hostbarn.",
        "On 5 July we move the archive to the cellar.",
    )
    with combray.open(":memory:", embedder=embedder, worker=False) as engine:
        home = engine.remember("We live in Ghent.", author="user", occurred_at="2026-01-01").id
        for number, text in enumerate(plans, 2):
            engine.remember(text, author="user", occurred_at=f"2026-01-{number:02}")
        plan = engine.remember("In September we move to Bruges.", author="user", occurred_at="2026-03-01").id
        linked = [hit.memory.id for hit in engine.related(plan, type="may_revise", depth=1)]
    assert home in linked
