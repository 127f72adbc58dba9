"""Reads LoCoMo, LongMemEval-style and plain JSONL files. The format is told from the content, not the name.

Plain JSONL, one object a line:
`{"type": "document", "id", "text", "author"?, "session"?, "at"?, "context"?, "collection"?}`
`{"type": "query", "text", "gold": [ids], "category"?, "collection"?}`; without gold it is unanswerable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.quality.sets import Collection, Item, Question, QuestionSet
from combray.language.tokens import term_set

LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_EVIDENCE = re.compile(r"D(\d+):(\d+)")
_MOST_DERIVED = 3


class FormatError(ValueError):
    """A file that is no question set; the message says what was expected."""


def load(name: str, path: Path, *, turns: bool = False) -> QuestionSet:
    """The set in a file; `turns` derives turn-level gold for LongMemEval-style files.

    Raises FormatError for unknown or broken content, OSError if it cannot be read.
    """
    text = path.read_text(encoding="utf-8")
    try:
        if path.suffix == ".jsonl":
            return jsonl(name, [json.loads(line) for line in text.splitlines() if line.strip()])
        data = json.loads(text)
        data = list(data.values()) if isinstance(data, dict) else data
        known: dict[str, Callable[[str, list[dict[str, Any]]], QuestionSet]] = {
            "conversation": locomo,
            "haystack_sessions": longmemeval_turns if turns else longmemeval,
        }
        for key, reader in known.items():
            if isinstance(data, list) and data and key in data[0]:
                return reader(name, data)
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{path}: broken content ({type(error).__name__}: {error})") from error
    raise FormatError(f"{path}: neither LoCoMo, nor LongMemEval-style, nor plain .jsonl")


def evidence_refs(evidence: Iterable[str]) -> list[str]:
    """Turn ids in LoCoMo evidence: "D8:6; D9:17" holds two, "D:11:26" none, "D30:05" is "D30:5"."""
    found = [match for text in evidence for match in _EVIDENCE.findall(text)]
    return [f"D{int(session)}:{int(turn)}" for session, turn in found]


def _locomo_moment(text: str) -> datetime:
    """A LoCoMo session date such as "1:56 pm on 8 May, 2023"."""
    return datetime.strptime(text.upper(), "%I:%M %p ON %d %B, %Y").replace(tzinfo=UTC)


def locomo(name: str, data: list[dict[str, Any]]) -> QuestionSet:
    """Each conversation a collection, each turn an item; category 5 is unanswerable."""
    return QuestionSet(name, tuple(_locomo_conversation(f"{name}-{n}", each) for n, each in enumerate(data, 1)))


def _locomo_conversation(name: str, entry: dict[str, Any]) -> Collection:
    conversation = entry["conversation"]
    sessions = sorted(
        (key for key in conversation if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:])
    )
    items = tuple(
        Item(
            ref=turn["dia_id"],
            text=turn["text"],
            author=turn["speaker"],
            session=session,
            occurred_at=_locomo_moment(conversation[f"{session}_date_time"]),
            context=turn.get("blip_caption") or "",
        )
        for session in sessions
        for turn in conversation[session]
    )
    known = {item.ref for item in items}
    questions = tuple(
        Question(
            text=each["question"],
            gold=frozenset(evidence_refs(each["evidence"])) & known,
            category=LOCOMO_CATEGORIES[each["category"]],
            answerable=each["category"] != 5,
        )
        for each in entry["qa"]
    )
    return Collection(name, items, questions)


def longmemeval(name: str, data: list[dict[str, Any]]) -> QuestionSet:
    """Each history a collection, each turn an item, gold the sessions that hold the answer."""
    return QuestionSet(name, tuple(_history(f"{name}-{n}", each) for n, each in enumerate(data, 1)))


def _history(name: str, entry: dict[str, Any]) -> Collection:
    items: list[Item] = []
    described = zip(
        entry["haystack_sessions"], entry["haystack_dates"], entry["haystack_session_ids"], strict=True
    )
    for number, (turns, date, session) in enumerate(described):
        moment = datetime.strptime(re.sub(r" \(\w+\)", "", date), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
        items += [
            Item(f"{number}:{place}", turn["content"], turn["role"], session, moment)
            for place, turn in enumerate(turns)
            if turn["content"].strip()
        ]
    questions = tuple(
        Question(text, frozenset(gold))
        for text, gold in zip(entry["questions"], entry["answer_session_ids"], strict=True)
    )
    return Collection(name, tuple(items), questions, unit="session")


def longmemeval_turns(name: str, data: list[dict[str, Any]]) -> QuestionSet:
    """LongMemEval-style histories with gold at turn level, derived.

    Gold are the turns of the gold sessions that hold the most distinct words of the answer (at least one);
    a question with more than three such turns is left out.
    """
    collections = []
    for number, entry in enumerate(data, 1):
        whole = _history(f"{name}-{number}", entry)
        questions = []
        for question, answer in zip(whole.questions, entry["answers"], strict=True):
            wanted = term_set(str(answer))
            shared = {
                item.ref: len(wanted & term_set(item.text))
                for item in whole.items
                if item.session in question.gold
            }
            most = max(shared.values(), default=0)
            best = frozenset(ref for ref, count in shared.items() if count == most and most)
            if 1 <= len(best) <= _MOST_DERIVED:
                questions.append(replace(question, gold=best))
        collections.append(Collection(whole.name, whole.items, tuple(questions)))
    return QuestionSet(name, tuple(collections))


def longmemeval_facts(name: str, path: Path, questions: Path) -> QuestionSet:
    """All histories of a LongMemEval-style file in one collection, asked other questions about single turns.

    `questions`: JSON lines with `text` and `gold`, refs such as "2/14:0": turn 0 of session 14 of history 2.
    """
    data = json.loads(path.read_text(encoding="utf-8"))
    histories = [_history(name, each) for each in (data.values() if isinstance(data, dict) else data)]
    items = tuple(
        replace(item, ref=f"{number}/{item.ref}", session=f"{number}/{item.session}")
        for number, history in enumerate(histories, 1)
        for item in history.items
    )
    known = {item.ref for item in items}
    lines = [json.loads(line) for line in questions.read_text(encoding="utf-8").splitlines()]
    asked = tuple(Question(line["text"], frozenset(line["gold"])) for line in lines)
    if not all(question.gold <= known for question in asked):
        raise FormatError(f"{path}: is not the file that the questions of {questions.name} were made for")
    return QuestionSet(name, (Collection(name, items, asked),))


def jsonl(name: str, records: list[dict[str, Any]]) -> QuestionSet:
    """The plain format. Raises FormatError if a gold id is unknown or an id occurs twice."""
    items: dict[str, dict[str, Item]] = {}
    questions: dict[str, list[Question]] = {}
    for record in records:
        where = record.get("collection", name)
        if record["type"] == "document":
            item = _document(record)
            if item.ref in items.setdefault(where, {}):
                raise FormatError(f"{name}: document {item.ref!r} occurs twice in {where!r}")
            items[where][item.ref] = item
        elif record["type"] == "query":
            gold = frozenset(str(each) for each in record["gold"])
            found = Question(record["text"], gold, str(record.get("category", "all")), bool(gold))
            questions.setdefault(where, []).append(found)
        else:
            raise FormatError(f"{name}: type {record['type']!r} is neither document nor query")
    for where, asked in questions.items():
        unknown = {ref for question in asked for ref in question.gold} - items.get(where, {}).keys()
        if unknown:
            raise FormatError(f"{name}: gold ids without a document in {where!r}: {sorted(unknown)}")
    return QuestionSet(
        name,
        tuple(
            Collection(where, tuple(found.values()), tuple(questions.get(where, [])))
            for where, found in items.items()
        ),
    )


def _document(record: dict[str, Any]) -> Item:
    at = record.get("at")
    moment = datetime.fromisoformat(at) if at else None
    if moment and moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return Item(
        ref=str(record["id"]),
        text=record["text"],
        author=record.get("author"),
        session=record.get("session"),
        occurred_at=moment,
        context=record.get("context", ""),
    )
