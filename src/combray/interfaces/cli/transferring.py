"""The verbs of files: `export`, `import`, `ingest`, `migrate`, and `index` and `watch` of folders."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from combray.interfaces.cli.failures import INTERRUPTED, NOTHING_FOUND
from combray.interfaces.cli.options import Target, command
from combray.interfaces.cli.output import (
    answer,
    memories,
    moment,
    progress,
    show_lines,
    show_rows,
    skipped,
)
from combray.interfaces.cli.reading import new_file, text_of
from combray.values import counted

if TYPE_CHECKING:
    from combray.documents.sync import IndexReport
    from combray.transfer import ImportReport, IngestReport

_STANDARD = Path("-")
SERVER_MEMORY = "server-memory"
_FOLDER = "okf"
_WRITTEN = (_FOLDER, "parquet", "graphml")


@command()
def export(target: Target, path: Path, where: dict[str, Any] | None, form: str) -> None:
    """Write memories, or the graph of the reference server, to a file or standard output."""
    if where and form == SERVER_MEMORY:
        raise click.UsageError("--where does not apply to --format server-memory.")
    if path.is_dir() and form != _FOLDER:
        raise click.UsageError(f"{path} is a folder. Name a file to write.")
    if form in _WRITTEN:
        _export_as(target, path, where, form)
        return
    with target.open() as engine, _writing(path) as stream:
        if form == SERVER_MEMORY:
            from combray.transfer.knowledge_graph import KnowledgeGraph, dumped

            text = dumped(KnowledgeGraph(engine).read())
            stream.write(text)
            count = text.count("\n") + bool(text)
            if left := engine.list({"metadata.graph": {"exists": False}}, limit=1).total:
                click.echo(
                    f"{memories(left)} not written: {SERVER_MEMORY} holds only the graph that 'combray mcp "
                    "--tools official' keeps. Export without --format for all.",
                    err=True,
                )
        else:
            count = engine.store.export_to(stream, where=where)
    if path == _STANDARD:
        return
    said = f"Wrote {counted(count, 'line') if form == SERVER_MEMORY else memories(count)} to {path}."
    answer(target, said, status="written", path=str(path), memories=count)


def _export_as(target: Target, path: Path, where: dict[str, Any] | None, form: str) -> None:
    """Write the active memories in the format of another tool."""
    from combray.transfer.formats import write_file

    if path == _STANDARD:
        raise click.UsageError(f"--format {form} needs the name of a file or folder.")
    lines = io.StringIO()
    with target.open() as engine:
        engine.store.export_to(lines, where=where)
    # Lines end with a line feed: a text may hold other characters that `str.splitlines` splits at.
    lines.seek(0)
    count, left = write_file(path, form, lines)
    for each in left:
        click.echo(f"not written: {each}", err=True)
    answer(target, f"Wrote {memories(count)} to {path}.", status="written", path=str(path), memories=count)


@contextmanager
def _writing(path: Path) -> Iterator[TextIO]:
    """Open standard output or a new file."""
    if path == _STANDARD:
        stream = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n", write_through=True)
        try:
            yield stream
        finally:
            stream.detach()
        return
    with new_file(path) as file:
        yield file


@command(pipelines=True)
def import_(
    target: Target,
    path: Path,
    dry_run: bool,
    skip_bad: bool,
    no_diff: bool,
    trusted: bool,
    form: str,
    names: str | None,
) -> None:
    """Import a file or folder, and print what was stored."""
    from combray.transfer.formats import OURS, detect, read_file
    from combray.transfer.parser import Parsed, left_of

    columns = _columns(names)
    if form == "auto":
        form = OURS if path == _STANDARD else detect(path, mapped=bool(columns))
    if form == SERVER_MEMORY:
        _import_graph(target, path, dry_run=dry_run)
        return
    if dry_run and not target.exists():
        target = replace(target, db=":memory:", store=None)
    lines = sys.stdin.buffer if path == _STANDARD else read_file(path, form, columns)
    with target.open(to_write=True) as engine, progress("Importing", None) as step:
        report = engine.store.import_from(
            lines, dry_run=dry_run, skip_bad=skip_bad, diff=not no_diff, trusted=trusted, progress=step
        )
    if isinstance(lines, Parsed):
        # A server counts what reached it only.
        report = replace(report, shape=lines.shape, left=left_of(lines.left))
    problems = list(map(str, report.problems))
    left = [f"no place for: {each}" for each in report.left]
    apart = (
        [f"{report.quarantined} kept in quarantine: combray review --quarantined"] if report.quarantined else []
    )
    show_lines(target, {**asdict(report), "problems": problems}, [_imported(report)], [*apart, *left, *problems])
    if problems:
        raise click.exceptions.Exit(NOTHING_FOUND)


def _columns(names: str | None) -> dict[str, str]:
    """Return the fields of --map with their columns."""
    found = {}
    for each in (names or "").split(",") if names else ():
        field, equals, column = each.partition("=")
        if not (field.strip() and equals and column.strip()):
            raise click.UsageError(f"--map {each!r} is not FIELD=COLUMN. Write it like text=body,author=who.")
        found[field.strip()] = column.strip()
    return found


def _import_graph(target: Target, path: Path, *, dry_run: bool) -> None:
    """Store the JSONL file of the reference memory server, for `combray mcp --tools official`."""
    from combray.transfer.knowledge_graph import KnowledgeGraph, parsed

    entities, relations = parsed(text_of(path), str(path))
    if not dry_run:
        with target.open(to_write=True) as engine:
            KnowledgeGraph(engine).add(entities, relations)
    done = "Would import" if dry_run else "Imported"
    said = f"{done} {len(entities)} entities and {len(relations)} relations."
    status = "checked" if dry_run else "imported"
    answer(target, said, status=status, entities=len(entities), relations=len(relations))


def _imported(report: ImportReport) -> str:
    counts = {
        "memories": report.memories,
        "versions": report.versions,
        "edges": report.edges,
        "replaced": report.replaced,
        "already stored": report.skipped,
    }
    said = ", ".join(f"{count} {what}" for what, count in counts.items() if count) or "nothing new"
    return f"{'Would import' if report.dry_run else 'Imported'} {said}."


@command(pipelines=True)
def ingest(
    target: Target,
    paths: tuple[str, ...],
    clients: tuple[str, ...],
    dry_run: bool,
    extract: str | None,
    scope: str | None,
) -> None:
    """Store the turns of files, and print what was stored."""
    from combray import transfer
    from combray.conversation.auto_memory import extract_from

    paths = (*paths, *_histories(clients))
    if not paths:
        raise click.UsageError("Give a PATH, or a client with --from.")
    if dry_run and not target.exists():
        target = replace(target, db=":memory:", store=None)
    with target.open(to_write=True) as engine, progress("Storing turns", None) as step:
        save = partial(extract_from, given=extract)
        how: dict[str, Any] = {"save": save, "progress": step, "dry_run": dry_run, "scope": scope}
        reports = [transfer.ingest(engine, path, **how) for path in paths]
    both = list(zip(paths, reports, strict=True))
    plain = [{"file": path, "dry_run": dry_run, **asdict(report)} for path, report in both]
    said = [_ingested(path, report, dry_run=dry_run) for path, report in both]
    left = [
        line for each in reports for line in (*skipped(each.unread), *map("refused: {}".format, each.refused))
    ]
    show_lines(target, plain, said, left)
    if any(report.refused for report in reports):
        raise click.exceptions.Exit(NOTHING_FOUND)


def _histories(clients: tuple[str, ...]) -> list[str]:
    """The folders of clients that exist. A client without any is an error."""
    from combray.agents.clients.files import session_folders
    from combray.agents.clients.places import Places

    found = []
    for client in dict.fromkeys(clients):
        places = session_folders(client, Places())
        here = [str(each) for each in places if each.exists()]
        if not here:
            listed = " and ".join(map(str, places))
            raise click.UsageError(
                f"{client} has no sessions here: {listed} does not exist. Give their folder as PATH."
            )
        found += here
    return found


def _ingested(path: str, report: IngestReport, *, dry_run: bool) -> str:
    talks = f"{counted(report.turns, 'turn')} of {counted(report.conversations, 'conversation')}"
    talks += f" in {report.files} files" if report.files > 1 else ""
    talks += f", {moment(report.first)} to {moment(report.last)}" if report.first else ""
    talks += f"; {report.known} stored already" if report.known else ""
    talks += f"; {report.saved} facts" if report.saved else ""
    what = "would store" if dry_run else "stored"
    into = f"into namespace {', '.join(report.namespaces)}" if report.namespaces else ""
    done = f"{what} {report.memories} in {report.seconds:.1f} s {into}".rstrip()
    return f"{path}: {talks}: {done}."


@command()
def migrate(target: Target, source: str, copy: str, only: tuple[str, ...]) -> None:
    """Copy, and print what each namespace has."""
    from combray.engine.opening import migrate as run

    with progress("memories") as bar:
        moved = run(source, copy, namespaces=only, progress=lambda _, done, total: bar(done, total))
    names = ("namespace", "memories", "edges", "copied", "checksum")
    rows = ([str(getattr(each, name)) for name in names] for each in moved)
    show_rows(target, [asdict(each) for each in moved], names, rows)


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
