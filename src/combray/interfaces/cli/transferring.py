"""The verbs `export`, `import` and `ingest`."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from combray.interfaces.cli.failures import NOTHING_FOUND, verb
from combray.interfaces.cli.files import new_file
from combray.interfaces.cli.options import Target, in_a_folder, opens_store, where_option
from combray.interfaces.cli.output import (
    answer,
    counted,
    memories,
    moment,
    progress,
    show_lines,
    skipped,
)

if TYPE_CHECKING:
    from combray.transfer import ImportReport, IngestReport

_STANDARD = Path("-")
SERVER_MEMORY = "server-memory"
_format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["combray", SERVER_MEMORY]),
    default="combray",
    show_default=True,
    help="server-memory: the JSONL file of the reference MCP memory server.",
)
_INPUT = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)


@verb("combray export memories.jsonl", "combray export | gzip > memories.jsonl.gz")
@click.argument(
    "path",
    metavar="[FILE]",
    type=click.Path(dir_okay=False, path_type=Path),
    default=_STANDARD,
    callback=in_a_folder,
)
@_format_option
@where_option
@opens_store()
def export(target: Target, path: Path, where: dict[str, Any] | None, form: str) -> None:
    """Export a namespace as JSON lines.

    The export has memories of any status, their history and edges. Without FILE, or with -, it goes to standard
    output. 'combray import --trusted' restores it exactly. --format server-memory writes only the graph that
    'combray mcp --tools official' keeps.
    """
    if where and form == SERVER_MEMORY:
        raise click.UsageError("--where does not apply to --format server-memory.")
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


@verb("combray import old.jsonl --dry-run", "combray import memories.jsonl", name="import")
@click.argument("path", metavar="FILE", type=_INPUT)
@click.option(
    "--dry-run", is_flag=True, help="Write nothing; report what would be written and every invalid line."
)
@click.option("--skip-bad", is_flag=True, help="Skip invalid lines instead of rejecting the file.")
@click.option("--no-diff", is_flag=True, help="Store every item without looking for duplicates.")
@click.option(
    "--trusted", is_flag=True, help="The file is your own: judge its texts by their own trust, not as untrusted."
)
@_format_option
@opens_store(pipelines=True)
def import_(
    target: Target, path: Path, dry_run: bool, skip_bad: bool, no_diff: bool, trusted: bool, form: str
) -> None:
    """Import memories from a file.

    Formats: an export, a Mnemon draft, or JSON lines of {"content": ...}. Items may have every field of remember,
    historical dates, and edges. The whole file is validated before anything is written.
    """
    if form == SERVER_MEMORY:
        _import_graph(target, path, dry_run=dry_run)
        return
    if dry_run and not target.exists():
        target = replace(target, db=":memory:", store=None)
    with (
        target.open(to_write=True) as engine,
        progress("Importing", None) as step,
        nullcontext(sys.stdin.buffer) if path == _STANDARD else path.open("rb") as lines,
    ):
        report = engine.store.import_from(
            lines, dry_run=dry_run, skip_bad=skip_bad, diff=not no_diff, trusted=trusted, progress=step
        )
    problems = list(map(str, report.problems))
    apart = (
        [f"{report.quarantined} kept in quarantine: combray review --quarantined"] if report.quarantined else []
    )
    show_lines(target, {**asdict(report), "problems": problems}, [_imported(report)], [*apart, *problems])
    if problems:
        raise click.exceptions.Exit(NOTHING_FOUND)


def _import_graph(target: Target, path: Path, *, dry_run: bool) -> None:
    """Store the JSONL file of the reference memory server, for `combray mcp --tools official`."""
    from combray.transfer.knowledge_graph import KnowledgeGraph, parsed

    text = (sys.stdin.buffer.read() if path == _STANDARD else path.read_bytes()).decode("utf-8-sig")
    entities, relations = parsed(text, str(path))
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


@verb(
    "combray ingest --from claude-code --dry-run",
    "combray ingest chatgpt-export.zip",
    "combray ingest chat.jsonl --namespace chats",
    "combray ingest chat.jsonl --scope user:ann",
)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(exists=True))
@click.option(
    "--from",
    "clients",
    multiple=True,
    type=click.Choice(("claude-code", "codex", "cursor", "gemini-cli", "openclaw", "opencode")),
    help="The session files of a client on this machine.",
)
@click.option("--dry-run", is_flag=True, help="Store nothing; report what would be stored.")
@click.option(
    "--auto/--no-auto", default=None, help="Store what users state as facts [env: COMBRAY_AUTO_MEMORY]."
)
@click.option("--scope", metavar="NAME", help="Scope of the turns and of facts made of them, such as user:ann.")
@opens_store(pipelines=True)
def ingest(
    target: Target,
    paths: tuple[str, ...],
    clients: tuple[str, ...],
    dry_run: bool,
    auto: bool | None,
    scope: str | None,
) -> None:
    """Store conversations, one episode per turn.

    PATH is a session file of Claude Code, Codex, Cursor, Gemini CLI, OpenClaw or opencode, a folder of them, or
    the zip that ChatGPT or Claude exports. Of these, turns that are stored already are skipped, so you can
    call it again. Also: JSON lines of {"author", "text", "session", "occurred_at"}, and the JSON of LoCoMo and
    LongMemEval. Their turns have no ids: a second call stores them again. If such a file has several
    conversations, each goes into a namespace with its name.
    """
    from combray import transfer
    from combray.conversation.auto_memory import save_what_is_worth_it

    paths = (*paths, *_histories(clients))
    if not paths:
        raise click.UsageError("Give a PATH, or a client with --from.")
    if dry_run and not target.exists():
        target = replace(target, db=":memory:", store=None)
    with target.open(to_write=True) as engine, progress("Storing turns", None) as step:
        wanted = bool(engine.settings.get("auto_memory")) if auto is None else auto
        save = save_what_is_worth_it if wanted else None
        how: dict[str, Any] = {"save": save, "progress": step, "dry_run": dry_run, "scope": scope}
        reports = [transfer.ingest(engine, path, **how) for path in paths]
    both = list(zip(paths, reports, strict=True))
    plain = [{"file": path, "dry_run": dry_run, **asdict(report)} for path, report in both]
    said = [_ingested(path, report, dry_run=dry_run) for path, report in both]
    show_lines(target, plain, said, (line for report in reports for line in skipped(report.unread)))


def _histories(clients: tuple[str, ...]) -> list[str]:
    """The folders of clients that exist. A client without any is an error."""
    from combray.agents.clients.history import folders
    from combray.agents.clients.places import Places

    found = []
    for client in dict.fromkeys(clients):
        places = folders(client, Places())
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
