"""What upstream's users lost, and must not lose here (upstream notes 2.3; SEEDS 6): similarity never destroys."""

from __future__ import annotations

import pytest

import combray
from combray import Engine

PRESETS = ("mnemon", "default")
EMBEDDERS = ("none", "wordllama")

# A correction that negates, and one that negates no longer.
NEGATED = [
    ("Deploys need approval from Dana", "Deploys do not need approval from Dana"),
    ("The cache is safe to delete", "The cache isn't safe to delete"),
    ("Never restart the queue by hand", "Restart the queue by hand"),
    ("我们使用缓存", "我们不使用缓存"),
    ("Chúng tôi dùng bộ nhớ đệm", "Chúng tôi không dùng bộ nhớ đệm"),
]
# The same wording about somebody, or something, else.
ANOTHER_SUBJECT = [
    ("Alice prefers dark mode in the editor", "Bob prefers dark mode in the editor"),
    ("The staging cluster runs in Frankfurt", "The production cluster runs in Frankfurt"),
    ("My sister's birthday is on the third of May", "My brother's birthday is on the third of May"),
]
# The same vocabulary, another claim.
SHARED_VOCABULARY = [
    ("The API gateway times out after 30 seconds of silence", "The API gateway logs every request to disk"),
    ("Payments are retried three times by the worker", "The payments worker is written in Go"),
    ("Release notes are written by Mia every Friday", "Mia reviews every release on Friday before lunch"),
]


def engine_of(preset: str, embedder: str) -> Engine:
    return combray.open(":memory:", preset=preset, embedder=embedder)


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(("old", "new"), NEGATED)
def test_a_negated_correction_is_never_dropped(preset: str, embedder: str, old: str, new: str) -> None:
    """#133, #135: it was skipped as a duplicate of what it corrects."""
    engine = engine_of(preset, embedder)
    first, second = engine.remember(old), engine.remember(new)
    assert second.action != "skipped"
    assert engine.get(second.id).content == new
    assert engine.get(first.id).content == old


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(("old", "new"), ANOTHER_SUBJECT + SHARED_VOCABULARY)
def test_another_claim_is_added_and_the_old_stays_live(preset: str, embedder: str, old: str, new: str) -> None:
    """#84, #134: another subject's fact, or one in the same words, was replaced."""
    engine = engine_of(preset, embedder)
    first, second = engine.remember(old), engine.remember(new)
    assert second.action == "added"
    assert engine.get(first.id).status == "active"


@pytest.mark.parametrize("preset", PRESETS)
def test_only_the_same_text_is_skipped_without_question(preset: str) -> None:
    """PR #139: spaces, the final stop and a sentence's capital mean nothing; accents, numbers and names do."""
    engine = engine_of(preset, "wordllama")
    first = engine.remember("The limit is 100 requests.")
    assert engine.remember("the limit is  100 requests").id == first.id
    assert engine.remember("The limit is 101 requests.").action != "skipped"
    engine.remember("Cha tôi ở Huế")
    assert engine.remember("Chả tôi ở Huế").action != "skipped"


@pytest.mark.parametrize("preset", PRESETS)
def test_the_same_words_of_another_author_are_another_memory(preset: str) -> None:
    engine = engine_of(preset, "wordllama")
    engine.remember("I like green tea", author="Ann")
    assert engine.remember("I like green tea", author="Ben").action == "added"
    assert engine.remember("I like green tea", author="Ann").action == "skipped"


def test_the_default_preset_supersedes_a_plain_new_value_only() -> None:
    engine = engine_of("default", "wordllama")
    old = engine.remember("Our main database is PostgreSQL")
    new = engine.remember("Our main database is no longer PostgreSQL but Redis")
    assert new.replaced_id == old.id
    assert engine.get(old.id).status == "superseded"
    hobby = engine.remember("Alice likes tea")
    assert engine.remember("Alice likes coffee").action == "added"
    assert engine.get(hobby.id).status == "active"


def test_turns_of_a_conversation_are_never_taken_for_duplicates() -> None:
    engine = engine_of("mnemon", "wordllama")
    turns = engine.conversation("chat").add_many([{"content": "ok"}, {"content": "ok"}])
    assert len({turn.id for turn in turns}) == 2


def test_restoring_gives_back_what_held_before() -> None:
    """The end of validity that the caller gave is not lost by being superseded and restored."""
    engine = engine_of("mnemon", "none")
    old = engine.remember("Chose SQLite as storage", valid_to="2030-01-01")
    until = engine.get(old.id).valid_to
    assert engine.remember("Chose PostgreSQL to replace SQLite as storage").replaced_id == old.id
    assert engine.get(old.id).valid_to != until
    ended = engine.get(old.id)
    engine.forget(old.id)
    # What was forgotten comes back as it was; a second restore takes it out of the chain.
    assert engine.restore(old.id) == ended
    restored = engine.restore(old.id)
    assert (restored.status, restored.superseded_by, restored.valid_to) == ("active", None, until)
    engine.forget(old.id)
    assert engine.restore(old.id).valid_to == until


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_contradiction_is_told_and_both_are_kept(embedder: str) -> None:
    with engine_of("default", embedder) as engine:
        old = engine.remember("Deploys need approval from Dana")
        new = engine.remember("Deploys do not need approval from Dana")
        assert (new.action, new.diff_suggestion, new.replaced_id) == ("added", "CONFLICT", None)
        assert [engine.get(each.id).status for each in (old, new)] == ["active", "active"]
        again = engine.remember("Deploys do not need approval from Dana")
        assert (again.action, again.diff_suggestion) == ("skipped", "DUPLICATE")


def test_a_large_batch_is_compared_to_its_end() -> None:
    """What is stored is read for 256 drafts at a time; the last of 300 still replaces what it replaces."""
    with combray.open(":memory:", embedder="wordllama") as engine:
        old = engine.remember("The rate limit is 100/min")
        texts = [f"Ticket {number} was closed by team {number % 7}" for number in range(299)]
        results = engine.remember_many([*texts, "The rate limit was raised from 100/min to 200/min"], batch=300)
    assert {each.action for each in results[:-1]} == {"added"}
    assert (results[-1].action, results[-1].replaced_id) == ("replaced", old.id)
