"""The turns around a turn count for it in openclaw, engram and semantic-facts, with and without an embedder."""

from __future__ import annotations

import pytest
from exact import opened

from combray.testing.fakes import FakeClock

PRESETS = ("openclaw", "engram", "semantic-facts")
EMBEDDERS = ("none", "wordllama")
TALK = (
    ("Ana", "The bakery on the corner has closed for the summer"),
    ("Ben", "Pity, I liked their rye bread"),
    ("Ana", "Which instrument do you practise these days?"),
    ("Ben", "Still mostly cello, since my aunt gave me hers"),
    ("Ana", "Lovely. I have to leave for the train now"),
    ("Ben", "See you on Sunday then"),
)
OTHERS = (
    ("Ana", "My cousin was on the radio with his orchestra"),
    ("Ben", "Music runs in your family"),
)


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("preset", PRESETS)
def test_an_answer_is_found_by_the_words_of_its_question(preset: str, embedder: str) -> None:
    """The answer shares no word with the query; the turn before it asks for both of its words."""
    engine = opened(FakeClock(), embedder, preset)
    for session, talk in (("s1", TALK), ("s2", OTHERS)):
        engine.remember_many(
            [{"content": text, "author": who, "session": session, "kind": "episode"} for who, text in talk]
        )
    if embedder != "none":
        engine.vectors.make()
    found = [hit.memory.content for hit in engine.recall("Which instrument does Ben practise?", limit=2)]
    assert found == [TALK[2][1], TALK[3][1]]


@pytest.mark.parametrize("preset", PRESETS)
def test_no_context_crosses_sessions(preset: str) -> None:
    """Turns of different sessions are no neighbours, and memories without a session have none."""
    engine = opened(FakeClock(), "none", preset)
    engine.remember("Which instrument do you practise?", session="a", kind="episode")
    engine.remember("Mostly cello", session="b", kind="episode")
    engine.remember("Only the harp")
    found = [hit.memory.content for hit in engine.recall("instrument practise")]
    assert found == ["Which instrument do you practise?"]
