"""Everything that a hook prints is recognised when it comes back in a transcript: nobody said it.

Sources: vectorize-io/hindsight#360, rtk-ai/icm#312.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import combray
from combray.agents.answers import Answers
from combray.agents.beside import Beside, folder_of
from combray.agents.events import CLIENTS, read_event, written
from combray.agents.turns import from_messages
from combray.language.printed import COMPACTED, GUIDE, SETTLE, without_printed
from combray.language.savings import worth_saving
from combray.prompt.fence import fenced
from combray.sessions.session import said
from combray.settings import load
from combray.transfer import ingest

QUESTION = "Does the parrot eat grapes?"
PRINTED_BEFORE = (
    # Version of November 2026, word for word. A line that is printed no more must still be recognised.
    "Combray keeps long-term memory of earlier sessions; 12 memories. Its tools: recall searches them, remember "
    "stores one statement. Memories that fit a message are added to it.",
    "Remember at once what the user asks to keep, and statements that last: preferences, decisions with their "
    "reason, facts about people and projects. Not: secrets, what files or commands can tell again, unfinished "
    'steps. Give source "user" for what the user said.',
    'If one memory is the cause of another, link them: link(source=CAUSE, target=EFFECT, type="causal").',
    'If remember or a line marks a memory as "may be outdated", and the user\'s words decide it, call '
    'settle_memories(new, old, "supersedes" or "both"). Ask the user if you are not sure.',
    "The conversation was compacted. Recall what you miss, and remember what was decided in it.",
    "A line above may be outdated. If the user's words decide which holds, call settle_memories with both ids; "
    "do not guess.",
)
START = "\n".join(GUIDE).format(count=7)
MEMORIES = fenced("MEMORIES\n[1] The parrot eats grapes. (user; 2026-11-20; 0192a)")


def text_of(message: str, role: str = "user") -> str:
    """What is kept of a message of a transcript; "" if nothing is."""
    turn = said({"type": role, "message": {"role": role, "content": message}})
    return "" if turn is None else turn.text


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (f"{MEMORIES}\n{SETTLE}\n\n{QUESTION}", QUESTION),
        (f"{MEMORIES}\r\n{SETTLE}\r\n\r\n{QUESTION}", QUESTION),
        (f"{QUESTION}\n\n{MEMORIES}\n{SETTLE}", QUESTION),
        (f"{START}\n\n{COMPACTED}\n\n{MEMORIES}\n\nMange-t-il du raisin ?", "Mange-t-il du raisin ?"),
        (f"{START}\n\n它吃葡萄吗？", "它吃葡萄吗？"),
        (f"{SETTLE} {QUESTION}", QUESTION),
        ("\n".join(SETTLE.rsplit("; ", 1)).replace("both ids\n", "both ids;\n") + f"\n\n{QUESTION}", QUESTION),
        (f"{COMPACTED}\n\nWeiter mit dem Käfig.", "Weiter mit dem Käfig."),
        (f"{START}\n\n{MEMORIES}", ""),
        (f"<relevant-memories>\n[C][fact:global] a (2026-11-20; 1)\n</relevant-memories>\n{QUESTION}", QUESTION),
        (json.dumps({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit",
                                            "additionalContext": f"{MEMORIES}\n{SETTLE}"}})
         + f"\n\n{QUESTION}", QUESTION),
        (json.dumps({"additional_context": MEMORIES}) + f"\n\n{QUESTION}", QUESTION),
    ],
)  # fmt: skip
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_what_was_printed_is_not_said(message: str, kept: str, role: str) -> None:
    assert text_of(message, role) == kept


@pytest.mark.parametrize(
    "message",
    [
        'Where is the text "A line above may be outdated." printed?',
        f'The hook prints "{SETTLE}" and I do not like it.',
        'Does {"additional_context": "tea"} work in Cursor?',
        'Why is {"hookSpecificOutput": {"additionalContext": 3}} refused?',
        '{"hookSpecificOutput": [1',
        "The conversation was compacted twice today.",
        "Combray keeps long-term memory, I hear.",
    ],
)
def test_words_about_it_are_said(message: str) -> None:
    assert text_of(message) == message


@pytest.mark.parametrize("line", PRINTED_BEFORE)
def test_what_earlier_versions_printed_is_recognised(line: str) -> None:
    assert without_printed(f"{line}\n\n{QUESTION}") == QUESTION


def test_nothing_of_it_becomes_a_fact() -> None:
    assert worth_saving(f"{SETTLE}\nI live in Ghent.") == []


@pytest.fixture
def answers(tmp_path: Path) -> Answers:
    """A store with memories, one of which may be outdated."""
    location = str(tmp_path / "a.db")
    with combray.open(location, embedder="none", worker=False) as engine:
        for text in ("The parrot eats grapes.", "The parrot no longer eats grapes."):
            engine.remember(text, importance=5)
    settings = load({"db": location, "embedder": "none"})
    return Answers(location, settings, Beside(folder_of(location), settings.namespace))


def printed(answers: Answers, client: str, verb: str, **fields: Any) -> tuple[str, str]:
    """The text for the model, and what the hook prints so that the client shows it."""
    event = read_event(verb, client, json.dumps({"session_id": "s", "prompt": QUESTION, **fields}))
    text = answers.answer(event)
    return text, written(event, text)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    ("verb", "source"), [("prompt", ""), ("session-start", "startup"), ("session-start", "compact")]
)
def test_whatever_a_hook_prints_is_recognised(answers: Answers, client: str, verb: str, source: str) -> None:
    """A text that a hook prints and that is not declared fails here."""
    text, output = printed(answers, client, verb, source=source)
    assert "parrot" in text
    assert (SETTLE in text) == (verb == "prompt")
    for shown in (text, output if client != "cursor" or verb != "prompt" else ""):
        assert text_of(f"{shown}\n\n{QUESTION}") == QUESTION
        assert [each.text for each in from_messages([{"role": "user", "content": f"{shown}\n\nHm."}])] == ["Hm."]


def test_a_transcript_that_holds_it_is_ingested_without(answers: Answers, tmp_path: Path) -> None:
    text, _ = printed(answers, "claude-code", "prompt")
    rows = [
        {"type": "user", "uuid": "5f0c1d2e-0000-4000-8000-000000000001", "sessionId": "t",
         "timestamp": "2026-11-20T10:00:00Z", "message": {"role": "user", "content": f"{text}\n\n{QUESTION}"}},
        {"type": "user", "uuid": "5f0c1d2e-0000-4000-8000-000000000002", "sessionId": "t",
         "timestamp": "2026-11-20T10:01:00Z", "message": {"role": "user", "content": text}},
    ]  # fmt: skip
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    with combray.open(":memory:", embedder="none", worker=False) as engine:
        ingest(engine, path)
        assert [each.content for each in engine.list()] == [QUESTION]
