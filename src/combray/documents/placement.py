"""Write the chunks of files to the store, in one transaction: kept, moved, restored, inserted or hidden."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import numpy as np

from combray.documents.files import Arriving, Placing
from combray.documents.trust import ChunkTrust, JudgeChunks
from combray.documents.workspace import occurred
from combray.errors import ModelError
from combray.language.indexing import content_hash, with_hash
from combray.language.scopes import is_scope
from combray.records import dataclass
from combray.runtime import Arrival, Runtime
from combray.types import LIVE_STATUSES, Memory

ACTOR = "combray"
_IDS = uuid.UUID("6a4b0ab0-6a56-5c60-9c5b-1f8d6b7f5f52")


@dataclass(frozen=True)
class EmbedChunks:
    """Embeds texts that are new to the namespace; vectors of known texts are reused.

    A text is identified by its SHA-256, even if no file contains it any more. So an undone edit, a moved
    paragraph or a renamed file needs no embedding. Without an embedder, or if it fails, chunks are stored without
    vectors. `at_once`: texts per call; larger batches exceed the processor's cache (256 took a third longer).
    """

    needs = ("files",)
    gives = ("vectors",)
    leaves_process = True
    at_once: int = 32

    def __call__(self, state: Placing, runtime: Runtime) -> Placing:
        """Fill `vectors` by text hash."""
        if runtime.embedder is None:
            return state
        texts = {each.hash: each.chunk.text for one in state.arriving for each in one.file.chunks}
        if not state.fresh_vectors:
            self._take_known(state, runtime.embedder.name, list(texts))
        new = [text_hash for text_hash in texts if text_hash not in state.vectors]
        if not new:
            return state
        try:
            wanted = [texts[each] for each in new]
            slices = [wanted[at : at + self.at_once] for at in range(0, len(wanted), self.at_once)]
            vectors = np.concatenate([runtime.embedder.embed(each) for each in slices])
        except ModelError as error:
            state.degraded.append(f"stored without vectors: {error}")
            return state
        for text_hash, vector in zip(new, vectors, strict=True):
            if np.any(vector):
                state.vectors[text_hash] = vector
        state.embedded += len(new)
        return state

    def _take_known(self, state: Placing, model: str, hashes: list[str]) -> None:
        holding = state.reader.documents.holding(hashes)
        known = [(text_hash, key) for text_hash, stored in holding.items() for key, _ in stored[:1]]
        keys = np.array([key for _, key in known], dtype=np.int64)
        vectors, has = state.reader.vectors(model, keys)
        state.vectors.update({known[at][0]: vectors[at] for at in np.flatnonzero(has)})


@dataclass(frozen=True)
class PlaceChunks:
    """Updates the index to the files. A text keeps its row: if it is in the file already, or in no file any more,
    its row gets new lines; only other texts are inserted. Texts in no file are hidden (status forgotten); a
    rebuild erases them.
    """

    needs = ("files", "verdicts", "vectors")
    gives = ("placed",)
    judging: JudgeChunks

    def __call__(self, state: Placing, runtime: Runtime) -> Placing:
        """Write all files of the batch."""
        tx = state.writer
        for path in [*state.gone, *(each.moved_from for each in state.arriving if each.moved_from)]:
            state.leaving.update(key for key, _ in tx.documents.chunks(state.root, path))
            tx.documents.drop(state.root, path)
        after: set[int] = set()
        for each in state.arriving:
            stored = tx.documents.chunks(state.root, each.file.document.path)
            state.leaving.update(key for key, _ in stored)
            model = runtime.embedder.name if runtime.embedder else ""
            placed = _place(state, each, stored, model, self.judging)
            tx.documents.put(each.file.document, placed)
            after.update(key for key, _ in placed)
        if runtime.tokens is not None:
            # A worker makes them: files are many, and recall does without them until then.
            lacking = sorted(after.intersection(tx.queue.lacking(runtime.tokens.name)))
            tx.queue.put(runtime.tokens.name, lacking, state.now)
        hidden = sorted(state.leaving - after)
        for key, memory in zip(hidden, tx.memories(hidden), strict=True):
            if memory.status in LIVE_STATUSES:
                tx.change(key, "unindex", ACTOR, state.now, status="forgotten")
        return state


def _place(
    state: Placing, arriving: Arriving, stored: list[tuple[int, str]], model: str, judging: JudgeChunks
) -> list[tuple[int, str]]:
    """Return rows for the chunks of one file, in order: kept, restored, or inserted."""
    tx = state.writer
    chunks = arriving.file.chunks
    own: dict[str, list[int]] = defaultdict(list)
    for key, text_hash in stored:
        own[text_hash].append(key)
    rows: list[int | None] = [own[each.hash].pop(0) if own[each.hash] else None for each in chunks]
    back: set[int] = set()
    loose = tx.documents.holding([each.hash for at, each in enumerate(chunks) if rows[at] is None])
    for at, each in enumerate(chunks):
        free = [key for key, is_loose in loose.get(each.hash, ()) if is_loose and key not in back]
        if rows[at] is None and free:
            rows[at] = free[0]
            back.add(free[0])
    coming = [at for at, key in enumerate(rows) if key is None or key in back]
    foreign = [at for at, key in enumerate(rows) if key in back and key not in state.leaving]
    trust_of = ChunkTrust.of(state, arriving, coming, foreign, judging)
    memories = _memories(state, arriving, [at for at, key in enumerate(rows) if key is None], trust_of)
    _adjust(state, arriving, rows, back, trust_of)
    vectors = state.vectors
    arrivals = [
        Arrival(memory, {model: vectors[chunks[at].hash]} if chunks[at].hash in vectors else {})
        for at, memory in memories.items()
    ]
    for at, key in zip(memories, tx.insert(arrivals), strict=True):
        rows[at] = key
    kept = [(at, key) for at, key in enumerate(rows) if key is not None and at not in memories]
    _refresh_vectors(state, [(key, chunks[at].hash) for at, key in kept], model)
    state.reused += len(kept)
    return [(key, chunks[at].hash) for at, key in enumerate(rows) if key is not None]


def _fields(state: Placing, arriving: Arriving, at: int) -> dict[str, Any]:
    """Return the fields of a chunk that depend on its place: all but its text."""
    file, chunk = arriving.file, arriving.file.chunks[at].chunk
    sent = file.chunks[at].sent
    first, last = sent or (occurred("/".join(file.place.parts), file.modified, state.zone), None)
    return {
        "session": arriving.session,
        "position": at,
        "source": file.document.source,
        "occurred_from": first,
        "occurred_to": last,
        "metadata": {
            "path": file.document.path,
            "start_line": chunk.start_line,
            "end_line": chunk.end_line,
            "root": file.document.root,
        },
    }


def _tags(scope: str, tags: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the tags of a chunk: those that it had, with the folder's scope as its only one."""
    return (*(tag for tag in tags if not is_scope(tag)), *([scope] if scope else []))


