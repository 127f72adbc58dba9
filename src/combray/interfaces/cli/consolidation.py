"""The verb `consolidate`: run, preview and undo a consolidation."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from combray.interfaces.cli.failures import NOTHING_FOUND, Verb, say
from combray.interfaces.cli.options import Target, opens_store
from combray.interfaces.cli.output import compact, console, for_people, progress, short, show_json, table

if TYPE_CHECKING:
    from combray.engine import Engine
    from combray.engine.consolidation import ConsolidationReport, Progress, Run, Undone, Waiting

_ROWS = 60
"""Lines of a plan shown in a terminal; JSON has all of them."""
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_DURATION = re.compile(r"(\d+)([smhd])")


def _duration(ctx: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    del ctx, parameter
    if value is None:
        return None
    found = _DURATION.fullmatch(value)
    if found is None or int(found[1]) < 1:
        raise click.BadParameter(f"{value!r} is not a duration. Use a number with s, m, h or d, such as 24h.")
    return int(found[1]) * _SECONDS[found[2]]


@click.command(
    cls=Verb,
    examples=(
        "combray consolidate --dry-run",
        "combray consolidate",
        "combray consolidate --undo RUN",
        "combray consolidate --every 24h",
    ),
)
@click.option("--dry-run", is_flag=True, help="Show the plan and change nothing.")
@click.option(
    "--most",
    type=click.IntRange(0),
    default=1000,
    show_default=True,
    metavar="N",
    help="Maximum number of memories that one run may merge, supersede, deprecate or reactivate.",
)
@click.option("--undo", metavar="RUN", help="Undo this run; a unique prefix of its id is enough.")
@click.option("--runs", is_flag=True, help="List the latest runs.")
@click.option("--every", callback=_duration, metavar="TIME", help="Keep running, at this interval: 30m, 24h, 7d.")
@opens_store(pipelines=True)
def consolidate(
    target: Target, dry_run: bool, most: int, undo: str | None, runs: bool, every: int | None
) -> None:
    """Merge, update and re-rate facts, or undo that.

    Confidence is updated from evidence and age, paraphrases are merged, corrections supersede old facts. Nothing
    is deleted: single memories can be restored, and a whole run can be undone.
    """
    if sum((dry_run, undo is not None, runs, every is not None)) > 1:
        raise click.UsageError("--dry-run, --undo, --runs and --every exclude one another. Give one of them.")
    with target.open(to_write=False) as engine:
        if runs:
            _show_runs(target, engine.consolidation.runs())
        elif undo is not None:
            _show_undone(target, engine.consolidation.undo(undo))
        elif every is not None:
            _stay(target, engine, most, every)
        else:
            _show(target, _run(engine, most, dry_run=dry_run))


def _run(engine: Engine, most: int, *, dry_run: bool) -> ConsolidationReport:
    with _bars() as tell:
        return engine.consolidation.run(dry_run=dry_run, most=most, progress=tell)


@contextmanager
def _bars() -> Iterator[Progress]:
    """Show one progress bar per stage."""
    current = ""
    with ExitStack() as stack:
        step: Callable[[int], None]

        def tell(what: str, done: int, total: int) -> None:
            nonlocal current, step
            if what != current:
                stack.close()
                current, step = what, stack.enter_context(progress(what, total))
            step(done)

        yield tell


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
        show_json(_as_json(done))
        return
    out = console()
    if done.plan:
        shown = table("what", "memory", "why", unbroken=("what",))
        for line in done.plan[:_ROWS]:
            shown.add_row(line.operation, short(line.content, 60), short(line.detail, 60))
        out.print(shown)
        if len(done.plan) > _ROWS:
            out.print(f"… and {len(done.plan) - _ROWS} more (--json shows all)", style="dim")
    counts = ", ".join(f"{count} {name}" for name, count in done.counts.items())
    out.print(f"{'Would be done' if done.dry_run else 'Done'}: {counts or 'nothing'}.")
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


def show_doubtful(target: Target, limit: int) -> None:
    """List pairs of facts that consolidation could not decide, and how to resolve them."""
    with target.open() as engine:
        found = engine.consolidation.waiting()[:limit]
    if not for_people(target):
        show_json([_waiting(each) for each in found])
        return
    if not found:
        console().print("No pair of facts is undecided.")
        return
    shown = table("older", "newer", "why")
    for each in found:
        both = (f"{short(memory.content, 60)}\n{memory.id}" for memory in (each.first, each.second))
        shown.add_row(*both, each.reason)
    console().print(shown)
    console().print("Resolve with combray forget ID or combray remember TEXT.", style="dim")


def _waiting(each: Waiting) -> dict[str, object]:
    return {"first": compact(each.first), "second": compact(each.second), "reason": each.reason}


def _as_json(done: ConsolidationReport) -> dict[str, object]:
    return {
        "run_id": done.run_id,
        "dry_run": done.dry_run,
        "counts": dict(done.counts),
        "plan": [asdict(line) for line in done.plan],
        "waiting": [_waiting(each) for each in done.waiting],
        "skipped_because_of_cap": done.skipped_because_of_cap,
        "resumed": done.resumed,
        "degraded": list(done.degraded),
    }


def _show_undone(target: Target, undone: Undone) -> None:
    if for_people(target):
        out = console()
        out.print(f"Run {undone.run_id}: {len(undone.restored)} memories are as they were before it.")
        for refusal in undone.refused:
            out.print(f"{refusal.memory_id} stays: {refusal.reason}", style="yellow")
    else:
        show_json(asdict(undone))
    if undone.refused:
        raise click.exceptions.Exit(NOTHING_FOUND)


def _show_runs(target: Target, runs: list[Run]) -> None:
    if not for_people(target):
        from combray.engine.consolidation import moment

        show_json(
            [
                {
                    "run_id": run.id,
                    "started": moment(run.started),
                    "ended": None if run.ended is None else moment(run.ended),
                    "state": run.state,
                    "counts": dict(run.counts),
                }
                for run in runs
            ]
        )
        return
    if not runs:
        console().print("No consolidation has run yet.")
        return
    from combray.engine.consolidation import moment

    shown = table("run", "started", "state", "what it did", unbroken=("run", "started"))
    for run in runs:
        counts = ", ".join(f"{count} {name}" for name, count in run.counts.items())
        shown.add_row(run.id, f"{moment(run.started):%Y-%m-%d %H:%M}", run.state, counts or "nothing")
    console().print(shown)


COMMANDS = {"consolidate": consolidate}
