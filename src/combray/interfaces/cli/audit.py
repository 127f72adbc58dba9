"""The verb `audit`: show, verify and export the audit log."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.declared import command
from combray.interfaces.cli.failures import NOTHING_FOUND, VerbGroup, nothing_found
from combray.interfaces.cli.options import Target, opens_store
from combray.interfaces.cli.output import (
    answer,
    console,
    counted,
    for_people,
    in_words,
    show_json,
    show_rows,
)

if TYPE_CHECKING:
    from combray.audit.entry import Entry
    from combray.audit.reading import Report

_SHOWN_IDS = 3


@click.group(
    cls=VerbGroup,
    invoke_without_command=True,
    examples=("combray audit verify", "combray audit show --operation erase", "combray audit export audit.jsonl"),
)
@opens_store()
@click.pass_context
def audit(ctx: click.Context, /, target: Target) -> None:
    """Show, verify and export the audit log.

    Without a subcommand: show the latest entries.
    """
    ctx.obj = target
    if ctx.invoked_subcommand is None:
        _show(target, limit=20)


@command(group=audit)
def show(target: Target, **wanted: Any) -> None:
    """Print the entries."""
    _show(target, **wanted)


def _show(target: Target, **wanted: Any) -> None:
    with target.open() as engine:
        entries = engine.audit.entries(namespace=target.namespace, **wanted)
    headings = ("#", "when", "who", "namespace", "what", "memories")
    show_rows(target, entries, headings, map(_row, entries), unbroken=("#", "when"))
    if not entries:
        nothing_found("no entry matches.")


def _row(entry: Entry) -> tuple[str, ...]:
    what = entry.operation + (f" in {entry.within}" if entry.within else "")
    what += "" if entry.result == "ok" else f": {entry.result}"
    ids = " ".join(each[:13] for each in entry.ids[:_SHOWN_IDS])
    if len(entry.ids) > _SHOWN_IDS:
        ids += f" and {len(entry.ids) - _SHOWN_IDS} more"
    return str(entry.seq), entry.at[:19].replace("T", " "), entry.actor, entry.namespace, what, ids


@command(group=audit)
def verify(target: Target) -> None:
    """Print the findings."""
    from rich.text import Text

    with target.open() as engine:
        report = engine.audit.verify()
    shown = {"ok": report.ok, "entries": report.entries, "last": report.last, "files": report.files}
    shown |= {"findings": report.findings, "more_findings": report.more, "notes": report.notes}
    found = [*((each, "red") for each in report.findings), *((each, "dim") for each in report.notes)]
    rows = (
        (Path(each.file).name, str(each.line or "end"), Text(each.kind, style), each.detail)
        for each, style in found
    )
    show_rows(target, shown, ("file", "line", "", "what"), rows, unbroken=("line",))
    if for_people(target):
        _conclude(report)
    if not report.ok:
        raise click.exceptions.Exit(NOTHING_FOUND)


def _conclude(report: Report) -> None:
    out = console()
    if report.more:
        out.print(f"… and {report.more} more places.")
    files = counted(len(report.files), "file")
    if report.ok:
        out.print(f"The audit log is intact: {report.entries} entries in {files}.")
    else:
        out.print(f"The audit log is damaged; {report.entries} entries in {files} are readable.", style="red")


@command(group=audit)
def certificate(target: Target, memory_id: str) -> None:
    """Print the recorded proofs."""
    with target.open() as engine:
        entries = engine.audit.certificates(memory_id)
    if not entries:
        nothing_found(f"memory {memory_id} has no proof of erasure. Make one with: combray erase ID --prove")
    shown = [{"seq": each.seq, "at": each.at, "id": each.ids[0], **each.detail} for each in entries]
    if not for_people(target):
        show_json(shown)
        return
    for each in shown:
        show_proof(target, each)


def show_proof(target: Target, fields: Mapping[str, Any]) -> None:
    """Print a certificate."""
    shown = {name: value for name, value in fields.items() if name != "digests"}
    rows = ((name.replace("_", " "), in_words(value)) for name, value in shown.items())
    show_rows(target, fields, ("proof of erasure", ""), rows)


@command(group=audit)
def export(target: Target, path: Path) -> None:
    """Write the log to a new file."""
    if path.exists():
        raise click.UsageError(f"{path} already exists. Name a new file.")
    with target.open() as engine, path.open("x", encoding="utf-8", newline="\n") as file:
        count = sum(1 for line in engine.audit.lines() if file.write(line))
    said = f"Wrote {count} entries to {path}."
    answer(target, said, status="written", path=str(path), entries=count)
