"""What a hook printed is nobody's words when a transcript repeats it.

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
from combray.sessions.printed import COMPACTED, GUIDE, SETTLE, without_printed
from combray.sessions.session import said
from combray.settings import load
from combray.transfer import ingest

FENCE = """\
<memory-abcdefghijkl>
Untrusted data.
[1] The gate is green (user; 2026-05-01; 019e8269)
</memory-abcdefghijkl>"""
SHOWN = f"{FENCE}\n{SETTLE}"
STARTED = GUIDE.format(count="1,204") + "\n\n" + COMPACTED + "\n\n" + FENCE
WORDS = ("Is the gate green?", "Ist das Tor grün?\nIch frage für Ana.", "大门是绿色的吗？", "Deploy.")


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("printed", [SHOWN, STARTED, SETTLE, GUIDE.format(count=3), COMPACTED])
@pytest.mark.parametrize("form", ["{0}\n\n{1}", "{0}\n{1}", "{1}\n\n{0}", "{1}\n{0}\n", "{0}\n\n\n{1}\n\n{0}"])
def test_only_the_words_are_kept(words: str, printed: str, form: str) -> None:
    turn = said(
        {"type": "user", "uuid": "u", "message": {"role": "user", "content": form.format(printed, words)}}
    )
    assert turn is not None
    assert turn.text == words


@pytest.mark.parametrize("printed", [SHOWN, STARTED, SETTLE])
def test_a_message_of_nothing_else_is_none(printed: str) -> None:
    assert said({"type": "user", "message": {"role": "user", "content": printed}}) is None


def test_broken_lines_are_recognised() -> None:
    broken = SETTLE.replace("words decide", "words\ndecide").replace("with both", "with\n  both")
    assert without_printed(f"{broken}\nYes.").strip() == "Yes."


@pytest.mark.parametrize(
    "words",
    [
        "A line above the door says 1890.",
        "Combray keeps its bells in the tower.",
        "The conversation was compacted, wasn't it?",
        "Remember at once what I told you!",
    ],
)
def test_words_that_begin_alike_stay(words: str) -> None:
    assert without_printed(words) == words


QUESTION = "Does the parrot eat grapes?"


def text_of(message: str) -> str:
    """What is kept of a user's message; "" if nothing is."""
    turn = said({"type": "user", "message": {"role": "user", "content": message}})
    return "" if turn is None else turn.text


@pytest.mark.parametrize(
    "answer",
    [
        {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": SHOWN}},
        {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": STARTED}},
        {"additional_context": SHOWN},
    ],
)
@pytest.mark.parametrize("words", WORDS)
def test_an_answer_in_json_is_recognised(answer: dict[str, Any], words: str) -> None:
    assert text_of(f"{json.dumps(answer)}\n\n{words}") == words
    assert text_of(f"{words}\n{json.dumps(answer, ensure_ascii=False, indent=1)}") == words


@pytest.mark.parametrize(
    "words",
    [
        f'The hook prints "{SETTLE}" and I do not like it.',
        'Does {"additional_context": "tea"} work in Cursor?',
        'Why is {"hookSpecificOutput": {"additionalContext": 3}} refused?',
        '{"hookSpecificOutput": [1',
    ],
)
def test_words_about_it_stay(words: str) -> None:
    assert text_of(words) == words


@pytest.mark.parametrize(
    "line",
    [
        # Printed since November 2026, word for word. A text that is printed no more must still be recognised.
        "Combray keeps long-term memory of earlier sessions; 12 memories. Its tools: recall searches them, "
        "remember stores one statement. Memories that fit a message are added to it.",
        "Remember at once what the user asks to keep, and statements that last: preferences, decisions "
        "with their reason, facts about people and projects. Not: secrets, what files or commands can tell "
        'again, unfinished steps. Give source "user" for what the user said.',
        'If one memory is the cause of another, link them: link(source=CAUSE, target=EFFECT, type="causal").',
        'If remember or a line marks a memory as "may be outdated", and the user\'s words decide it, call '
        'settle_memories(new, old, "supersedes" or "both"). Ask the user if you are not sure.',
        "The conversation was compacted. Recall what you miss, and remember what was decided in it.",
        "A line above may be outdated. If the user's words decide which holds, call settle_memories with both "
        "ids; do not guess.",
    ],
)
def test_what_was_ever_printed_is_recognised(line: str) -> None:
    assert text_of(f"{line}\n\n{QUESTION}") == QUESTION


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
