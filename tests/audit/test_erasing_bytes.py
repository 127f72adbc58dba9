"""Random walks: texts of words that nothing else has come in by every door, are changed, and are erased.

After each erasing no word of what is gone may be in any file beside the store: database, log, audit, key.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiers import nightly

import combray
from combray import Engine
from combray.errors import ModelError
from combray.runtime import Doubt, Filter
from combray.stores.sqlite import erasing
from combray.testing.fakes import FakeClock, FakeEmbedder
from combray.transfer import export_to, import_from
from combray.types import Memory

DAY = 86_400.0
_LETTERS = "bcdfghjklmnpqrstvwxz"


class Quoting(FakeEmbedder):
    """Fails now and then, and quotes the text in its error, as some servers do."""

    failing = False

    def embed(self, texts, *, query=False):  # type: ignore[no-untyped-def]
        if self.failing:
            raise ModelError(f"cannot embed {texts[0]!r}")
        return super().embed(texts, query=query)


class Walk:
    """An engine, and the words that each memory alone holds."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.chance = random.Random(seed)
        self.clock = FakeClock()
        self.model = Quoting()
        self.engine: Engine = combray.open(str(folder / "a.db"), embedder=self.model, clock=self.clock)
        self.words: dict[str, set[str]] = {}
        self.gone: set[str] = set()
        (folder / "notes").mkdir()

    def word(self) -> str:
        return "".join(self.chance.choice(_LETTERS) for _ in range(12))

    def text(self, most: int = 300) -> str:
        count = self.chance.choice((4, 4, 8, 40, most))
        return " ".join(self.word() for _ in range(count))

    def add(self, memory_id: str, *texts: str) -> None:
        self.words.setdefault(memory_id, set()).update(re.findall(r"\w{12}", " ".join(texts).lower()))

    def found(self, **where: Any) -> list[Memory]:
        reader = self.engine.reader
        return reader.memories(reader.scan(Filter(**where)).tolist())

    # -- doors ------------------------------------------------------------------------------------------

    def remember(self) -> None:
        fields: dict[str, Any] = {
            "context": self.text(8),
            "tags": [self.word()],
            "entities": [self.word().capitalize()],
            "author": self.word(),
            "source": self.word(),
            "session": self.word(),
            "metadata": {self.word(): [self.word()]},
        }
        content = self.text()
        made = self.engine.remember(content, diff=False, kind=self.chance.choice(("fact", "episode")), **fields)
        self.add(made.id, content, json.dumps(fields))

    def queued(self) -> None:
        """Memories that wait for their vectors, and whose jobs have an error that quotes the first of them."""
        self.model.failing = True
        for content in (self.text(8), self.text(8)):
            made = self.engine.remember(content, diff=False)
            self.add(made.id, content)
            with self.engine.runtime.store.transaction("default") as tx:
                tx.queue.put(self.model.name, [self.engine._at.key_of(made.id)], self.clock())
        self.engine.vectors.make()
        self.model.failing = False

    def imported(self) -> None:
        content, tag = self.text(), self.word()
        line = json.dumps({"content": content, "tags": [tag], "metadata": {"x": self.word()}})
        import_from(self.engine, "default", [line], dry_run=False)
        (found,) = self.found(tags=(tag,))
        self.add(found.id, line)

    def said(self) -> None:
        """Turns of which auto-memory and consolidation make facts."""
        name, place = self.word().capitalize(), self.word().capitalize()
        talk = self.engine.conversation(self.word())
        home, sweet = self.word().capitalize(), self.word()
        content = f"I prefer {place} tea and I moved to {home}. Remember that I like {sweet}."
        self.add(talk.add(content, author=name, extract="rules").id, content, name)
        self.clock.now += DAY
        self.engine.consolidation.run()

    def indexed(self) -> None:
        content = self.text(40)
        path = self.folder / "notes" / f"{self.word()}.md"
        path.write_text(f"# {self.word()}\n\n{content}\n")
        self.engine.documents.index(self.folder / "notes")
        for each in self.found(kinds=("chunk",)):
            self.add(each.id, each.content)
        path.unlink()

    def superseded(self) -> None:
        name = self.word().capitalize()
        for value in (self.word(), self.word()):
            content = f"{name} works as {value}"
            made = self.engine.remember(content)
            self.add(made.id, content)
            self.clock.now += DAY

    def merged(self) -> None:
        content = f"{self.word().capitalize()} keeps the {self.word()} in the {self.word()}"
        for ending in ("", "!", " ."):
            self.engine.remember(content + ending, diff=False, kind="fact")
        self.clock.now += DAY
        run = self.engine.consolidation.run()
        if self.chance.random() < 0.5:
            self.engine.consolidation.undo(run.run_id)
        for each in self.found(statuses=()):
            if each.content.startswith(content):
                self.engine.erase(each.id)
        self.gone |= set(re.findall(r"\w{12}", content.lower()))

    # -- changes ----------------------------------------------------------------------------------------

    def edited(self) -> None:
        memory_id = self.chance.choice(sorted(self.words))
        context, actor = self.text(80), self.word()
        with self.engine.runtime.store.transaction("default") as tx:
            tx.change(self.engine._at.key_of(memory_id), "edit", actor, self.clock(), context=context)
        self.add(memory_id, context, actor)

    def linked(self) -> None:
        one, other = self.chance.sample(sorted(self.words), 2)
        reason = self.word()
        self.engine.link(one, other, reason=reason, subtype=self.word())
        self.add(one, reason)
        with self.engine.runtime.store.transaction("default") as tx:
            first, second = sorted((self.engine._at.key_of(one), self.engine._at.key_of(other)))
            tx.put_doubts([Doubt(first, second, f"{reason} or not")])

    def forgotten(self) -> None:
        memory_id = self.chance.choice(sorted(self.words))
        self.engine.forget(memory_id)
        self.engine.recall(" ".join(sorted(self.words[memory_id])[:3]))
        if self.chance.random() < 0.5:
            self.engine.restore(memory_id)

    def erased(self) -> None:
        memory_id = self.chance.choice(sorted(self.words))
        self.engine.erase(memory_id)
        self.gone |= self.words.pop(memory_id)
        self.look()

    def look(self) -> None:
        alive = set().union(*self.words.values())
        for path in self.folder.iterdir():
            if path.is_file():
                runs = re.findall(rf"[{_LETTERS}]{{12,}}".encode(), path.read_bytes().lower())
                held = {run[at : at + 12].decode() for run in runs for at in range(len(run) - 11)}
                left = held & (self.gone - alive)
                assert not left, (path.name, left)


