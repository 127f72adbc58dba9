"""The night's run: what language models answer about episodes and facts."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from msgspec import MsgspecError
from msgspec.json import encode

from bench.fuzz.drawing import Draw
from bench.fuzz.target import Run, Target
from bench.fuzz.targets.files import CLOCK
from bench.fuzz.targets.prompts import memory, remembered
from bench.fuzz.targets.texts import prefixed, sentences
from combray.consolidate.contradict import JudgeDecision
from combray.consolidate.prompt import decisions
from combray.conversation.extraction_prompt import LONGEST, UnusableError, is_supported, read
from combray.engine import Engine
from combray.engine import open as open_engine
from combray.errors import CombrayError
from combray.runtime import Filter
from combray.types import STATUSES, Memory

_DECISIONS = ("MERGE", "KEEP_BOTH", "CONTRADICTION")


class Telling:
    """Stands in for a language model: it says what it is told to say."""

    name, leaves_process = "telling", False

    def __init__(self, answer: str) -> None:
        self.answer = answer

    def complete(self, system: str, prompt: str, *, max_tokens: int = 400) -> str:
        """The answer, whatever is asked."""
        del system, prompt, max_tokens
        return self.answer


def _answers(_folder: Path) -> Run:
    """Facts and decisions of a model: nothing that is not there is believed."""

    def run(data: bytes) -> Any:
        draw = Draw(data)
        episodes = [memory(draw, number) for number in range(1 + draw.byte() % 3)]
        mode, answer = draw.byte() % 2, draw.text()
        if mode:
            decided = decisions(answer, JudgeDecision, len(episodes))
            assert set(decided) <= set(range(1, len(episodes) + 1)), "a pair that was not asked about"
            assert {each.decision for each in decided.values()} <= set(_DECISIONS), decided
            return decided
        try:
            reading = read(answer)
        except UnusableError as error:
            return str(error)
        stated = [each for each in reading.facts if each is not None]
        kept = [each.fact for each in stated if is_supported(each.fact, each.value, episodes)]
        assert all(len(each) <= LONGEST for each in kept), "a fact that is too long"
        return kept

    return run


def _seeds() -> list[bytes]:
    facts = [
        {"fact": "Ada moved to Berlin in May 2023", "subject": "Ada", "lines": [1]},
        {"fact": "Ada does not like 3 red bikes", "lines": [1, 2], "attribute": "likes", "value": "bikes"},
    ]
    decided = {"decisions": [{"pair": 1, "decision": "MERGE"}, {"pair": 2, "decision": "CONTRADICTION"}]}
    answers = [(0, facts), (0, facts[:1]), (0, []), (1, decided), (1, {"decisions": []})]
    said = ["I moved to Berlin in May 2023.", "I do not like 3 red bikes.", *(each[:200] for each in sentences())]
    made = []
    for place, one in enumerate(said[:12]):
        mode, answer = answers[place % len(answers)]
        episodes = remembered(said[0]) + remembered(one, place % 4)
        made.append(b"\x01" + episodes + bytes([mode, 0]) + encode(answer))
    return made


def _nights(_folder: Path) -> Run:
    """A few texts, a run with a model that says anything, and the run taken back: all is as it was."""

    def run(data: bytes) -> Any:
        draw = Draw(data)
        time = [CLOCK]
        kinds = [draw.pick(("fact", "episode")) for _ in range(1 + draw.byte() % 5)]
        texts = [draw.text(200) for _ in kinds]
        days, model = draw.byte(), Telling(draw.text())
        with open_engine(":memory:", embedder="none", language_model=model, clock=lambda: time[0]) as engine:
            for kind, text in zip(kinds, texts, strict=True):
                time[0] += 3600.0
                with contextlib.suppress(CombrayError):
                    engine.remember(text, diff=False, kind=kind, author="Ada", session="s")
            time[0] += 86_400.0 * days
            before = _every(engine)
            done = engine.consolidation.run()
            undone = engine.consolidation.undo(done.run_id)
            after = _every(engine)
            assert not undone.refused, undone.refused
            assert {each: after.get(each) for each in before} == before, "a run that cannot be taken back"
            return sorted(done.counts), len(after) - len(before)

    return run


def _every(engine: Engine) -> dict[str, Memory]:
    reader = engine.reader
    return {each.id: each for each in reader.memories(reader.scan(Filter(statuses=STATUSES)).tolist())}


def _night_seeds() -> list[bytes]:
    known = ["User has two cats", "User has three cats", "User likes green tea", "User does not like green tea"]
    said = [
        "I moved to Berlin in May 2023.",
        "I have three cats.",
        "我喜欢绿茶。",
        "I sold my red bike yesterday.",
    ]
    decided = {"decisions": [{"pair": 1, "decision": "MERGE"}, {"pair": 2, "decision": "CONTRADICTION"}]}
    facts = [{"fact": "Ada moved to Berlin in May 2023", "subject": "Ada", "lines": [1]}]
    made = []
    for answer in (decided, facts, []):
        for first, second in ((known, said), (said, known), (known[:2] * 2, said)):
            texts = [*first[:3], *second[:2]]
            kinds = bytes(int(text in said) for text in texts)
            made.append(b"\x04" + kinds + b"".join(map(prefixed, texts)) + b"\x09\x00" + encode(answer))
    return made


_CONSOLIDATE = ("combray.consolidate", "combray.language")
TARGETS = (
    Target(
        "statements", "a model's answers about what was said", _answers, _seeds, _CONSOLIDATE,
        (CombrayError, MsgspecError), longest=1024,
    ),
    Target(
        "night", "a run of consolidation, and taking it back", _nights, _night_seeds, _CONSOLIDATE,
        longest=1024, repeatable=False,
    ),
)  # fmt: skip
