"""The shell: `combray VERB ...`. Tables in a terminal, JSON when piped.

Nothing heavy is imported here: a verb imports the engine when it runs, so `--help` and shell completion
stay quick.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence

from combray.interfaces.cli.verbs import combray

__all__ = ["combray", "main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the shell and leave with its exit code: 0 done, 1 nothing found or refused, 2 bad usage."""
    # One query is one small product: starting a thread a core costs 40 ms and gains nothing.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A call makes a few hundred thousand objects that live until it ends: looking through them is wasted.
    gc.set_threshold(100_000, 20, 20)
    combray.main(arguments, prog_name="combray")
