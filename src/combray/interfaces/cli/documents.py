"""The verbs `index` and `watch`, for folders of Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.declared import command
from combray.interfaces.cli.failures import INTERRUPTED
from combray.interfaces.cli.options import Target
from combray.interfaces.cli.output import answer, counted, progress, show_lines, skipped

if TYPE_CHECKING:
    from combray.documents.sync import IndexReport


@command(pipelines=True)
def index(target: Target, folder: Path, remove: bool, **how: Any) -> None:
    """Index a folder or remove it, and print what changed."""
    if remove and any(value not in (None, False, ()) for value in how.values()):
        raise click.UsageError("--remove excludes the other options of index. Give it alone.")
    with target.open(to_write=not remove) as engine:
        if remove:
            count = engine.documents.drop(folder)
            said = f"{folder} is no longer indexed; {count} chunks are hidden."
            answer(target, said, status="removed", folder=str(folder), chunks=count)
            return
        with progress("Reading files") as step:
            report = engine.documents.index(folder, progress=step, **how)
    _show(target, report)


def _show(target: Target, report: IndexReport) -> None:
    counts = {name: getattr(report, name) for name in ("added", "changed", "renamed", "removed")}
    changes = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing changed"
    held = f"{counted(report.files, 'file')}, {counted(report.chunks, 'chunk')}"
    apart = (
        [f"{report.quarantined} chunks quarantined: combray review --quarantined"] if report.quarantined else []
    )
    if report.ignored:
        apart.append(
            f"{counted(report.ignored, 'path')} left out by ignore files; COMBRAY_IGNORE_FILES=off reads all"
        )
    warnings = [*apart, *skipped(report.skipped), *report.degraded]
    show_lines(target, report.as_json(), [f"{held}: {changes}, in {report.seconds:.1f} s."], warnings)


@command(pipelines=True)
def watch(target: Target, folder: Path) -> None:
    """Print a report after every change, until Ctrl-C."""
    with target.open(to_write=True) as engine:
        try:
            for report in engine.documents.follow(folder):
                _show(target, report)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(INTERRUPTED) from None
