"""What the answering model is shown: memories, their sessions, the whole conversation, or files with grep."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import groupby

from bench.answers.protocols import Asked, Prompts
from bench.quality.sets import Collection, Item
from bench.quality.systems import Combray
from combray.engine import Engine
from combray.language.model_tokens import estimate
from combray.runtime import LanguageModel

ARMS = ("think", "recall", "sessions", "whole", "grep")
_STEPS = 8
"""Calls that the arm `grep` may make for one question."""
_LINES = 40
"""Lines that one search shows."""
_TOOLS = """\
A conversation is stored in text files, one a session. Answer with one line of JSON:
{"grep": "REGULAR EXPRESSION"} shows the lines that match in all files, in whatever case;
{"read": "FILE"} shows one file; {"answer": "TEXT"} answers and ends."""
_REQUEST = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(frozen=True)
class Said:
    """An answer. `known` is False if the arm itself says that there is none."""

    text: str
    known: bool = True


@dataclass(frozen=True)
class Setting:
    """What every arm of a run has."""

    model: LanguageModel | None
    prompts: Prompts
    preset: str
    embedder: str
    limit: int
    budget: int
    most_tokens: int = 512


class Reading:
    """One conversation, ready to be asked in an arm."""

    def __init__(self, arm: str, collection: Collection, setting: Setting) -> None:
        self._collection, self._setting = collection, setting
        self._engine: Engine | None = None
        if arm in ("think", "recall", "sessions"):
            filled = Combray(setting.preset, setting.embedder).fill(collection).engine
            runtime = replace(filled.runtime, language_model=setting.model)
            self._engine = Engine(runtime, filled.namespace, filled._at.preset, filled.settings)
        self.ask: Callable[[Asked], Said] = getattr(self, f"_{arm}")

    def close(self) -> None:
        """Close the engine, if the arm has one."""
        if self._engine is not None:
            self._engine.close()

    def _think(self, asked: Asked) -> Said:
        assert self._engine is not None
        thought = self._engine.think(asked.text, limit=self._setting.limit)
        return Said(thought.answer, thought.known)

    def _recall(self, asked: Asked) -> Said:
        refs = self._found(asked)
        items = [each for each in self._collection.items if each.ref in refs]
        return self._from(asked, items)

    def _sessions(self, asked: Asked) -> Said:
        """Show the whole session of each hit, best first, as far as they fit in the budget."""
        left = self._setting.budget
        shown: set[str | None] = set()
        session_of = {each.ref: each.session for each in self._collection.items}
        for session in dict.fromkeys(session_of[ref] for ref in self._found(asked)):
            part = _written(each for each in self._collection.items if each.session == session)
            left -= estimate(part)
            if left < 0 and shown:
                break
            shown.add(session)
        return self._from(asked, [each for each in self._collection.items if each.session in shown])

    def _whole(self, asked: Asked) -> Said:
        return self._from(asked, self._collection.items)

    def _grep(self, asked: Asked) -> Said:
        """Let the model search the sessions as files, as an agent without a memory does."""
        model = self._model()
        files = {
            f"{number:03d}.txt": _written(some).strip()
            for number, (_, some) in enumerate(groupby(self._collection.items, key=lambda each: each.session), 1)
        }
        seen = f"Files: {', '.join(files)}\n"
        for step in range(_STEPS):
            last = "\nThis is the last step: answer." if step == _STEPS - 1 else ""
            prompt = asked.answering(self._setting.prompts, seen)
            request = _request(model.complete(_TOOLS, prompt + last, max_tokens=self._setting.most_tokens))
            if "answer" in request:
                return Said(request["answer"])
            seen += f"\n> {json.dumps(request)}\n{_looked_up(files, request)}\n"
        return Said("", known=False)

    def _found(self, asked: Asked) -> list[str]:
        assert self._engine is not None
        answer = self._engine.recall(asked.text, limit=self._setting.limit)
        return [str(hit.memory.metadata["ref"]) for hit in answer]

    def _from(self, asked: Asked, items: Iterable[Item]) -> Said:
        prompt = asked.answering(self._setting.prompts, _written(items))
        return Said(self._model().complete("", prompt, max_tokens=self._setting.most_tokens))

    def _model(self) -> LanguageModel:
        assert self._setting.model is not None
        return self._setting.model


def _written(items: Iterable[Item]) -> str:
    """Return turns in order, each session under its date."""
    parts = []
    for (session, at), some in groupby(items, key=lambda each: (each.session, each.occurred_at)):
        date = f"{at:%d %B %Y, %H:%M}" if at else "no date"
        turns = (f"{each.author or 'someone'}: {each.shown}" for each in some)
        parts.append("\n".join([f"### {session} ({date})", *turns]))
    return "\n\n".join(parts)


def _request(said: str) -> dict[str, str]:
    """Return what the model asks for. A text that is no request is its answer."""
    found = _REQUEST.search(said)
    try:
        request = json.loads(found[0]) if found else {}
    except ValueError:
        request = {}
    names = ("grep", "read", "answer") if isinstance(request, dict) else ()
    known = {name: str(request[name]) for name in names if name in request}
    return known or {"answer": said}


def _looked_up(files: dict[str, str], request: dict[str, str]) -> str:
    if "read" in request:
        return files.get(request["read"], "There is no such file.")
    try:
        pattern = re.compile(request["grep"], re.IGNORECASE)
    except re.error as error:
        return f"The expression is not valid: {error}."
    every = ((name, line) for name, text in files.items() for line in text.splitlines())
    lines = [f"{name}: {line}" for name, line in every if pattern.search(line)]
    more = [f"… {len(lines) - _LINES} more lines"] if len(lines) > _LINES else []
    return "\n".join([*lines[:_LINES], *more]) or "Nothing matches."
