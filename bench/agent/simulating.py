"""One session of a simulated agent on a LoCoMo conversation, and what its prompts held.

The conversation is what the store knows from before. Each turn asks one of its questions; no model answers, the
reply is a fixed sentence. Hooks are processes with the command line that `combray setup` writes.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import combray
from bench.quality.sets import Collection, Question
from combray.language.indexing import normalised

TOP = 10
REPLY = "Let me think about that. (reply {number})"
_LINE = re.compile(r"^(?:\[\d+\]|-) (.*) \(([^()]*(?:\([^()]*\)[^()]*)*)\)$", re.MULTILINE)
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}[0-9a-f-]*")


@dataclass
class Session:
    """What happened in one session. Shares are 0 to 1, times in milliseconds."""

    name: str
    injected: list[float] = field(default_factory=list)
    """By turn: the share of the question's evidence in what the prompt holds so far."""
    recalled: list[float] = field(default_factory=list)
    """By turn: recall@10 of the same question, asked of the same store before the session."""
    echoes: int = 0
    lines: int = 0
    tokens: list[int] = field(default_factory=list)
    times: dict[str, list[float]] = field(default_factory=dict)
    busy: dict[str, list[float]] = field(default_factory=dict)
    """Processor time of the hook's own process."""
    captured: int = 0
    said: int = 0


def simulate(collection: Collection, turns: int, folder: Path, environment: dict[str, str]) -> Session:
    """Run one session of that many turns in an empty folder."""
    agent = _Agent(collection, folder, environment)
    asked = _spread([each for each in collection.questions if each.gold], turns)
    agent.remember(asked)
    agent.start()
    for number, question in enumerate(asked):
        agent.turn(number, question)
    agent.end()
    return agent.session


def _spread(questions: Sequence[Question], count: int) -> list[Question]:
    """That many questions, evenly from the whole list."""
    if len(questions) <= count:
        return list(questions)
    return [questions[number * len(questions) // count] for number in range(count)]


def _busy() -> float:
    """Seconds of processor time of the hooks that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class _Agent:
    def __init__(self, collection: Collection, folder: Path, environment: dict[str, str]) -> None:
        self.collection = collection
        self.session = Session(collection.name)
        self.store = folder / "agent.db"
        self.transcript = folder / "session.jsonl"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("COMBRAY_")}
        self.environment = (
            kept | {"COMBRAY_HOME": str(folder), "COMBRAY_HOOK_MILLISECONDS": "20000"} | environment
        )
        self.ids: dict[str, str] = {}
        self.seen: set[str] = set()
        self.texts: set[str] = set()

    def remember(self, asked: Sequence[Question]) -> None:
        """Fill the store; ask every question for comparison."""
        with combray.open(self.store, embedder=self.environment.get("COMBRAY_EMBEDDER"), worker=False) as engine:
            items: list[Any] = [item.fields | {"kind": "episode"} for item in self.collection.items]
            written = engine.remember_many(items, diff=False)
            self.ids = {each.id: item.ref for each, item in zip(written, self.collection.items, strict=True)}
            for question in asked:
                found = {self.ids[hit.memory.id] for hit in engine.recall(question.text, limit=TOP)}
                self.session.recalled.append(len(found & question.gold) / len(question.gold))

    def hook(self, verb: str, **fields: Any) -> str:
        """Run a hook and return the text that it adds."""
        given = {"session_id": "s", "transcript_path": str(self.transcript), "cwd": "/work", **fields}
        command = [sys.executable, "-m", "combray", "hook", verb, "--client", "claude-code"]
        start, busy = time.perf_counter(), _busy()
        done = subprocess.run(
            [*command, "--store", str(self.store)],
            input=json.dumps(given).encode(),
            capture_output=True,
            env=self.environment,
            check=True,
        )
        self.session.times.setdefault(verb, []).append((time.perf_counter() - start) * 1000)
        self.session.busy.setdefault(verb, []).append((_busy() - busy) * 1000)
        if not done.stdout:
            return ""
        return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"])

    def start(self) -> None:
        """Begin the session."""
        self._look(self.hook("session-start", source="startup"))

    def turn(self, number: int, question: Question) -> None:
        """Ask, reply, and let the hooks capture both."""
        self._look(self.hook("prompt", prompt=question.text), question.text)
        reply = REPLY.format(number=number)
        self.session.injected.append(len(self.seen & question.gold) / len(question.gold))
        self._write(number, "user", question.text)
        self._write(number, "assistant", reply)
        self.hook("stop")

    def _look(self, added: str, question: str = "") -> None:
        """Count lines, echoes and tokens of what was added."""
        from combray.language.model_tokens import estimate

        self.session.tokens.append(estimate(added))
        for text, notes in _LINE.findall(added):
            self.session.lines += 1
            same = normalised(text)
            self.session.echoes += same in self.texts or same == normalised(question)
            self.texts.add(same)
            named = _ID.search(notes)
            if named:
                self.seen |= {ref for full, ref in self.ids.items() if full.startswith(named.group())}
        if question:
            self.texts.add(normalised(question))

    def _write(self, number: int, role: str, text: str) -> None:
        self.session.said += 1
        self.texts.add(normalised(text))
        entry = {
            "type": role,
            "uuid": f"00000000-0000-4000-8000-{2 * number + (role == 'assistant'):012d}",
            "message": {"role": role, "content": text},
        }
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def end(self) -> None:
        """End the session and count what was captured."""
        self.hook("session-end", reason="exit")
        self.hook("work")
        with combray.open(self.store, embedder="none", worker=False) as engine:
            self.session.captured = engine.list({"session": "s"}).total
