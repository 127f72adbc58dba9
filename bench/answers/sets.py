"""Conversations with questions and their answers, of LoCoMo and LongMemEval-style files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.answers.protocols import Asked
from bench.quality import loaders
from bench.quality.sets import Collection


@dataclass(frozen=True)
class Talk:
    """One conversation, and what is asked about it."""

    collection: Collection
    questions: tuple[Asked, ...]


def read(folder: Path, names: list[str]) -> list[Talk]:
    """Return the conversations of the named sets ("locomo", "longmemeval") below a folder. Raises OSError."""
    readers = {"locomo": _locomo, "longmemeval": _longmemeval}
    files = [(name, path) for name in names for path in sorted((folder / name).glob("*.json"))]
    return [talk for name, path in files for talk in readers[name](path)]


def _entries(path: Path) -> list[dict[str, Any]]:
    data: Any = json.loads(path.read_text(encoding="utf-8"))
    return list(data.values()) if isinstance(data, dict) else data


def _locomo(path: Path) -> list[Talk]:
    talks = []
    for number, entry in enumerate(_entries(path), 1):
        (collection,) = loaders.locomo(f"locomo-{number}", [entry]).collections
        date = f"{collection.now:%d %B %Y}"
        asked = [
            Asked(
                each["question"],
                str(each.get("answer", each.get("adversarial_answer", ""))),
                loaders.LOCOMO_CATEGORIES[each["category"]],
                each["category"] != 5,
                "locomo",
                date,
            )
            for each in entry["qa"]
        ]
        talks.append(Talk(collection, tuple(asked)))
    return talks


def _longmemeval(path: Path) -> list[Talk]:
    """Files of the original set have one question an entry, others several, whose types are not known."""
    talks = []
    for number, entry in enumerate(_entries(path), 1):
        one = "question" in entry
        questions = [entry["question"]] if one else entry["questions"]
        answers = [entry["answer"]] if one else entry["answers"]
        gold = [entry["answer_session_ids"]] if one else entry["answer_session_ids"]
        whole = entry | {"questions": questions, "answer_session_ids": gold}
        (collection,) = loaders.longmemeval(f"longmemeval-{number}", [whole]).collections
        category = entry["question_type"] if one else "all"
        answerable = not str(entry.get("question_id", "")).endswith("_abs")
        date = str(entry["question_date"])
        asked = [
            Asked(text, str(answer), category, answerable, "longmemeval", date)
            for text, answer in zip(questions, answers, strict=True)
        ]
        talks.append(Talk(collection, tuple(asked)))
    return talks
