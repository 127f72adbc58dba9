"""Hash what every preset writes and recalls on LoCoMo, so that a refactoring can prove it changed no answer.

    python -m bench.hashes --data DATA            one line a preset and embedder
    python -m bench.hashes --data DATA --dump F   also every answer, as JSON lines, to compare with diff
    python -m bench.hashes --data DATA --postgres on a PostgreSQL server of its own: the hashes must be the same

Ids are random, so memories are named by their place in the conversation. Floats are compared bit by bit.
Sentences for people (reasons, warnings) are left out: they may be reworded without changing what is found.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import combray
from bench.quality.loaders import load
from bench.quality.sets import Collection
from combray import presets
from combray.testing.postgres import Server

EMBEDDERS = ("none", "wordllama")
SINGLES = 40
"""Turns written one by one, with suggestions; the others go in as a batch."""
WRITTEN = (
    "action",
    "diff_suggestion",
    "edges_created",
    "embedded",
    "effective_importance",
    "auto_pruned",
)


def main() -> None:
    """Print the hashes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("COMBRAY_DATA", ".")))
    parser.add_argument("--dump", type=Path, help="write every answer to this file")
    parser.add_argument("--conversations", type=int, default=5)
    parser.add_argument("--presets", nargs="+", choices=presets.names(), default=presets.names())
    parser.add_argument("--postgres", action="store_true", help="write to a PostgreSQL server")
    options = parser.parse_args()
    server = Server() if options.postgres else None
    try:
        _run(options, server)
    finally:
        if server is not None:
            server.stop()


def _run(options: argparse.Namespace, server: Server | None) -> None:
    collections = load("locomo", options.data / "locomo" / "conversations-1-5.json").collections
    dump = options.dump.open("w", encoding="utf-8") if options.dump else None
    for preset in options.presets:
        for embedder in EMBEDDERS:
            digest = hashlib.sha256()
            for collection in collections[: options.conversations]:
                location = ":memory:"
                if server is not None:
                    schema = f"{preset}_{embedder}_{collection.name}".replace("-", "_").lower()
                    location = f"{server.url()}&schema={schema}"
                for line in answers(collection, preset, embedder, location):
                    digest.update(line.encode() + b"\n")
                    if dump is not None:
                        dump.write(f"{preset} {embedder} {collection.name} {line}\n")
            print(f"{preset:15} {embedder:10} {digest.hexdigest()}", flush=True)


def answers(collection: Collection, preset: str, embedder: str, location: str = ":memory:") -> Iterator[str]:
    """Every write and every recall of one conversation, as JSON."""
    moments = [item.occurred_at.timestamp() for item in collection.items if item.occurred_at is not None]
    clock = max(moments) + 1.0
    engine = combray.open(location, preset=preset, embedder=embedder, clock=lambda: clock, worker=False)
    with engine:
        items: list[Any] = [item.fields | {"kind": "episode"} for item in collection.items]
        written = [
            engine.remember(item["content"], **{name: value for name, value in item.items() if name != "content"})
            for item in items[:SINGLES]
        ]
        written += engine.remember_many(items[SINGLES:])
        if embedder != "none":
            # What a preset leaves to a worker is done before anything is asked.
            engine.vectors.make()
        places: dict[str, int] = {}
        for place, each in enumerate(written):
            places.setdefault(each.id, place)
        for each in written:
            yield _json(_shown(each, places))
        for question in collection.questions:
            answer = engine.recall(question.text, limit=25)
            hits = [
                (places[hit.memory.id], hit.score, dict(sorted(hit.signals.items())), hit.via) for hit in answer
            ]
            yield _json([question.text, answer.intent, hits])


def _shown(each: Any, places: dict[str, int]) -> list[Any]:
    candidates = [
        {name: places.get(value, value) if isinstance(value, str) else value for name, value in found.items()}
        for found in (*each.semantic_candidates, *each.causal_candidates)
    ]
    replaced = None if each.replaced_id is None else places[each.replaced_id]
    judged = each.guard.partition(":")[0]
    fields = (getattr(each, name) for name in WRITTEN)
    return [places[each.id], replaced, *fields, len(each.quality_warnings), judged, candidates]


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=float)


if __name__ == "__main__":
    main()
