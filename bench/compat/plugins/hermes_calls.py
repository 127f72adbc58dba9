"""The calls that Hermes Agent's `MemoryManager` makes to a provider. The package has no tests to inherit.

https://hermes-agent.nousresearch.com/docs/developer-guide/memory-provider-plugin
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from agent.memory_manager import MemoryManager

import combray
from combray.integrations import hermes
from combray.integrations.hermes import CombrayMemoryProvider


@pytest.fixture
def engine() -> Iterator[combray.Engine]:
    with combray.open(":memory:") as opened:
        yield opened


def provider(engine: combray.Engine, session: str = "s1", **options: Any) -> CombrayMemoryProvider:
    made = CombrayMemoryProvider(engine)
    made.initialize(session, hermes_home="unused", platform="cli", **options)
    return made


def turns(engine: combray.Engine) -> list[tuple[str, str | None, str | None]]:
    return [(each.content, each.author, each.session) for each in engine.list(order="recorded_at")]


def test_the_manager_stores_a_turn_and_recalls_it(engine: combray.Engine) -> None:
    manager = MemoryManager()
    manager.add_provider(CombrayMemoryProvider(engine))
    manager.initialize_all("s1", hermes_home="unused", platform="cli")
    manager.sync_all("The billing service moved to PostgreSQL.", "Noted.", session_id="s1")
    assert manager.flush_pending(30)
    assert "PostgreSQL" in manager.prefetch_all("Which database does billing use?", session_id="s1")
    assert "combray_recall" in manager.build_system_prompt()
    assert manager.has_tool("combray_recall")
    said = manager.handle_tool_call("combray_recall", {"query": "Which database does billing use?"})
    assert "PostgreSQL" in json.loads(said)["result"]
    manager.shutdown_all()
    assert turns(engine) == [
        ("The billing service moved to PostgreSQL.", "user", "s1"),
        ("Noted.", "assistant", "s1"),
    ]


def test_neither_a_turn_nor_recall_waits_for_a_store_that_is_busy(
    engine: combray.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hermes, "_WAIT", 0.01)
    made, free = provider(engine), threading.Event()
    made._worker().submit(free.wait)
    made.sync_turn("The code of the door is tulip.", "Noted.")
    assert made.prefetch("What is the code of the door?") == ""
    assert not turns(engine)
    free.set()
    monkeypatch.setattr(hermes, "_WAIT", 30)
    assert "tulip" in made.prefetch("What is the code of the door?")
    made.shutdown()


def test_shutdown_stores_what_is_queued_and_the_provider_can_start_again(engine: combray.Engine) -> None:
    made = provider(engine)
    for number in range(20):
        made.sync_turn(f"Locker {number} is mine.", "")
    made.shutdown()
    assert [text for text, _, _ in turns(engine)] == [f"Locker {number} is mine." for number in range(20)]
    made.initialize("s2", hermes_home="unused", platform="cli")
    made.sync_turn("Locker 20 is mine.", "")
    made.shutdown()
    assert turns(engine)[-1] == ("Locker 20 is mine.", "user", "s2")


def test_a_turn_that_cannot_be_stored_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    engine = combray.open(":memory:")
    made = provider(engine)
    engine.close()
    with caplog.at_level(logging.WARNING):
        made.sync_turn("Hello.", "Hi.")
        made.shutdown()
    assert "A turn was not stored" in caplog.text


def test_users_of_a_gateway_are_kept_apart(engine: combray.Engine) -> None:
    ana, ben = provider(engine, user_id="ana/1"), provider(engine, user_id="ben")
    ana.sync_turn("The code of the door is tulip.", "")
    ana.shutdown()
    assert "tulip" in ana.prefetch("What is the code of the door?")
    assert ben.prefetch("What is the code of the door?") == ""


@pytest.mark.parametrize("context", ["subagent", "cron", "flush"])
def test_only_the_primary_agent_writes(engine: combray.Engine, context: str) -> None:
    made = provider(engine, agent_context=context)
    made.sync_turn("The code of the door is tulip.", "Noted.")
    assert "error" in json.loads(made.handle_tool_call("combray_remember", {"text": "The door is red."}))
    made.shutdown()
    assert not turns(engine)


def test_a_session_switch_moves_later_turns(engine: combray.Engine) -> None:
    made = provider(engine)
    made.sync_turn("First.", "")
    made.on_session_switch("s2", parent_session_id="s1", reset=True)
    made.sync_turn("Second.", "")
    made.shutdown()
    assert turns(engine) == [("First.", "user", "s1"), ("Second.", "user", "s2")]


def test_tools_are_declared_as_functions_and_return_json(engine: combray.Engine) -> None:
    made = provider(engine)
    for schema in made.get_tool_schemas():
        assert set(schema) == {"name", "description", "parameters"}
        assert json.loads(made.handle_tool_call(schema["name"], {"wrong": 1})).keys() == {"error"}
    done = json.loads(made.handle_tool_call("combray_remember", {"text": "Ana owns billing."}))["result"]
    assert made.handle_tool_call("combray_forget", {"memory_id": done.split()[1]}).startswith(
        '{"result": "forgotten'
    )
    assert "error" in json.loads(made.handle_tool_call("unknown", {}))