def _memories(state: Placing, arriving: Arriving, places: list[int], trust_of: ChunkTrust) -> dict[int, Memory]:
    """Make new memories by place in the file.

    Ids are derived from source, path and text, so that a rebuilt index has the same ids, unless they are taken.
    """
    made: dict[int, Memory] = {}
    taken: set[str] = set()
    now = datetime.fromtimestamp(state.now, UTC)
    for at in places:
        document, chunk = arriving.file.document, arriving.file.chunks[at]
        number = 0
        while True:
            new = str(uuid.uuid5(_IDS, f"{document.source}\0{document.path}\0{chunk.hash}\0{number}"))
            if new not in taken and not state.writer.keys_of([new]):
                break
            number += 1
        taken.add(new)
        memory = Memory(
            id=new,
            namespace=state.namespace,
            content=chunk.chunk.text,
            kind="chunk",
            recorded_at=now,
            tags=_tags(state.scope),
            **trust_of.given(at, None, _fields(state, arriving, at)),
        )
        state.quarantined += [new] if memory.trust == "quarantined" else []
        made[at] = with_hash(memory)
    return made


def _adjust(
    state: Placing, arriving: Arriving, rows: list[int | None], back: set[int], trust_of: ChunkTrust
) -> None:
    """Give kept rows their new place; unchanged rows are not written."""
    tx = state.writer
    kept = [(at, key) for at, key in enumerate(rows) if key is not None]
    for (at, key), memory in zip(kept, tx.memories(key for _, key in kept), strict=True):
        wanted = trust_of.given(at, memory, _fields(state, arriving, at))
        if wanted["trust"] == "quarantined" != memory.trust:
            state.quarantined.append(memory.id)
        wanted["tags"] = _tags(state.scope, memory.tags)
        # A memory that was forgotten explicitly stays forgotten if its file only moved.
        if key in back and key not in state.leaving:
            wanted["status"] = "active"
        changes = {name: value for name, value in wanted.items() if getattr(memory, name) != value}
        if "occurred_from" in changes:
            changed = msgspec.structs.replace(memory, occurred_from=changes["occurred_from"])
            changes["content_hash"] = content_hash(changed)
        if changes:
            tx.change(key, "index", ACTOR, state.now, **changes)


def _refresh_vectors(state: Placing, kept: list[tuple[int, str]], model: str) -> None:
    """Store vectors of kept rows that have none of this model, or of all rows if vectors are recomputed."""
    given = [(key, state.vectors[text_hash]) for key, text_hash in kept if text_hash in state.vectors]
    if not given:
        return
    if not state.fresh_vectors:
        _, has = state.writer.vectors(model, np.array([key for key, _ in given], dtype=np.int64))
        given = [each for each, there in zip(given, has, strict=True) if not there]
    if given:
        stacked = np.stack([vector for _, vector in given])
        state.writer.put_vectors(model, [key for key, _ in given], stacked)
