"""Import a file of memories: a dry run first; a file with errors is not imported unless asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Protocol, runtime_checkable

from combray.audit.audited import doing
from combray.errors import InvalidInputError
from combray.records import replace
from combray.remember.guard import Guard
from combray.runtime import Embedder, Rememberer, Runtime, Store
from combray.transfer import additions, restoration
from combray.transfer.items import read_items
from combray.transfer.parser import parse
from combray.transfer.report import ImportReport, left_of

Progress = Callable[[int], None]
"""Called with the number of memories done."""


@runtime_checkable
class ImportTarget(Rememberer, Protocol):
    """A namespace to import into, such as an `Engine`."""

    @property
    def guard(self) -> Guard:
        """Judges the texts of an export."""
        ...


def import_from(
    target: ImportTarget | Store,
    namespace: str,
    lines: Iterable[str | bytes],
    *,
    dry_run: bool = True,
    skip_bad: bool = False,
    diff: bool = True,
    trusted: bool = False,
    embedder: Embedder | None = None,
    progress: Progress | None = None,
) -> ImportReport:
    """Import the lines of a file (an open file works, preferably binary), or report what an import would do.

    Formats: an export of Combray, restored exactly, with vectors from `embedder` (default: the engine's);
    Mnemon's draft {schema_version: "1", source, insights, edges}; JSON lines or one JSON array of items
    {"content", ...} with the fields of `remember`. In items, "text" is the content, "created_at" the time of
    recording, "timestamp" the time of the event, and "edges" a list of {"target": an item's id or its place from
    0, or a stored id, "type", "weight", "reason"}. Items go through `remember_many` oldest first (`diff=False`:
    without deduplication); then edges and the temporal backbone are written. `formats.read_file` reads the files
    of other tools as lines.

    Memories keep the trust they name, but unless the file is `trusted` the guard judges them as untrusted and
    quarantines prompt injection. A trusted export keeps memories that were released from quarantine.

    A dry run writes nothing. A real run raises InvalidInputError before it writes if a line is invalid, unless
    `skip_bad`. An export is written in one transaction, items in one per batch. Raises ModelError before it
    writes if the vectors of an export cannot be computed.
    """
    engine = target if isinstance(target, ImportTarget) else None
    store = target.runtime.store if isinstance(target, ImportTarget) else target
    if engine is not None and engine.namespace != namespace:
        problem = f"{namespace!r} is not the engine's namespace {engine.namespace!r}."
        raise InvalidInputError("namespace", problem, "Open an engine with that namespace.")
    clock = engine.runtime.clock if engine is not None else time.time
    reader = store.reader(namespace)
    parsed = parse(lines)
    if parsed.shape in ("combray", "empty"):
        plan = restoration.plan(parsed, reader, namespace, engine.guard if engine else Guard(), trusted=trusted)
        if not _go_on(plan.report, dry_run, skip_bad):
            return plan.report
        model = embedder if embedder is not None else engine.runtime.embedder if engine is not None else None
        with doing("import"):
            return restoration.apply(plan, store, namespace, clock(), model, progress)
    items = read_items(parsed, namespace, clock(), Runtime(store, clock=clock))
    found = additions.plan(items, parsed.shape, reader, diff)
    found.report = replace(found.report, left=left_of(parsed.left))
    if not _go_on(found.report, dry_run, skip_bad):
        return found.report
    if engine is None:
        problem = "must be an engine to import items, got a store."
        raise InvalidInputError("target", problem, "Open one with combray.open.")
    with doing("import"):
        return additions.apply(found, engine, diff, progress, trusted=trusted, atomic=not skip_bad)


def _go_on(report: ImportReport, dry_run: bool, skip_bad: bool) -> bool:
    """Whether to write. Raises InvalidInputError for a real run on a file with errors."""
    if dry_run:
        return False
    if report.problems and not skip_bad:
        several = f"{len(report.problems)} problems" if len(report.problems) > 1 else "a problem"
        raise InvalidInputError(
            "import",
            f"the file has {several} and nothing was written. First problem: {report.problems[0]}",
            "Fix the file (a dry run lists every problem), or skip invalid lines (skip_bad, --skip-bad).",
        )
    return True
