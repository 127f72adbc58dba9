"""The command: `python -m bench.conversation [--memories N] [--turns N] [--embedder SPEC]`."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import combray
from bench.speed import texts as made_up
from combray.conversation.turns import Conversation


def main(arguments: list[str] | None = None) -> int:
    """Fill a store, then take turns without and with streaming, and time adding, preparing and reading."""
    made = argparse.ArgumentParser(prog="python -m bench.conversation", description=__doc__)
    made.add_argument("--memories", type=int, default=10_000)
    made.add_argument("--turns", type=int, default=60)
    made.add_argument("--embedder", default="wordllama")
    options = made.parse_args(arguments)
    pool = made_up.clauses(made_up.sources(None))
    said = [each.text for each in made_up.texts(pool, options.memories + 2 * options.turns)]
    with tempfile.TemporaryDirectory() as folder:
        engine = combray.open(Path(folder) / "talk.db", embedder=options.embedder)
        engine.remember_many(
            [
                {"content": text, "kind": "episode", "session": f"s{place // 20}"}
                if place % 2
                else {"content": text}
                for place, text in enumerate(said[: options.memories])
            ],
            diff=False,
        )
        engine.recall(said[0])
        rest = said[options.memories :]
        times = _turns(engine.conversation("plain"), engine.conversation("streamed"), rest)
        engine.close()
    for name, seconds in times.items():
        # The first turns open connections and fill caches.
        warm = np.array(seconds[5:]) * 1000
        print(f"{name:15} p50 {np.percentile(warm, 50):6.2f} ms   p95 {np.percentile(warm, 95):6.2f} ms")
    return 0


def _turns(plain: Conversation, streamed: Conversation, texts: list[str]) -> dict[str, list[float]]:
    """Turns to both by turns, so that a busy machine weighs on both alike."""
    times: dict[str, list[float]] = {"add, plain": [], "add, streaming": [], "context()": [], "preparation": []}

    def timed(name: str, call: Callable[[], object]) -> None:
        started = time.perf_counter()
        call()
        times[name].append(time.perf_counter() - started)

    for one, other in zip(texts[::2], texts[1::2], strict=True):
        timed("add, plain", partial(plain.add, one, author="user"))
        timed("add, streaming", partial(streamed.add, other, author="user"))
        timed("preparation", streamed.wait)
        timed("context()", streamed.context)
    return times


if __name__ == "__main__":
    raise SystemExit(main())
