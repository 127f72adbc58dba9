"""What the MCP tool remember says about the diff and about likely causes (preset mnemon)."""

from __future__ import annotations

from typing import Any

import pytest

import combray
from combray import Engine
from combray.interfaces.mcp.calls import Calls

pytestmark = pytest.mark.parametrize("embedder", ["none", "wordllama"])


def _opened(embedder: str) -> Engine:
    return combray.open(":memory:", preset="mnemon", embedder=embedder, worker=False)


def _told(engine: Engine, content: str) -> dict[str, Any]:
    told: dict[str, Any] | None = Calls(engine).remember(content).structured_content
    assert told is not None
    return told


def test_a_contradiction_is_told_as_conflict(embedder: str) -> None:
    """The page's field `diff_suggestion`: "CONFLICT/UPDATE (sim 0.65-0.90)"."""
    engine = _opened(embedder)
    old = "The parser of the billing service reads YAML files from the shared folder"
    assert _told(engine, old)["diff_suggestion"] == "ADD"
    told = _told(engine, old.replace("reads", "does not read"))
    assert (told["action"], told["diff_suggestion"]) == ("added", "CONFLICT")
    again = _told(engine, old.replace("reads", "does not read"))
    assert (again["diff_suggestion"], again["embedded"]) == ("DUPLICATE", embedder == "wordllama")


def test_likely_causes_are_told_with_what_the_tool_link_needs(embedder: str) -> None:
    """Issue: "with hop, signal, cosine and sub-type also over MCP (link takes the sub-type)"."""
    engine = _opened(embedder)
    lunch = _told(engine, "Lunch is at noon")
    told = _told(engine, "The dam prevents floods")
    (found,) = told["causal_candidates"]
    assert (found["id"], found["hop"], found["overlap"]) == (lunch["id"], 1, 0.0)
    assert (found["causal_signal"], found["suggested_sub_type"]) == (True, "prevents")
    assert (found["cosine"] is None) == (embedder == "none")
    linked = Calls(engine).link(
        source=found["id"], target=told["id"], type="causal", subtype=found["suggested_sub_type"]
    )
    assert linked.structured_content is not None
    assert linked.structured_content["sub_type"] == "prevents"


def test_a_memory_that_may_change_is_not_proposed_for_a_link_too(embedder: str) -> None:
    engine = combray.open(":memory:", embedder=embedder, worker=False)
    calls = Calls(engine, offered=("remember", "link"))
    calls.remember("Anna's flight to Oslo leaves on 3 March at 7:10.")
    done = calls.remember("Anna's flight to Oslo was rebooked to 4 March at 9:00.").structured_content
    assert done is not None
    asked = {each["id"] for each in done["may_revise"]}
    assert asked
    assert not asked & set(done["perhaps_related"])


PAGE = (
    *("id", "action", "diff_suggestion", "replaced_id", "edges_created", "semantic_candidates"),
    *("causal_candidates", "embedded", "effective_importance", "auto_pruned"),
)


def test_where_link_is_offered_the_answer_has_the_fields_of_the_page(embedder: str) -> None:
    """Mnemon, step 5: "After receiving this output, the LLM can evaluate candidates … via … link"."""
    engine = _opened(embedder)
    calls = Calls(engine, offered=("remember", "link"))
    first = calls.remember("Lunch in the garden is at noon").structured_content
    told = calls.remember("The garden lunch needs ten chairs").structured_content
    assert first is not None
    assert told is not None
    assert [name for name in PAGE if name not in told] == []
    # Importance 3 is 0.5, and an edge raises it by a tenth.
    assert told["edges_created"] == {"temporal": 1, "entity": 0, "causal": 0, "semantic": 0}
    assert (told["effective_importance"], told["auto_pruned"]) == (0.55, 0)
    for name in ("semantic_candidates", "causal_candidates"):
        (found,) = told[name]
        assert (found["id"], found["content"]) == (first["id"], "Lunch in the garden is at noon")
    assert told["semantic_candidates"][0]["auto_linked"] is False
    # Without the tool nothing can be done with them.
    assert "semantic_candidates" not in _told(engine, "Oil the gate")


def test_related_memories_are_shown_only_where_they_can_be_linked(embedder: str) -> None:
    engine = _opened(embedder)
    Calls(engine).remember("Lunch in the garden is at noon")
    for content, offered in (
        ("The garden lunch needs ten chairs", ("link",)),
        ("The garden lunch has a cook", ()),
    ):
        (block,) = Calls(engine, offered=("remember", *offered)).remember(content).content
        assert ("Lunch in the garden is at noon" in block.model_dump()["text"]) is bool(offered)
