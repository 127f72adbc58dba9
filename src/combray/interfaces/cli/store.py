"""The verbs of a whole store: `status`, `log`, `doctor`, `backup`, `audit`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.failures import NOTHING_FOUND, nothing_found
from combray.interfaces.cli.options import Target, command, group, opens_store
from combray.interfaces.cli.output import (
    answer,
    console,
    for_people,
    in_words,
    moment,
    show_json,
    show_rows,
    styled,
)
from combray.interfaces.cli.reading import new_file
from combray.values import counted

if TYPE_CHECKING:
    from combray.audit.entry import Entry
    from combray.audit.reading import Report

_LABELS = {"tier": "service tier", "total_insights": "memories", "edge_count": "all edges"}
"""Words of a terminal for the fields whose names in JSON a reader would not understand."""
_SHOWN_IDS = 3


@command(pipelines=True)
def status(target: Target, metrics: bool, days: int) -> None:
    """Print the counts."""
    with target.open() as engine:
        facts = engine.store.status()
        if metrics:
            facts = {"metrics": engine.store.metrics(days), **facts}
    said = facts | {
        "top_entities": {each["entity"]: each["count"] for each in facts["top_entities"]},
        "tier": f"{facts['tier']['tier']}: {facts['tier']['why']}",
        "models": "\n".join(map(_used, facts["models"])),
    }
    rows = ((_LABELS.get(name, name.replace("_", " ")), in_words(value)) for name, value in said.items())
    show_rows(target, facts, ("about", "value"), rows, unbroken=("about",))


def _used(model: Mapping[str, Any]) -> str:
    """Return a model or peer on one line; counts that are 0 or unknown are omitted."""
    counts = [f"{model[name]} {name}" for name in ("calls", "failures", "tokens") if model[name]]
    cost = [f"cost {model['cost']:g}"] if model["cost"] is not None else []
    state = [model["state"]] if model["state"] != "closed" else []
    failed = [f"last failure: {model['last_failure']}"] if model["last_failure"] else []
    parts = ", ".join((*counts, *cost, *state, *failed)) or "ready"
    return f"{model['kind'].replace('_', ' ')} {model['name']}: {parts}"


@command()
def log(target: Target, limit: int) -> None:
    """Print the operations."""
    with target.open() as engine:
        lines = engine.store.log(limit)
    rows = (
        (
            str(each["number"]),
            moment(each["at"]),
            each["memory_id"],
            f"{each['operation']} {each['detail'] or ''}",
        )
        for each in lines
    )
    show_rows(target, lines, ("#", "when", "memory", "what"), rows, unbroken=("#", "memory"))


@command(pipelines=True)
def doctor(target: Target, repair: bool) -> None:
    """Print the findings."""
    with target.open() as engine:
        findings = engine.store.doctor(repair=repair)
    signs = {True: styled("ok", "green"), False: styled("problem", "red")}
    rows = ((each.name, signs[each.ok], each.detail) for each in findings)
    show_rows(target, findings, ("check", "", "detail"), rows)
    if not all(finding.ok for finding in findings):
        raise click.exceptions.Exit(NOTHING_FOUND)


@command()
def backup(target: Target, path: Path, encrypt: bool) -> None:
    """Write the copy to a new file."""
    from combray import settings

    if path.exists():
        raise click.UsageError(f"{path} already exists. Name a new file.")
    key = settings.secret(settings.NEW_KEY) if encrypt else None
    if encrypt and key is None:
        raise click.UsageError(f"--encrypt needs a key. Set {settings.NEW_KEY} or {settings.NEW_KEY}_FILE.")
    with target.open() as engine:
        engine.store.backup(str(path), key=key)
    said = f"Wrote {path}."
    answer(target, said, status="written", path=str(path), bytes=path.stat().st_size)


@group(
    "combray audit verify",
    "combray audit show --operation erase",
    "combray audit export audit.jsonl",
    options=opens_store(),
)
def audit(target: Target) -> None:
    """Show, verify and export the audit log.

    Without a subcommand: show the latest entries.
    """
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
    with target.open() as engine:
        report = engine.audit.verify()
    shown = {"ok": report.ok, "entries": report.entries, "last": report.last, "files": report.files}
    shown |= {"findings": report.findings, "more_findings": report.more, "notes": report.notes}
    found = [*((each, "red") for each in report.findings), *((each, "dim") for each in report.notes)]
    rows = (
        (Path(each.file).name, str(each.line or "end"), styled(each.kind, style), each.detail)
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
    with target.open() as engine, new_file(path) as file:
        count = sum(1 for line in engine.audit.lines() if file.write(line))
    said = f"Wrote {count} entries to {path}."
    answer(target, said, status="written", path=str(path), entries=count)
