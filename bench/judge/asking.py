"""Ask one source tree every question of a plan: `python -m bench.judge.asking PLAN OUT`.

The module imports nothing but `combray`, and of that only what every version has. A field that a tree does not
report (a mark, a confidence, candidates of a write) counts as absent.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

import combray

LIMIT = 10
Row = dict[str, Any]


class Cached:
    """An embedder that embeds each text once: stores of several sizes and presets hold the same texts."""

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder
        self._known: dict[tuple[bool, str], Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
        """As the embedder itself."""
        missing = [text for text in dict.fromkeys(texts) if (query, text) not in self._known]
        if missing:
            rows = self._embedder.embed(missing, query=query)
            self._known.update(((query, text), row) for text, row in zip(missing, rows, strict=True))
        if not texts:
            return np.zeros((0, self._embedder.dimensions), dtype=np.float32)
        return np.stack([self._known[query, text] for text in texts])


def embedder(spec: str) -> Any:
    """Return what `open` takes: "none", or the embedder of a spec with a cache."""
    if spec == "none":
        return spec
    from combray.wiring import open_model

    return Cached(open_model("embedder", spec))


class Asked:
    """One store of a plan, in memory, with its own clock."""

    def __init__(self, store: Row, preset: str, model: Any) -> None:
        self._store, self._now = store, float(store["now"])
        self.engine: Any = combray.open(
            ":memory:", preset=preset, embedder=model, clock=lambda: self._now, worker=False
        )
        self._refs: dict[str, str] = {}

    def rows(self) -> Iterator[Row]:
        """Write the store's items and ask its questions, each at its time; yield what came back."""
        told = self._store["way"] == "told"
        waiting = sorted(self._store["questions"], key=lambda each: each.get("at") or 0.0) if told else []
        if told:
            for item in self._store["items"]:
                while waiting and waiting[0]["at"] <= item["occurred_at"]:
                    yield self._answer(waiting.pop(0))
                self._now = item["occurred_at"]
                yield self._tell(item)
        elif self._store["way"] == "conversation":
            self._converse()
        else:
            self.engine.remember_many(self._store["items"])
        if self.engine.vectors.pending():
            # What a preset leaves to a worker is done before anything is asked.
            self.engine.vectors.make()
        for question in waiting if told else self._store["questions"]:
            yield self._answer(question)
        if told:
            statuses = {ref: str(self.engine.get(each).status) for each, ref in self._refs.items()}
            yield {"id": "end", "statuses": statuses}

    def _converse(self) -> None:
        for session, group in groupby(self._store["items"], key=lambda each: each["session"]):
            given = [{name: value for name, value in each.items() if name != "session"} for each in group]
            if session is None:
                self.engine.remember_many([each | {"kind": "chunk"} for each in given], diff=False)
            else:
                self.engine.conversation(session).add_many(given)

    def _tell(self, item: Row) -> Row:
        done = self.engine.remember(item["content"], **{k: v for k, v in item.items() if k != "content"})
        ref = item["metadata"]["ref"]
        self._refs.setdefault(done.id, ref)
        if self.engine.vectors.pending():
            self.engine.vectors.make()
        replaced = self._refs.get(done.replaced_id or "") if done.action == "replaced" else None
        candidates = self.engine.related(done.id, type="may_revise", depth=1)
        return {
            "id": f"write {ref}",
            "write": ref,
            "replaced": replaced,
            "raised": [self._refs[each.id] for each in getattr(done, "may_revise", ()) or ()],
            "candidates": [self._refs[each.memory.id] for each in candidates],
        }

    def _answer(self, question: Row) -> Row:
        self._now = question.get("at") or self._now
        answer = self.engine.recall(question["text"], limit=LIMIT, tags=question.get("tags") or None)
        details = getattr(answer, "details", None) or {}
        return {
            "id": question["id"],
            "refs": [str(hit.memory.metadata["ref"]) for hit in answer],
            "marks": "".join(map(_mark, answer)),
            "confidence": getattr(answer, "confidence", details.get("confidence")),
        }


def _mark(hit: Any) -> str:
    """Return "o" for a hit that is called outdated, "m" for one that may be, "-" for any other."""
    if getattr(hit, "outdated_by", None) or hit.memory.status == "superseded":
        return "o"
    return "m" if getattr(hit, "may_be_outdated_by", None) else "-"


def main(plan: str, out: str) -> int:
    """Ask what the plan names, and write one row a question, a write and a told store."""
    given = json.loads(Path(plan).read_text(encoding="utf-8"))
    if not Path(combray.__file__).is_relative_to(given["source"]):
        raise SystemExit(f"{given['source']} holds no package combray. Give the folder that does.")
    model, found = embedder(given["embedder"]), []
    for preset in given["presets"]:
        shown = ""
        for store in given["stores"]:
            if shown != (shown := store["set"]):
                sys.stderr.write(f"  {given['tree']}, {preset}: {shown}\n")
                sys.stderr.flush()
            asked = Asked(store, preset, model)
            try:
                where = {"preset": preset, "set": store["set"], "store": store["key"]}
                found += [where | row for row in asked.rows()]
            finally:
                asked.engine.close()
    Path(out).write_text(json.dumps(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
