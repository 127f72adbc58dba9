"""The log of stages that failed while the call went on."""

from __future__ import annotations


def report(stage: str, text: str, failure: Exception) -> None:
    """Log what a stage raised and where. `text` is a hash: no word of a memory is logged."""
    # Imported here: most calls log nothing, and a shell call would wait for it.
    import logging
    import traceback

    *_, (frame, line) = traceback.walk_tb(failure.__traceback__)
    what, place = type(failure).__name__, f"{frame.f_code.co_filename}:{line}"
    logging.getLogger(__name__).error("stage %s failed on text %s: %s at %s", stage, text, what, place)
