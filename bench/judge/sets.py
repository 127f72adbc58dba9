"""The sets: every file as stores, each with the items to write, the questions to ask, and what answers them.

The format of a file is recognised by its keys: notes (`memories`), stories (`statements`), and what
`bench.quality.loaders` reads (LoCoMo, LongMemEval-style, plain JSONL).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Literal
from zlib import crc32

from bench.quality import choosing, loaders
from bench.quality.sets import Collection
from bench.quality.systems import parts
from bench.truth import stories

HERE = Path(__file__).parent
NOW = 1_767_225_600.0
"""1 January 2026: notes are asked then, or a day after the last one."""
DAY = 86_400.0
Way = Literal["notes", "conversation", "told"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the refs of what answers it; none: nothing in the store does.

    `near`: whether a question without an answer is about something that the store mentions; None: not known.
    `truth`: the question of the story, if it comes from one.
    """

    id: str
    text: str
    gold: frozenset[str]
    near: bool | None = None
    tags: tuple[str, ...] = ()
    truth: stories.Question | None = None


@dataclass(frozen=True)
class Store:
    """What is written into one store and asked of it. `pool` names the sets that are counted together."""

    name: str
    set: str
    pool: str
    group: str
    way: Way
    now: float
    items: tuple[dict[str, Any], ...]
    questions: tuple[Question, ...]
    story: stories.Story | None = field(default=None, compare=False)

    def as_json(self) -> dict[str, Any]:
        """What the asked tree may know: nothing of gold."""
        asked = [
            {"id": each.id, "text": each.text, "tags": each.tags, "at": each.truth.at if each.truth else None}
            for each in self.questions
        ]
        known = {name: getattr(self, name) for name in ("set", "key", "way", "now", "items")}
        return known | {"questions": asked}

    @cached_property
    def key(self) -> str:
        """Name and checksum: rows that were saved of a store with other content are not paired."""
        asked = [(each.id, each.text, sorted(each.gold)) for each in self.questions]
        return f"{self.name}#{crc32(repr((self.items, self.now, asked)).encode()):08x}"


def own(data: Path | None) -> Iterator[Path | str]:
    """Every set of this repository and of the data folder: a file, or a name of `bench.quality.choosing`."""
    yield from (name for name in choosing.available(data) if name not in (choosing.DOCSTRINGS, "longmemeval"))
    yield from sorted((HERE / "texts").glob("*.json*"))
    told = sorted((HERE.parent / "truth" / "sets").glob("*.jsonl"))
    yield from (path for path in told if _keys(path) >= {"statements"})
    yield from sorted((data / "truth").glob("*.jsonl")) if data else ()


def _keys(path: Path) -> set[str]:
    text = path.read_text(encoding="utf-8").lstrip()
    first: Any = json.loads(text.partition("\n")[0] if path.suffix == ".jsonl" else text)
    return set(first) if isinstance(first, dict) else set()


def read(given: Path | str, data: Path | None = None) -> list[Store]:
    """Return the stores of a set. Raises OSError, and ValueError or KeyError for what is no set."""
    if isinstance(given, str):
        return [_conversation(each, given) for each in choosing.available(data)[given]().collections]
    keys, name = _keys(given), given.stem
    if "statements" in keys:
        alone = stories.load(given)
        joined = [_told(each, f"{name}, together", "stories, together") for each in stories.together(alone)]
        return [*(_told(each, f"{name}, alone", "stories, alone") for each in alone), *joined]
    if "memories" in keys:
        text = given.read_text(encoding="utf-8")
        lines = text.splitlines() if given.suffix == ".jsonl" else [text]
        return [_notes({"id": name} | json.loads(line), name) for line in lines if line.strip()]
    return [_conversation(each, name) for each in loaders.load(name, given).collections]


def _conversation(collection: Collection, name: str) -> Store:
    items = tuple(
        {
            "content": part,
            "author": item.author,
            "occurred_at": item.occurred_at.timestamp() if item.occurred_at else None,
            "context": item.context,
            "session": item.session,
            "metadata": {"ref": item.ref},
        }
        for item in collection.items
        for part in parts(item.text)
    )
    asked = tuple(
        Question(
            f"{collection.name}/{number}",
            each.text,
            each.gold if each.answerable else frozenset(),
            None if each.answerable else True,
        )
        for number, each in enumerate(collection.questions)
        if each.gold or not each.answerable
    )
    now = collection.now.timestamp()
    return Store(collection.name, name, "conversations", "conversations", "conversation", now, items, asked)


def _told(story: stories.Story, name: str, pool: str) -> Store:
    items = tuple(
        {"content": each.text, "author": each.author, "occurred_at": each.at, "metadata": {"ref": each.ref}}
        for each in story.statements
    )
    asked = tuple(
        Question(f"{story.name}/{number}", each.text, each.current, truth=each)
        for number, each in enumerate(story.questions)
    )
    return Store(story.name, name, pool, "stories", "told", story.statements[0].at, items, asked, story)


