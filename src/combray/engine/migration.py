"""`migrate`: every namespace of one store to another, between files and servers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing

from combray import wiring
from combray.audit.verb import doing
from combray.errors import InvalidInputError, NotFoundError
from combray.settings import load
from combray.transfer.moving import Moved, Progress, move
from combray.values import without_password


def migrate(
    source: str, target: str, *, namespaces: Sequence[str] = (), progress: Progress | None = None
) -> list[Moved]:
    """Copy namespaces (default: all) from one store to another, verified by count and checksum.

    `source` and `target` are locations as `combray.open` takes them. A call that was interrupted is repeated: it
    skips what is there. Raises InvalidInputError, NotFoundError, StoreError and its subclasses.
    """
    if source == target:
        raise InvalidInputError("target", f"{without_password(target)} is the source.", "Name another store.")
    settings = load()
    log = wiring.open_audit(target, settings, time.time)
    try:
        with (
            closing(wiring.open_store(source, settings, read_only=True)) as one,
            closing(wiring.open_store(target, settings, witness=log)) as other,
            doing("migrate"),
        ):
            there = one.namespaces()
            for name in namespaces:
                if name not in there:
                    raise NotFoundError(
                        f"namespace {name!r} is not in {one.location}. It has: {', '.join(there)}."
                    )
            return [move(one, other, name, progress) for name in namespaces or there]
    finally:
        if log is not None:
            log.close()
