"""How the MCP tools say what a preset made of the question and of the hits."""

from __future__ import annotations

import re
from typing import Any

import pytest
from mcp_types import CallToolResult

import combray
from combray.interfaces.mcp.calls import Calls
from combray.interfaces.mcp.results import result
from combray.testing.fakes import FakeClock

pytestmark = pytest.mark.parametrize("embedder", ["none", "wordllama"])


def _opened(preset: str, embedder: str) -> combray.Engine:
    return combray.open(":memory:", preset=preset, embedder=embedder, clock=FakeClock(), worker=False)


def _data(result: CallToolResult) -> dict[str, Any]:
    found: dict[str, Any] | None = result.structured_content
    assert found is not None
    return found


def _text(result: CallToolResult) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text


def test_the_intent_of_every_answer(embedder: str) -> None:
    """Mnemon: `"intent": "ENTITY"` of a retrieval result; `--intent` overrides it."""
    engine = _opened("mnemon", embedder)
    engine.remember("Redis caches the sessions", entities=["Redis"])
    calls = Calls(engine)
    assert _data(calls.recall("what is Redis"))["intent"] == "ENTITY"
    assert _data(calls.recall("what is Redis", intent="WHY"))["intent"] == "WHY"
    assert _data(calls.recall("什么时候修屋顶"))["intent"] == "WHEN"


def test_the_confidence_of_an_answer(embedder: str) -> None:
    engine = _opened("default", embedder)
    engine.remember("Redis caches the sessions of the shop")
    question = "Which sessions does Redis cache?"
    confidence = round(engine.recall(question).confidence, 3)
    calls = Calls(engine)
    assert _data(calls.recall(question))["confidence"] == confidence > 0
    assert _data(calls.recall("Who painted the ceiling of the chapel?"))["confidence"] == 0
    assert "decline an answer below a bound of your own" in (Calls.recall.__doc__ or "")


def test_resolved_dates_and_pronouns_and_the_grouped_hits(embedder: str) -> None:
    """Engram: "what did he decide?" is "what did [Alice] decide?"; "[decision] Migrate to …"."""
    engine = _opened("engram", embedder)
    engine.remember("Alice decided to migrate to microservices", category="decision", entities=["Alice"])
    answer = Calls(engine).recall("what did she decide?")
    data = _data(answer)
    assert data["resolved_query"] == "what did [Alice] decide?"
    assert data["pronouns"] == [{"phrase": "she", "resolved": "Alice", "by": "graph"}]
    assert data["grouped"] == "[decision] Alice decided to migrate to microservices"
    assert "note: read as 'what did [Alice] decide?'" in _text(answer).splitlines()
    empty = Calls(engine).recall("what happened 3 days ago")
    assert _data(empty)["resolved_query"] == "what happened 3 days ago (2024-04-28)"
    assert _text(empty).splitlines()[-1].startswith("Nothing found: nothing is dated 3 days ago (2024-04-28)")


def test_the_context_of_mnemo(embedder: str) -> None:
    """Mnemo, stage 10: "Final results are assembled with metadata for injection into the LLM context"."""
    engine = _opened("mnemo", embedder)
    engine.remember("Tom likes figs", category="preference")
    assert "[W][preference:global] Tom likes figs (2024-05-01; " in _data(Calls(engine).recall("figs"))["context"]


def test_an_uncertain_fact_is_marked(embedder: str) -> None:
    """Semantic facts: "List of Memory objects with text, confidence, timestamp"."""
    engine = _opened("semantic-facts", embedder)
    for text, confidence in (("Bob likes green tea", 0.4), ("Bob grows green tea in Uji", 0.7)):
        engine.remember(text, confidence=confidence, diff=False)
    if engine.vectors.pending():
        engine.vectors.make()
    answer = Calls(engine).search_memory("Bob green tea")
    found = {each["content"]: each["confidence"] for each in _data(answer)["results"]}
    assert found == {"Bob likes green tea": 0.4, "Bob grows green tea in Uji": 0.7}
    marked = [line for line in _text(answer).splitlines() if "confidence" in line]
    assert len(marked) == 1
    assert marked[0].endswith("Bob likes green tea <confidence 0.40>")


def test_a_full_answer_says_how_each_hit_was_found(embedder: str) -> None:
    engine = _opened("default", embedder)
    engine.remember("Redis caches the sessions of the shop")
    (via,) = {hit.via for hit in engine.recall("Which sessions does Redis cache?")}
    shown = _text(Calls(engine).recall("Which sessions does Redis cache?", full=True))
    assert re.search(rf" score \d\.\d\d\d via {via} \([a-z]+ [01]\.\d\d", shown), shown


def test_what_does_not_fit_is_counted(embedder: str) -> None:
    lines = _text(result(["x" * 1000] * 100, {})).splitlines()
    assert 0 < len(lines) < 100
    assert lines[-1].startswith(f"note: {100 - len(lines[:-1])} lines left out")


def test_control_tokens_are_disarmed_in_text_and_data(embedder: str) -> None:
    """A client may put either into the prompt."""
    engine = _opened("default", embedder)
    engine.remember("The tokenizer of the chat knows <|im_start|> and <|im_end|>.")
    for done in (Calls(engine).recall("What does the tokenizer know?"), Calls(engine).list_memories()):
        assert "The tokenizer of the chat knows" in _text(done)
        assert "The tokenizer of the chat knows" in str(done.structured_content)
        assert "<|im_" not in _text(done) + str(done.structured_content)
    # Whatever a tool returns.
    done = result(["<|im_start|>"], {"warnings": ["<|im_start|>"], "tier": {"why": "<|im_start|>"}})
    assert "<|im_" not in _text(done) + str(done.structured_content)
    assert "im_start" in _text(done)
