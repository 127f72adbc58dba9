"""The command line: `combray VERB ...`. Tables in a terminal, JSON when piped.

A verb imports the engine only when it runs, so that `--help` and shell completion are fast.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence

from combray.interfaces.cli.verbs import combray

__all__ = ["combray", "main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 nothing found or refused, 2 bad usage."""
    # One query is one small matrix product; starting a thread per core costs 40 ms.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Most objects of a call live until its end, so frequent garbage collection is wasted.
    gc.set_threshold(100_000, 20, 20)
    combray.main(arguments, prog_name="combray")
