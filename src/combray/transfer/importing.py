"""The one way in: any file of memories, a dry run first, all or nothing when it has errors."""

from __future__ import annotations

import time
from collections.abc import Iterable

from combray.audit.verb import doing
from combray.errors import InvalidInputError
from combray.remember.guard import Guard
from combray.runtime import Embedder, Runtime, Store
from combray.transfer import adding, restoring
from combray.transfer.items import read_items
from combray.transfer.parsing import parse
from combray.transfer.report import ImportReport
from combray.transfer.target import Progress, Target


def import_from(
    target: Target | Store,
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
    """Read a file's lines (an open file will do; best in binary) and say, or do, what they bring.

    Taken are: an export of Combray, restored as it was, with vectors made by `embedder` (default: the
    engine's); Mnemon's draft {schema_version: "1", source, insights, edges}; and JSON lines, or one JSON
    array, of items {"content", ...} with the fields of `remember`, where "text" is the content,
    "created_at" when it was noted, "timestamp" when it happened, and "edges" lists {"target": an item's id
    or its place from 0, or a stored id, "type", "weight", "reason"}. Items go through `remember_many`
    oldest first (`diff=False`: without looking for duplicates), then edges and the temporal backbone.

    What is imported keeps the trust it names, but the guard judges it as untrusted unless the file is `trusted`,
    and what gives a model orders comes in as quarantined. A trusted export keeps what was released.
    The dry run writes nothing. A real run raises InvalidInputError, before anything is written, when a
    line is bad, unless `skip_bad`. An export is written in one transaction, items in one a batch.
    Raises ModelError, before anything is written, when an export's vectors cannot be made.
    """
    engine = target if isinstance(target, Target) else None
    store = target.runtime.store if isinstance(target, Target) else target
    if engine is not None and engine.namespace != namespace:
        raise InvalidInputError(
            "namespace",
            f"the engine works on {engine.namespace!r}, not on {namespace!r}.",
            "Open it with that namespace.",
        )
    clock = engine.runtime.clock if engine is not None else time.time
    reader = store.reader(namespace)
    parsed = parse(lines)
    if parsed.shape in ("combray", "empty"):
        plan = restoring.plan(parsed, reader, namespace, engine.guard if engine else Guard(), trusted=trusted)
        if not _go_on(plan.report, dry_run, skip_bad):
            return plan.report
        model = embedder if embedder is not None else engine.runtime.embedder if engine is not None else None
        with doing("import"):
            return restoring.apply(plan, store, namespace, clock(), model, progress)
    items = read_items(parsed, namespace, clock(), Runtime(store, clock=clock))
    additions = adding.plan(items, parsed.shape, reader, diff)
    if not _go_on(additions.report, dry_run, skip_bad):
        return additions.report
    if engine is None:
        raise InvalidInputError(
            "target",
            "items are remembered by an engine, and a bare store was given.",
            "Open one with combray.open and give it that.",
        )
    with doing("import"):
        return adding.apply(additions, engine, diff, progress, trusted=trusted)


def _go_on(report: ImportReport, dry_run: bool, skip_bad: bool) -> bool:
    """Whether to write. Raises InvalidInputError for a real run on a file with errors."""
    if dry_run:
        return False
    if report.problems and not skip_bad:
        several = f"{len(report.problems)} problems" if len(report.problems) > 1 else "a problem"
        raise InvalidInputError(
            "import",
            f"the file has {several} and nothing was written; the first is {report.problems[0]}",
            "Mend the file (a dry run lists every problem), or skip what is bad.",
        )
    return True