def doors(walk: Walk) -> list[Callable[[], None]]:
    usual = [walk.remember] * 12 + [walk.edited, walk.linked, walk.erased, walk.erased, walk.erased]
    rare = [walk.queued, walk.imported, walk.said, walk.indexed, walk.superseded, walk.merged, walk.forgotten]
    return [*usual, *rare]


@pytest.mark.parametrize("seed", [0, 1, *nightly(range(2, 6), "more walks")])
def test_no_word_of_what_was_erased_is_in_any_file(tmp_path: Path, seed: int) -> None:
    walk = Walk(tmp_path, seed)
    with walk.engine:
        for door in (walk.remember, walk.remember, walk.queued, walk.imported, walk.said, walk.indexed):
            door()
        for _ in range(60):
            walk.chance.choice(doors(walk))()
        while walk.words:
            walk.erased()
        assert walk.engine.audit.verify().ok
        export = tmp_path / "export.jsonl"
        with export.open("w", encoding="utf-8", newline="\n") as stream:
            export_to(walk.engine.runtime.store, "default", stream)
        walk.engine.store.backup(str(tmp_path / "later.db"))
        walk.look()
    walk.look()


def test_the_file_is_written_anew(tmp_path: Path) -> None:
    """SQLite leaves copies of cells in the unused part of pages in use: only a new file is without them.

    Without it the walks above find a word in about one of ten; here the pages that an erased memory leaves free
    are gone from the file.
    """
    with combray.open(str(tmp_path / "a.db"), embedder="none") as engine:
        long = engine.remember("zwieback " * 800).id
        engine.remember("Alice moved to Berlin")
        engine.erase(long)
        with engine.runtime.store._reading() as connection:  # type: ignore[attr-defined]
            assert connection.execute("PRAGMA freelist_count").fetchone()[0] == 0
            assert not erasing.is_due(connection)
        assert engine.recall("Alice")[0].memory.content == "Alice moved to Berlin"
