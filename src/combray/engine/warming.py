"""Warm-up of a long-lived process: what the first question would load, loaded before it comes."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from combray.engine.engine import Engine

_QUESTION = "What happened last week?"
"""Holds a date, so that the grammar of dates is built too."""


def warm_up(engine: Engine) -> None:
    """Load columns, vectors, tables and tokenizer of an engine by one question.

    The question is not recorded: neither the audit nor the access counts have it. It is not asked if a model of
    the engine leaves the process, or if there is a reranker or a peer: that may cost money.
    """
    at = engine._at
    runtime = at.runtime
    embedders = [each for each in (runtime.embedder, runtime.before) if each is not None]
    if runtime.reranker is not None or runtime.peers or any(each.leaves_process for each in embedders):
        return
    recall = at.preset.recall
    at.asking().answer(_QUESTION, recall, at.preset.name, limit=1, basic=False, options={})


def warm_up_in_background(engine: Engine) -> threading.Thread:
    """Start the warm-up in a daemon thread and return it. A failure is left to the first real call to report."""

    def work() -> None:
        # Also when the engine is closed in the middle of it.
        with suppress(Exception):
            warm_up(engine)

    thread = threading.Thread(target=work, name="combray-warm-up", daemon=True)
    thread.start()
    return thread
