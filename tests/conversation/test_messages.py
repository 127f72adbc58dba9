"""Messages of a chat, with role and content, wherever texts are stored."""

from __future__ import annotations

from typing import Any

import pytest

import combray
from combray.errors import InvalidInputError

MESSAGES: list[Any] = [
    {"role": "system", "content": "You are helpful."},
    {"role": "user", "content": "My sister Ana moved to Lisbon."},
    {"role": "assistant", "content": [{"type": "text", "text": "How does she like it?"}, {"type": "image"}]},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "call_1"}]},
    {"role": "tool", "content": "19 degrees", "tool_call_id": "call_1", "id": "msg_7"},
    {"role": "user", "name": "kim", "content": "She loves it.", "occurred_at": "2026-03-01T09:00:00Z"},
]


def test_a_conversation_takes_messages() -> None:
    with combray.open(":memory:", embedder="none") as engine:
        talk = engine.conversation("s1")
        stored = talk.add_many(MESSAGES, extract="off")
        assert [(each.author, each.content, each.trust) for each in stored] == [
            ("user", "My sister Ana moved to Lisbon.", "owner"),
            ("assistant", "How does she like it?", "agent"),
            ("tool", "19 degrees", "untrusted"),
            ("kim", "She loves it.", "owner"),
        ]
        assert [each.position for each in stored] == [0, 1, 2, 3]
        assert stored[2].metadata == {"id": "msg_7", "role": "tool"}
        assert str(stored[3].occurred_from) == "2026-03-01 09:00:00+00:00"
        assert talk.refused == {}


def test_refused_messages_keep_their_place() -> None:
    with combray.open(":memory:", embedder="none") as engine:
        talk = engine.conversation("s1")
        assert talk.add_many([MESSAGES[0], {"role": "user", "content": 5}, MESSAGES[1]])[0].author == "user"
        assert list(talk.refused) == [1]


def test_remember_many_takes_messages() -> None:
    with combray.open(":memory:", embedder="none") as engine:
        both = [MESSAGES[1], {**MESSAGES[2], "importance": 5}, "a plain text"]
        ids = [each.id for each in engine.remember_many(both)]
        found = [engine.get(each) for each in ids]
        assert [each.author for each in found] == ["user", "assistant", None]
        assert found[1].importance == 5


def test_a_prompt_is_refused_by_remember_many() -> None:
    with combray.open(":memory:", embedder="none") as engine:
        found = engine.remember_many(MESSAGES[:2])
        assert [each.action for each in found] == ["refused", "added"]
        assert "Prompts are not stored" in found[0].reason
        with pytest.raises(InvalidInputError, match="role"):
            engine.remember_many(MESSAGES[:2], atomic=True)


@pytest.mark.parametrize("name", ["user_id", "agent_id", "run_id"])
def test_the_ids_of_other_libraries_are_answered_with_the_page(name: str) -> None:
    given: dict[str, Any] = {name: "ann"}
    with combray.open(":memory:", embedder="none") as engine:
        for call in (lambda: engine.remember("tea", **given), lambda: engine.recall("tea", **given)):
            with pytest.raises(InvalidInputError, match=r"docs/howto/many-users\.md"):
                call()
