"""The verb `audit`: show, verify and export the audit log."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.failures import NOTHING_FOUND, VerbGroup, nothing_found
from combray.interfaces.cli.options import Target, in_a_folder, limit, opens_store
from combray.interfaces.cli.output import answer, console, for_people, show_json, table, visible

if TYPE_CHECKING:
    from rich.table import Table

    from combray.audit.verify import Report

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


@audit.command()
@limit(20, "Maximum number of entries.", most=None)
@click.option("--operation", metavar="VERB", help="Only this verb.")
@click.option("--since", metavar="WHEN", help='Only from this time on: 2026-03-01, "last week", …')
@click.option("--id", "memory_id", metavar="ID", help="Only entries about this memory.")
@click.option("--query", metavar="TEXT", help="Only recalls of exactly this query.")
@opens_store()
def show(target: Target, **wanted: Any) -> None:
    """Show the latest matching entries, newest first.

    Without --namespace, all namespaces are shown.
    """
    _show(target, **wanted)


def _show(target: Target, **wanted: Any) -> None:
    with target.open() as engine:
        entries = engine.audit.entries(namespace=target.namespace, **wanted)
    if not for_people(target):
        show_json(entries)
    elif entries:
        shown = table("#", "when", "who", "namespace", "what", "memories", unbroken=("#", "when"))
        for entry in entries:
            what = entry.operation + (f" in {entry.within}" if entry.within else "")
            what += "" if entry.result == "ok" else f": {entry.result}"
            ids = " ".join(each[:13] for each in entry.ids[:_SHOWN_IDS])
            if len(entry.ids) > _SHOWN_IDS:
                ids += f" and {len(entry.ids) - _SHOWN_IDS} more"
            when = entry.at[:19].replace("T", " ")
            cells = (str(entry.seq), when, entry.actor, entry.namespace, what, ids)
            shown.add_row(*map(visible, cells))
        console().print(shown)
    if not entries:
        nothing_found("no entry matches.")


@audit.command()
@opens_store()
def verify(target: Target) -> None:
    """Verify every line of the log, their order, and its end.

    Exit code 1 if an entry was changed, removed, moved or inserted, or if the end is missing.
    """
    with target.open() as engine:
        report = engine.audit.verify()
    if for_people(target):
        _show_report(report)
    else:
        shown = {"ok": report.ok, "entries": report.entries, "last": report.last, "files": report.files}
        findings = {"findings": report.findings, "more_findings": report.more, "notes": report.notes}
        show_json(shown | findings)
    if not report.ok:
        raise click.exceptions.Exit(NOTHING_FOUND)


def _show_report(report: Report) -> None:
    from rich.text import Text

    out = console()
    if report.findings or report.notes:
        shown = table("file", "line", "", "what", unbroken=("line",))
        for style, findings in (("red", report.findings), ("dim", report.notes)):
            for each in findings:
                name = visible(Path(each.file).name)
                shown.add_row(name, str(each.line or "end"), Text(each.kind, style), visible(each.detail))
        out.print(shown)
    if report.more:
        out.print(f"… and {report.more} more places.")
    files = f"{len(report.files)} file{'s' if len(report.files) != 1 else ''}"
    if report.ok:
        out.print(f"The audit log is intact: {report.entries} entries in {files}.")
    else:
        out.print(f"The audit log is damaged; {report.entries} entries in {files} are readable.", style="red")


@audit.command()
@click.argument("memory_id", metavar="ID")
@opens_store()
def certificate(target: Target, memory_id: str) -> None:
    """Show the recorded proof that a memory was erased.

    The salt was printed when the memory was erased. It is needed to show that the proof is about a given text.
    """
    with target.open() as engine:
        entries = engine.audit.certificates(memory_id)
    if not entries:
        nothing_found(f"memory {memory_id} has no proof of erasure. Make one with: combray erase ID --prove")
    shown = [{"seq": each.seq, "at": each.at, "id": each.ids[0], **each.detail} for each in entries]
    if not for_people(target):
        show_json(shown)
        return
    for each in shown:
        console().print(proof(each))


def proof(fields: Mapping[str, Any]) -> Table:
    """Return a certificate as a table."""
    shown = table("proof of erasure", "")
    for name, value in fields.items():
        if name != "digests":
            shown.add_row(visible(name.replace("_", " ")), visible(_in_words(value)))
    return shown


def _in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{each} {name}" for name, each in value.items()) or "nothing"
    if isinstance(value, (list, tuple)):
        found = (
            f"{each.get('file')}: {each.get('count')} {each.get('kind')}"
            if isinstance(each, Mapping)
            else str(each)
            for each in value
        )
        return "\n".join(found) or "nothing"
    return str(value)


@audit.command()
@click.argument("path", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), callback=in_a_folder)
@opens_store()
def export(target: Target, path: Path) -> None:
    """Write the whole log unchanged to a new file, one entry per line."""
    if path.exists():
        raise click.UsageError(f"{path} already exists. Name a new file.")
    with target.open() as engine, path.open("x", encoding="utf-8", newline="\n") as file:
        count = sum(1 for line in engine.audit.lines() if file.write(line))
    said = f"Wrote {count} entries to {visible(str(path))}."
    answer(target, said, status="written", path=str(path), entries=count)