def _notes(data: dict[str, Any], name: str) -> Store:
    items = tuple(_note(each) for each in data["memories"])
    given = data["questions"] if "questions" in data else [*data["answerable"], *data["unanswerable"]]
    asked = tuple(
        Question(
            f"{data['id']}/{number}",
            each["query"],
            frozenset(each.get("gold", ())),
            None if each.get("gold") else _near(each),
            tuple(f"scope:{scope}" for scope in each.get("scopes") or ()),
        )
        for number, each in enumerate(given)
    )
    return Store(str(data["id"]), name, "notes", "notes", "notes", _asked_at(items), items, asked)


def _near(question: dict[str, Any]) -> bool | None:
    kind = question.get("kind")
    return kind == "near" if kind in ("near", "far") else question.get("near")


def _note(given: dict[str, Any]) -> dict[str, Any]:
    named = given.get("entities") or {}
    return {
        "content": given["content"],
        "author": given.get("author"),
        "occurred_at": given.get("date"),
        "tags": [f"scope:{given['scope']}"] if "scope" in given else [],
        # A name and its short forms.
        "entities": [form for name, others in named.items() for form in (name, *others)],
        "metadata": {"ref": given["id"]},
    }


def _asked_at(items: Iterable[dict[str, Any]]) -> float:
    dated = (each["occurred_at"] for each in items if each["occurred_at"])
    moments = (datetime.fromisoformat(each) for each in dated)
    last = max(((each if each.tzinfo else each.replace(tzinfo=UTC)).timestamp() for each in moments), default=0.0)
    return max(NOW, last + DAY)


def sized(of_set: Sequence[Store], size: int, others: Sequence[Store]) -> list[Store]:
    """Return the questions of a set of notes in stores of `size` notes.

    A larger store is split into groups that hold the gold of their questions. Smaller ones are put together, and
    filled up with notes of other sets, drawn with a fixed seed.
    """
    drawn = random.Random(size)
    pieces = [piece for store in of_set for piece in _pieces(_renamed(store), size, drawn)]
    groups: list[list[Store]] = []
    for piece in sorted(pieces, key=lambda each: -len(each.items)):
        room = (group for group in groups if sum(len(each.items) for each in group) + len(piece.items) <= size)
        group = next(room, None)
        if group is None:
            groups.append([piece])
        else:
            group.append(piece)
    spare = [item for store in others for item in _renamed(store).items]
    return [
        _filled(group, f"{of_set[0].set}, {size}-{at}", size, spare, drawn) for at, group in enumerate(groups)
    ]


def _renamed(store: Store) -> Store:
    """Refs that stay unique when stores are put together; fields that notes have."""

    def named(ref: str) -> str:
        return f"{store.set}/{store.name}/{ref}"

    items = []
    for each in store.items:
        at = each["occurred_at"]
        moment = datetime.fromtimestamp(at, UTC).isoformat() if isinstance(at, float) else at
        kept = {"content": each["content"], "author": each["author"], "occurred_at": moment}
        items.append(kept | {"metadata": {"ref": named(each["metadata"]["ref"])}})
    asked = tuple(replace(each, gold=frozenset(map(named, each.gold))) for each in store.questions)
    return replace(store, items=tuple(items), questions=asked)


def _pieces(store: Store, size: int, drawn: random.Random) -> list[Store]:
    """Return a store as it is, or in pieces of `size` notes; a question whose gold is larger is left out."""
    if len(store.items) <= size:
        return [store]
    groups: list[tuple[set[str], list[Question]]] = []
    for question in (each for each in store.questions if 0 < len(each.gold) <= size):
        if not groups or len(groups[-1][0] | question.gold) > size:
            groups.append((set(), []))
        groups[-1][0].update(question.gold)
        groups[-1][1].append(question)
    for number, question in enumerate(each for each in store.questions if not each.gold and groups):
        groups[number % len(groups)][1].append(question)
    found = []
    for refs, asked in groups:
        rest = [each for each in store.items if each["metadata"]["ref"] not in refs]
        taken = refs | {each["metadata"]["ref"] for each in drawn.sample(rest, size - len(refs))}
        items = tuple(each for each in store.items if each["metadata"]["ref"] in taken)
        found.append(replace(store, items=items, questions=tuple(asked)))
    return found


def _filled(
    group: Sequence[Store], name: str, size: int, spare: Sequence[dict[str, Any]], drawn: random.Random
) -> Store:
    items = [item for store in group for item in store.items]
    items += drawn.sample(list(spare), min(max(0, size - len(items)), len(spare)))
    items.sort(key=lambda each: each["occurred_at"] or "")
    asked = tuple(question for store in group for question in store.questions)
    of_set = f"{group[0].set}, {size} notes"
    return Store(name, of_set, f"{size} notes", "sizes", "notes", _asked_at(items), tuple(items), asked)
