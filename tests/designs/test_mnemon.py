"""Golden runs of preset mnemon, the write side; each test quotes the line of seeds/mnemon.md it holds."""

from __future__ import annotations

from typing import Any

import pytest
from exact import PLACES, ExactEmbedder, edges, opened, sharing, status_of

from combray import InvalidInputError
from combray.testing.fakes import FakeClock

OLD = "We use Qdrant"
SAME_CLAIM = "We really already currently basically use Qdrant"
"""Says the same; its content terms are {use, qdrant} and four more: a token overlap of 2/6."""


# -- Step 1: Validate Input ------------------------------------------------------------------------


@pytest.mark.parametrize("category", ["preference", "decision", "fact", "insight", "context", "general"])
def test_six_categories(category: str) -> None:
    """ "Category must be one of the six types"."""
    engine = opened()
    assert engine.get(engine.remember("A text", category=category).id).category == category


LIMITS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    # "Category must be one of the six types"
    ({"category": "general"}, {"category": "opinion"}),
    # "Importance 1-5"
    ({"importance": 1}, {"importance": 0}),
    ({"importance": 5}, {"importance": 6}),
    # "Content must not exceed 8000 characters"
    ({"text": "x" * 8000}, {"text": "x" * 8001}),
    ({"text": "数" * 8000}, {"text": "数" * 8001}),
    # "Up to 20 tags and 50 entities"
    ({"tags": [f"tag{n}" for n in range(20)]}, {"tags": [f"tag{n}" for n in range(21)]}),
    ({"entities": [f"Name{n}" for n in range(50)]}, {"entities": [f"Name{n}" for n in range(51)]}),
]


@pytest.mark.parametrize(("allowed", "refused"), LIMITS)
def test_limits_are_exact(allowed: dict[str, Any], refused: dict[str, Any]) -> None:
    engine = opened()
    with pytest.raises(InvalidInputError):
        engine.remember(**{"text": "A text", **refused})
    assert engine.store.status()["total_insights"] == 0
    assert engine.remember(**{"text": "A text", **allowed}).action == "added"


# -- Step 2.5: Built-in Diff -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("percent", "suggestion", "action"),
    [
        # "DUPLICATE (sim > 0.90) -> skip insert entirely, return action="skipped""
        (91, "DUPLICATE", "skipped"),
        # "CONFLICT/UPDATE (sim 0.65-0.90)": 0.90 itself is no duplicate.
        (90, "UPDATE", "replaced"),
        # "When embedding cosine similarity >= 0.7 and exceeds the token overlap score, cosine overrides"
        (70, "UPDATE", "replaced"),
        # Below 0.70 the token overlap decides, here 2/6: "ADD (sim < 0.65) -> normal insert".
        (69, "ADD", "added"),
        (65, "ADD", "added"),
        (64, "ADD", "added"),
    ],
)
def test_bands_of_the_cosine(percent: int, suggestion: str, action: str) -> None:
    engine = opened(embedder=ExactEmbedder({OLD: PLACES, SAME_CLAIM: sharing(percent)}))
    first = engine.remember(OLD)
    second = engine.remember(SAME_CLAIM)
    assert (second.diff_suggestion, second.action) == (suggestion, action)
    assert second.replaced_id == (first.id if action == "replaced" else None)


def _overlapping(shared: int, only_new: int) -> tuple[str, str]:
    """Two texts of one subject: the new one adds words, so their Jaccard is shared / (shared + only_new)."""
    words = ["Zephyr", "uses", *(f"part{n}" for n in range(shared - 2))]
    return " ".join(words), " ".join([*words, *(f"extra{n}" for n in range(only_new))])


@pytest.mark.parametrize(
    ("shared", "only_new", "suggestion"),
    [
        # 13/20 = 0.65: "0.65 ~ 0.90 | CONFLICT/UPDATE"
        (13, 7, "UPDATE"),
        # 16/25 = 0.64: "< 0.65 | ADD"
        (16, 9, "ADD"),
    ],
)
def test_bands_of_the_token_overlap_without_embedder(shared: int, only_new: int, suggestion: str) -> None:
    """ "This step uses embedding cosine similarity when available, falling back to token overlap"."""
    engine = opened()
    old, new = _overlapping(shared, only_new)
    first = engine.remember(old)
    second = engine.remember(new)
    assert second.diff_suggestion == suggestion
    assert second.replaced_id == (first.id if suggestion == "UPDATE" else None)


def test_a_replaced_memory_is_superseded_and_comes_back_on_restore() -> None:
    """ "Soft-delete old insight, insert new as replacement"; mended (SEEDS 6): kept, linked, hidden."""
    engine = opened()
    old = engine.remember("Chose SQLite as storage", category="decision")
    new = engine.remember("Chose PostgreSQL to replace SQLite as the primary database", category="decision")
    assert (new.action, new.replaced_id) == ("replaced", old.id)
    assert engine.get(old.id).superseded_by == new.id
    assert engine.get(new.id).supersedes == old.id
    assert edges(engine, "supersedes") == {(engine.get(new.id).content, "Chose SQLite as storage"): 1.0}
    assert [hit.memory.id for hit in engine.recall("SQLite")] == [new.id]
    engine.restore(old.id)
    assert status_of(engine, old.id) == "active"
    assert {hit.memory.id for hit in engine.recall("SQLite")} == {old.id, new.id}


def test_a_duplicate_names_the_memory_that_is_there() -> None:
    """ "If duplicate: returns action="skipped"": nothing is inserted, and no edge made."""
    engine = opened()
    first = engine.remember("Deploys need approval from Dana")
    again = engine.remember("deploys need approval  from Dana.")
    assert (again.action, again.id, again.replaced_id) == ("skipped", first.id, None)
    assert again.edges_created == {"temporal": 0, "entity": 0, "causal": 0, "semantic": 0}
    # Of the live memory: importance 3, base 0.5, no edges.
    assert (again.embedded, again.effective_importance) == (False, 0.5)
    assert engine.store.status()["total_insights"] == 1


