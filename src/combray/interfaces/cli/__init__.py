"""The command line: `combray VERB ...`. Tables in a terminal, JSON when piped.

A verb imports the engine only when it runs, so that `--help` and shell completion are fast.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["combray", "main"]


def __getattr__(name: str) -> Any:
    # Loaded on first use: an agent waits for a hook, and click takes longer to load than a hook to answer.
    if name == "combray":
        from combray.interfaces.cli.verbs import combray

        return combray
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 nothing found or refused, 2 bad usage."""
    # One query is one small matrix product; starting a thread per core costs 40 ms.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Most objects of a call live until its end, so frequent garbage collection is wasted.
    gc.set_threshold(100_000, 20, 20)
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == ["hook"]:
        from combray.agents.command import run

        run(words[1:])
    from combray.interfaces.cli.verbs import combray

    try:
        combray.main(arguments, prog_name="combray")
    except SystemExit as end:
        if arguments is None:
            _leave(end.code)
        raise


def _leave(code: object) -> None:
    """End the process without taking the interpreter apart, which takes a fifth of the time of a recall.

    Not if somebody waits for its end: a debugger, a profiler, `python -i` or another thread.
    """
    import threading

    watched = sys.gettrace() or sys.getprofile() or sys.flags.inspect
    if watched or threading.active_count() > 1 or not isinstance(code, int):
        return
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        # The reader is gone. The usual end says so.
        return
    os._exit(code)
