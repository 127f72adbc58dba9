"""The verbs `consolidate` and `worker`, which run once, or stay and work at an interval."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from combray.interfaces.cli.failures import INTERRUPTED, NOTHING_FOUND, say
from combray.interfaces.cli.options import Target, command
from combray.interfaces.cli.output import (
    answer,
    console,
    for_people,
    pairs,
    progress,
    short,
    show_json,
    show_lines,
    show_rows,
)

if TYPE_CHECKING:
    from combray.conversation.extraction import Extracted
    from combray.embedding.working import Worked
    from combray.engine import Engine
    from combray.engine.consolidation import ConsolidationReport, Run

_ROWS = 60
"""Lines of a plan shown in a terminal; JSON has all of them."""
_FIELDS = ("run_id", "dry_run", "counts", "plan", "waiting", "skipped_because_of_cap", "resumed", "degraded")
_A_ROUND = 40
"""Turns that are read before the next round of vectors."""


@command(pipelines=True)
def consolidate(
    target: Target, dry_run: bool, most: int, undo: str | None, runs: bool, every: int | None
) -> None:
    """Run once or at an interval, undo a run, or list the runs."""
    if sum((dry_run, undo is not None, runs, every is not None)) > 1:
        raise click.UsageError("--dry-run, --undo, --runs and --every exclude one another. Give one of them.")
    with target.open(to_write=False) as engine:
        if runs:
            _show_runs(target, engine.consolidation.runs())
        elif undo is not None:
            undone = engine.consolidation.undo(undo)
            lines = [f"Run {undone.run_id}: {len(undone.restored)} memories are as they were before it."]
            lines += [f"{refusal.memory_id} stays: {refusal.reason}" for refusal in undone.refused]
            answer(target, "\n".join(lines), **asdict(undone))
            if undone.refused:
                raise click.exceptions.Exit(NOTHING_FOUND)
        elif every is not None:
            _stay(target, engine, most, every)
        else:
            _show(target, _run(engine, most, dry_run=dry_run))


def _run(engine: Engine, most: int, *, dry_run: bool) -> ConsolidationReport:
    """Run once, with one progress bar per stage."""
    current = ""
    step: Callable[[int], None]
    with ExitStack() as bars:

        def report(what: str, done: int, total: int) -> None:
            nonlocal current, step
            if what != current:
                bars.close()
                current, step = what, bars.enter_context(progress(what, total))
            step(done)

        return engine.consolidation.run(dry_run=dry_run, most=most, progress=report)


def _stay(target: Target, engine: Engine, most: int, every: int) -> None:
    """Run at an interval until interrupted. A failed run is reported and repeated at the next interval."""
    from combray.errors import StoreError

    while True:
        started = time.monotonic()
        try:
            done = _run(engine, most, dry_run=False)
        except StoreError as error:
            say(str(error))
        else:
            _show(target, done)
        time.sleep(max(0.0, every - (time.monotonic() - started)))


def _show(target: Target, done: ConsolidationReport) -> None:
    if not for_people(target):
        show_json({name: getattr(done, name) for name in _FIELDS} | {"waiting": pairs(done.waiting)})
        return
    out = console()
    rows = ((each.operation, short(each.content, 60), short(each.detail, 60)) for each in done.plan[:_ROWS])
    more = f"… and {len(done.plan) - _ROWS} more (--json shows all)" if len(done.plan) > _ROWS else ""
    show_rows(target, None, ("what", "memory", "why"), rows, hint=more, unbroken=("what",))
    out.print(f"{'Would be done' if done.dry_run else 'Done'}: {_counted(done.counts)}.")
    for each in done.waiting[:_ROWS]:
        out.print(f"? {short(each.first.content, 50)} ↔ {short(each.second.content, 50)}: {each.reason}")
    if done.skipped_because_of_cap:
        out.print(f"{done.skipped_because_of_cap} more changes are left for the next run (--most).")
    if done.resumed:
        out.print(f"Run {done.resumed} had been interrupted and was completed first.")
    for problem in done.degraded:
        out.print(problem, style="yellow")
    if done.counts and not done.dry_run:
        out.print(f"Undo it with: combray consolidate --undo {done.run_id}", style="dim")


def _show_runs(target: Target, runs: list[Run]) -> None:
    from combray.engine.consolidation import moment

    listed = []
    for run in runs:
        times = {"started": moment(run.started), "ended": run.ended and moment(run.ended)}
        listed.append({"run_id": run.id, **times, "state": run.state, "counts": dict(run.counts)})
    rows = ((run.id, f"{moment(run.started):%Y-%m-%d %H:%M}", run.state, _counted(run.counts)) for run in runs)
    show_rows(
        target,
        listed,
        ("run", "started", "state", "what it did"),
        rows,
        none="No consolidation has run yet.",
        unbroken=("run", "started"),
    )


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "nothing"


@command(pipelines=True)
def worker(
    target: Target, once: bool, batch: int, everywhere: bool, reembed: bool, retry_failed: bool, drop: str | None
) -> None:
    """Make vectors once or until Ctrl-C."""
    if drop is not None and (once or everywhere or reembed or retry_failed):
        raise click.UsageError("--drop excludes the other options of worker. Give it alone.")
    with target.open() as engine:
        if drop is not None:
            done = engine.vectors.reembed(drop=drop)
            said = f"{done.dropped} vectors of {drop} deleted; {done.memories} memories have {done.model}."
            answer(target, said, **asdict(done))
            return
        if retry_failed:
            for each in _engines(engine, everywhere):
                each.vectors.retry_failed()
        try:
            if once:
                _work_once(target, engine, batch, everywhere, reembed)
            else:
                _work(target, engine, batch, everywhere, reembed)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(INTERRUPTED) from None


def _engines(engine: Engine, everywhere: bool) -> list[Engine]:
    return [engine.within(name) for name in engine.store.namespaces()] if everywhere else [engine]


def _queue_all(engine: Engine, everywhere: bool, seen: dict[str, int]) -> None:
    """Queue memories without a vector in namespaces that changed after they were `seen`."""
    for each in _engines(engine, everywhere):
        if seen.get(each.namespace) != each.store.revision():
            each.vectors.reembed()
            seen[each.namespace] = each.store.revision()


def _work_once(target: Target, engine: Engine, batch: int, everywhere: bool, reembed: bool) -> None:
    if reembed:
        _queue_all(engine, everywhere, {})
    with progress("Embedding", None if everywhere else engine.vectors.pending()) as step:
        worked = engine.vectors.make(batch=batch, everywhere=everywhere, progress=step)
    read = engine.extraction.read(everywhere=everywhere)
    _show_worked(target, worked, read)
    if worked.failed and not worked.embedded:
        raise click.exceptions.Exit(NOTHING_FOUND)


def _work(target: Target, engine: Engine, batch: int, everywhere: bool, reembed: bool) -> None:
    """Process jobs until interrupted; print a line for each round that did something."""
    from combray.conversation.extraction import Extracted
    from combray.embedding.background import pause_after
    from combray.embedding.working import Worked
    from combray.errors import StoreError

    pause = 0.0
    seen: dict[str, int] = {}
    while True:
        try:
            if reembed:
                # Other processes may have written memories without a vector of this embedder.
                _queue_all(engine, everywhere, seen)
            worked = engine.vectors.make(batch=batch, everywhere=everywhere)
            read = engine.extraction.read(everywhere=everywhere, limit=_A_ROUND)
        except StoreError as error:
            say(str(error))
            worked, read = Worked(failed=1), Extracted()
        if worked.embedded or worked.failed or read.read or read.failed:
            _show_worked(target, worked, read, a_line=True)
        pause = pause_after(worked + Worked(read.read, read.failed), pause)
        time.sleep(pause)


def _show_worked(target: Target, worked: Worked, read: Extracted, *, a_line: bool = False) -> None:
    plain = asdict(worked) | ({"extraction": asdict(read)} if read.calls else {})
    if a_line and not for_people(target):
        click.echo(json.dumps(plain))
        return
    said = [f"{worked.embedded} embedded, {worked.failed} failed, {worked.left} left."]
    if read.calls:
        said.append(f"{read.read} turns read, {len(read.facts)} facts, {read.left} turns left.")
    show_lines(target, plain, said, filter(None, [worked.error, read.error]))