def test_no_diff_inserts_unconditionally() -> None:
    """ "The --no-diff flag disables this check for cases where the caller wants unconditional insertion"."""
    engine = opened()
    first = engine.remember(OLD)
    second = engine.remember(OLD, diff=False)
    assert (second.action, second.diff_suggestion) == ("added", "ADD")
    assert second.id != first.id
    assert engine.store.status()["total_insights"] == 2


# -- Step 2, 4 and 5: embedding, candidates, output ---------------------------------------------------


def test_the_embedding_is_made_before_the_transaction() -> None:
    """ "Step 2: Generate Embedding (outside transaction)"; one call a memory."""
    embedder = ExactEmbedder({OLD: PLACES})
    engine = opened(embedder=embedder)
    result = engine.remember(OLD)
    assert embedder.calls == [[OLD]]
    assert result.embedded
    stages = [step.stage for step in result.trace]
    assert stages.index("Embed") < stages.index("Settle")


def test_semantic_candidates_lie_in_their_band() -> None:
    """ "Semantic candidates with cos in [0.40, 0.80)": 0.80 is linked, 0.39 is nothing, best first."""
    texts = {f"Note number {cosine}": sharing(cosine, 100 * place + 100) for place, cosine in
             enumerate((39, 40, 55, 79, 80))}  # fmt: skip
    engine = opened(embedder=ExactEmbedder({"The new note": PLACES, **texts}))
    ids = {text: engine.remember(text, diff=False).id for text in texts}
    result = engine.remember("The new note", diff=False)
    assert list(result.semantic_candidates) == [
        {"id": ids[f"Note number {n}"], "content": f"Note number {n}", "cosine": n / 100, "auto_linked": False}
        for n in (79, 55, 40)
    ]
    assert result.edges_created["semantic"] == 1


def test_a_replaced_memory_is_no_candidate() -> None:
    """ "Step 4: Candidate Output (post-transaction, read-only)": the replaced insight is gone by then."""
    engine = opened(embedder=ExactEmbedder({OLD: PLACES, SAME_CLAIM: sharing(75)}))
    engine.remember(OLD)
    result = engine.remember(SAME_CLAIM)
    assert result.action == "replaced"
    assert result.semantic_candidates == ()
    assert result.causal_candidates == ()


def test_without_embedder_words_suggest_and_never_link() -> None:
    """Upstream notes 2.2: "without embeddings token similarity >= 0.10, top 5, never auto"."""
    engine = opened()
    near = engine.remember("The garden gate squeaks in winter")
    engine.remember("Invoices go out on Fridays")
    result = engine.remember("Oil the garden gate every spring")
    # {oil, garden, gate, everi, spring} and {garden, gate, squeak, winter}: 2 of 7 or 8 terms shared.
    assert [each["id"] for each in result.semantic_candidates] == [near.id]
    assert result.semantic_candidates[0]["cosine"] is None
    assert result.edges_created["semantic"] == 0


def test_causal_candidates_are_two_hops_away() -> None:
    """ "Causal candidates in the 2-hop BFS neighborhood"."""
    clock = FakeClock()
    engine = opened(clock)
    ids = []
    for text in ("Alpha rains", "Beta shines", "Gamma blows"):
        ids.append(engine.remember(text).id)
        clock.pass_(hours=30)
    # Only the backbone joins them: 30 hours apart, no word in common.
    result = engine.remember("Delta freezes because of frost")
    assert [(each["id"], each["hop"]) for each in result.causal_candidates] == [(ids[2], 1), (ids[1], 2)]
    # "suggested_sub_type": "causes"
    assert result.causal_candidates[0]["suggested_sub_type"] == "causes"


def test_output_has_the_fields_of_the_page_in_their_order() -> None:
    """The page's JSON of step 5."""
    engine = opened(embedder=ExactEmbedder({"First note": PLACES, "Second note": sharing(72)}))
    engine.remember("First note", diff=False)
    result = engine.remember("Second note", diff=False).as_json()
    assert list(result) == [
        "id", "action", "diff_suggestion", "replaced_id", "edges_created", "semantic_candidates",
        "causal_candidates", "quality_warnings", "embedded", "effective_importance", "auto_pruned",
    ]  # fmt: skip
    assert list(result["edges_created"]) == ["temporal", "entity", "causal", "semantic"]
    assert list(result["semantic_candidates"][0]) == ["id", "content", "cosine", "auto_linked"]
    assert {"id", "content", "hop", "suggested_sub_type"} <= set(result["causal_candidates"][0])
    assert (result["action"], result["diff_suggestion"], result["replaced_id"]) == ("added", "ADD", None)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        # "any transient content patterns detected (e.g., AWS instance IDs, ...)"
        ("The worker is i-0123456789abcdef0 now", "i-0123456789abcdef0"),
        # "deployment receipts"
        ("The shop was deployed via Jenkins", "deployed via"),
        # "state observations"
        ("The state is clean again", "state is clean"),
    ],
)
def test_quality_warnings_advise_and_refuse_nothing(text: str, sign: str) -> None:
    """ "These are advisory"."""
    result = opened().remember(text)
    assert result.action == "added"
    assert len(result.quality_warnings) == 1
    assert sign in result.quality_warnings[0]


def test_a_lasting_text_has_no_warning() -> None:
    assert opened().remember("Chose Qdrant as the vector database").quality_warnings == ()
