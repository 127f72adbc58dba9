"""The verbs `index` and `watch`, for folders of Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.failures import INTERRUPTED, verb
from combray.interfaces.cli.options import Target, opens_store
from combray.interfaces.cli.output import answer, counted, progress, show_lines, skipped

if TYPE_CHECKING:
    from combray.documents.sync import IndexReport

_FOLDER = click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
_ANY = click.Path(exists=True, path_type=Path)


@verb(
    "combray index ~/notes",
    "combray index . --sessions ~/.agent/sessions",
    "combray index docs --rebuild",
    "combray index ~/notes --scope user:ann",
)
@_FOLDER
@click.option("--extra", type=_ANY, multiple=True, metavar="PATH", help="Another Markdown file or folder.")
@click.option(
    "--sessions", type=_ANY, multiple=True, metavar="PATH", help="Transcripts: *.jsonl, a file or folder."
)
@click.option("--redact", is_flag=True, help="Redact secrets in notes too. Transcripts are always redacted.")
@click.option(
    "--trust",
    type=click.Choice(("owner", "agent", "untrusted")),
    help="Trust of the files; untrusted marks third-party content. Stored with the folder; default: owner.",
)
@click.option(
    "--scope",
    metavar="NAME",
    help='Scope of the chunks, such as user:ann. Stored with the folder; "" removes it.',
)
@click.option("--rebuild", is_flag=True, help="Read every file again and erase chunks that are in no file.")
@click.option("--remove", is_flag=True, help="Remove the folder from the index; its chunks are hidden.")
@opens_store(pipelines=True)
def index(target: Target, folder: Path, remove: bool, **how: Any) -> None:
    """Index a folder of Markdown.

    In an agent workspace (one with MEMORY.md or memory/) only those are indexed; otherwise every *.md. Only
    changed files are read.
    """
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
    warnings = [*apart, *skipped(report.skipped), *report.degraded]
    show_lines(target, report.as_json(), [f"{held}: {changes}, in {report.seconds:.1f} s."], warnings)


@verb("combray watch ~/notes")
@_FOLDER
@opens_store(pipelines=True)
def watch(target: Target, folder: Path) -> None:
    """Index a folder, and again after every change, until Ctrl-C.

    A folder that was indexed before keeps its extra paths and transcripts. Requires the extra "watch".
    """
    with target.open(to_write=True) as engine:
        try:
            for report in engine.documents.follow(folder):
                _show(target, report)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(INTERRUPTED) from None
