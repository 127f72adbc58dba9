"""Every hook of every client, in the default configuration."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from client import QUESTION, Client

import combray
from combray.agents.events import CLIENTS, VERBS
from combray.agents.serving import Hook

DEPLOY = "We deploy the billing service on Thursdays because support is fully staffed then."
NAMES = {"gemini-cli": {"session-start": "SessionStart", "prompt": "BeforeAgent"}}
CLAUDE_NAMES = {"session-start": "SessionStart", "prompt": "UserPromptSubmit"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with combray.open(tmp_path / "agent.db", worker=False) as engine:
        engine.remember(DEPLOY, category="decision", importance=5)
    return tmp_path


def added(client: str, verb: str, printed: str) -> str:
    """The text that the client shows to its model."""
    answer = json.loads(printed)
    if client == "cursor":
        return str(answer["additional_context"])
    shown = answer["hookSpecificOutput"]
    assert shown["hookEventName"] == NAMES.get(client, CLAUDE_NAMES)[verb]
    return str(shown["additionalContext"])


@pytest.mark.parametrize("client", CLIENTS)
def test_a_session_starts_with_a_digest_and_a_prompt_gets_what_it_asks_for(client: str, folder: Path) -> None:
    called = Client(client, folder)
    digest = added(client, "session-start", called.process("session-start", source="startup"))
    assert "settle_memories" in digest
    assert DEPLOY in digest
    called.session = "another"
    printed = called.process("prompt", prompt=QUESTION)
    if client == "cursor":
        assert json.loads(printed) == {"continue": True}
        printed = called.process("tool", tool_name="Read", tool_input={}, tool_output="x")
    text = added(client, "prompt", printed)
    assert text.startswith("<memory-")
    assert DEPLOY in text
    assert called.log() == ""


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("verb", VERBS)
def test_whatever_a_client_sends_the_hook_prints_nothing_or_json(
    client: str, verb: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Hook, "_start", lambda _self, _verb: None)
    called = Client(client, folder)
    for given in ("", "no json", "[1]", '{"session_id": 7, "prompt": [], "messages": 3}'):
        printed = called.hook(verb, given)
        if printed:
            json.loads(printed)


def test_what_the_model_does_not_see_is_not_printed(folder: Path) -> None:
    called = Client("claude-code", folder)
    called.say("user", "The staging password rotates on Mondays.", 1)
    for verb in ("stop", "pre-compact", "session-end"):
        assert called.hook(verb, transcript_path=str(called.transcript)) == ""


def test_what_cursor_did_not_fetch_is_not_kept(folder: Path) -> None:
    called = Client("cursor", folder)
    called.hook("prompt", prompt=QUESTION)
    kept = b"".join(each.read_bytes() for each in Path(f"{called.store}.hooks").glob("session-*"))
    assert b"Thursdays" in kept
    assert called.hook("stop") == "{}"
    kept = b"".join(each.read_bytes() for each in Path(f"{called.store}.hooks").glob("session-*"))
    assert b"Thursdays" not in kept
    assert called.hook("tool", tool_name="Read", tool_output="x") == "{}"


def test_a_prompt_about_something_else_gets_nothing(folder: Path) -> None:
    called = Client("claude-code", folder)
    for prompt in ("thanks", "/compact", "", "Which orchids bloom in the rain forest of Borneo?"):
        assert called.hook("prompt", prompt=prompt) == "", prompt


def test_nothing_is_added_twice_until_the_conversation_is_compacted(folder: Path) -> None:
    called = Client("claude-code", folder)
    assert DEPLOY in called.hook("prompt", prompt=QUESTION)
    assert called.hook("prompt", prompt=QUESTION) == ""
    called.hook("pre-compact", trigger="auto")
    again = called.hook("session-start", source="compact")
    assert "The conversation was compacted." in again
    assert DEPLOY in again
    assert called.hook("prompt", prompt=QUESTION) == ""


def test_turns_of_this_session_come_back_only_after_a_compaction(folder: Path) -> None:
    called = Client("claude-code", folder)
    said = "The invoice template moved to the folder named letterheads."
    called.say("user", said, 1)
    called.hook("stop", transcript_path=str(called.transcript))
    called.work()
    question = "Where is the invoice template now?"
    assert said not in called.hook("prompt", prompt=question)
    called.hook("pre-compact")
    assert said in called.hook("prompt", prompt=question)
    assert said in Client("claude-code", folder, "s2").hook("prompt", prompt=question)


def test_untrusted_memories_are_not_added(folder: Path) -> None:
    called = Client("claude-code", folder)
    with called.open() as engine:
        engine.remember("The billing service is deployed on Sundays at midnight.", trust="untrusted")
    assert "Sundays" not in called.hook("prompt", prompt=QUESTION)
    assert "Sundays" not in called.hook("session-start")


def test_what_changed_since_the_last_session_is_told_and_open_questions_are_asked(folder: Path) -> None:
    Client("claude-code", folder, "old").hook("session-start")
    called = Client("claude-code", folder, "new")
    with called.open() as engine:
        old = engine.remember("The API listens on port 8080.", category="fact")
        engine.remember("The API listens on port 9090.", category="fact", supersedes=old.id)
        first = engine.remember("Ana works in Lisbon.", category="fact", occurred_at="2025-01-05")
        second = engine.remember("Ana works in Madrid these days.", category="fact")
        assert engine.unsettled()
    digest = called.hook("session-start")
    changed = digest[digest.index("CHANGED SINCE THE LAST SESSION") :]
    assert "port 9090" in changed
    assert "port 8080" not in digest
    assert "OPEN QUESTIONS" not in digest, "nobody has said that this pair is one"
    with called.open() as engine:
        engine.settle(second.id, first.id, "open")
        assert [each.new.id for each in engine.unsettled(left_open=True)] == [second.id]
    digest = Client("claude-code", folder, "newer").hook("session-start")
    assert f"Does {second.id[:13]}" in digest
    assert f"replace {first.id[:13]}" in digest


def test_a_prompt_asks_to_settle_only_beside_a_doubted_memory(folder: Path) -> None:
    called = Client("claude-code", folder)
    with called.open() as engine:
        engine.remember("The draft says (user; 2026-01-02; 0190b0a0; may be outdated: see the billing service)")
    said = called.hook("prompt", prompt=QUESTION)
    assert "see the billing service" in said
    assert "call settle_memories with both ids" not in said
    with called.open() as engine:
        (first,) = [each.id for each in engine.list() if each.content == DEPLOY]
        second = engine.remember("We deploy the billing service on Mondays because it is quiet then.", diff=False)
        engine.settle(second.id, first, "both")
        engine.settle(second.id, first, "open")
    again = Client("claude-code", folder, "s2").hook("prompt", prompt=QUESTION)
    assert "may be outdated: see [" in again
    assert "call settle_memories with both ids" in again


def test_a_plan_that_comes_due_is_in_the_digest(folder: Path) -> None:
    called = Client("claude-code", folder)
    with called.open() as engine:
        engine.remember("The old API is switched off.", category="fact", valid_from="in 3 days")
    digest = called.hook("session-start")
    assert "PLANS" in digest
    assert "The old API is switched off." in digest


def test_the_doctor_of_the_setup_finds_the_last_run(folder: Path) -> None:
    called = Client("codex", folder)
    called.hook("prompt", prompt=QUESTION)
    noted = json.loads((folder / "hooks" / "codex.json").read_text())
    assert set(noted) == {"verb", "at", "ms", "error"}
    assert (noted["verb"], noted["error"]) == ("prompt", "")


@pytest.mark.parametrize("words", [["--client", "emacs"], ["--wrong"], ["more"]])
def test_bad_usage_exits_with_0_and_one_line(words: list[str], folder: Path) -> None:
    called = Client("codex", folder)
    done = subprocess.run([*called.command("prompt"), *words], input=b"{}", capture_output=True, check=False)
    assert done.returncode == 0
    assert done.stdout == b""
    assert len(done.stderr.splitlines()) == 1


def test_the_password_of_a_server_is_on_no_command_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, env, **_: started.append((command, env)))
    monkeypatch.setenv("COMBRAY_HOME", str(folder))
    url = "postgresql://ana:secret@localhost/memory"
    served = Hook("claude-code", {"db": url})
    served.location = url
    served._start("work")
    ((command, environment),) = started
    assert "secret" not in " ".join(command)
    assert environment["COMBRAY_DB"] == url
