"""Verbs about stored memories: `get`, `update`, `forget`, `restore`, `erase`, `history`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.failures import nothing_found, verb
from combray.interfaces.cli.options import Target, comma_list, opens_store, read_json, several_options
from combray.interfaces.cli.output import (
    answer,
    console,
    counted,
    for_people,
    full,
    in_words,
    memories,
    moment,
    short,
    show_json,
    show_lines,
    show_rows,
    visible,
)
from combray.interfaces.cli.requests import carry_out, request_options, tell_taken
from combray.types import CATEGORIES, TIERS

if TYPE_CHECKING:
    from combray import Changed
    from combray.audit.erasure import Certificate
    from combray.engine import Engine

_SHOWN = 5
"""Memories shown before a filter is confirmed."""
_IDS = click.argument("memory_ids", metavar="[ID]...", nargs=-1)
_ABOUT = ("include", "exclude", "namespaces")
"""Options that only --about takes."""
_CITATION = re.compile(r"(?i)(.+\.(?:md|jsonl))(?:#L(\d{1,9})(?:-L(\d{1,9}))?)?")


@verb("combray get 019a1b2c-3d4e", "combray get memory/2025-11-27.md#L3-L9")
@click.argument("memory_id", metavar="ID|PATH")
@opens_store()
def get(target: Target, memory_id: str) -> None:
    """Show all fields of a memory, or lines of an indexed file.

    ID is an id or a unique prefix of at least 8 characters. PATH is an indexed Markdown file or transcript;
    append #L3-L9 for a range of lines.
    """
    cited = _CITATION.fullmatch(memory_id)
    if cited is not None:
        _get_lines(target, *cited.groups())
        return
    with target.open() as engine:
        memory = engine.get(memory_id)
    fields = full(memory)
    rows = ((name, in_words(value)) for name, value in fields.items() if value not in (None, "", (), {}))
    show_rows(target, fields, ("field", "value"), rows)


def _get_lines(target: Target, path: str, first: str | None, last: str | None) -> None:
    start = int(first) if first else None
    lines = int(last or first or 0) - (start or 0) + 1 if start else None
    with target.open() as engine:
        excerpt = engine.documents.read(path, start=start, lines=lines)
    if for_people(target):
        console().print(visible(excerpt.text))
        for first_apart, last_apart in excerpt.quarantined:
            lines_apart = f"Lines {first_apart} to {last_apart} are in quarantine and hidden from models"
            console().print(f"{lines_apart}: combray review --quarantined", style="yellow")
        if excerpt.next_line:
            console().print(f"More: combray get {visible(path)}#L{excerpt.next_line}", style="dim")
    else:
        show_json(excerpt.as_json())
    if not excerpt.text:
        nothing_found(f"{path} does not exist or does not have these lines. Check the path and the lines.")


@verb(
    "combray forget ID",
    'combray forget --about "everything about Acme"',
    """combray forget --where '{"metadata.user": "ann"}' --dry-run""",
)
@_IDS
@request_options
@several_options
@opens_store()
def forget(target: Target, memory_ids: tuple[str, ...], about: str | None, **several: Any) -> None:
    """Hide memories from recall; nothing is deleted.

    Give ids, select live memories with --where, or say with --about what to forget: an identifier, a name or a
    description. --where and --about need --confirm with the count that they show; in a terminal the command asks.
    """
    asked = {name: several.pop(name) for name in _ABOUT}
    if about is not None:
        _about_alone(memory_ids, several)
        done = carry_out(target, "forget", about, confirm=several["confirm"], dry_run=several["dry_run"], **asked)
        tell_taken(target, done, "forgotten")
        return
    _change(target, "forget", "forgotten", "hidden from recall; undo with combray restore", memory_ids, several)


@verb(
    "combray restore ID",
    "combray restore ID --version 2",
    """combray restore --where '{"metadata.user": "ann"}' --confirm 12""",
)
@_IDS
@click.option("--version", type=click.IntRange(min=1), metavar="N", help="Undo the changes from version N on.")
@several_options
@opens_store()
def restore(target: Target, memory_ids: tuple[str, ...], version: int | None, **several: Any) -> None:
    """Restore memories that were forgotten, superseded or hidden.

    --where selects forgotten memories, unless it names another status.
    """
    if version is None:
        _change(target, "restore", "active", "recalled again", memory_ids, several)
        return
    if len(memory_ids) != 1:
        raise click.UsageError("--version needs one ID.")
    with target.open() as engine:
        memory = engine.restore(memory_ids[0], version=version)
    _tell(target, memory.id, memory.status, f"as it was before version {version}")


def _change(
    target: Target, action: str, status: str, message: str, ids: tuple[str, ...], several: dict[str, Any]
) -> None:
    where, dry_run, confirm = several["where"], several["dry_run"], several["confirm"]
    _one_of_both(ids, where, about=action != "restore")
    with target.open() as engine:
        change: Any = getattr(engine, action)
        if len(ids) == 1 and not dry_run:
            done = change([engine.get(ids[0]).id])
            _tell(target, done.ids[0], engine.get(done.ids[0]).status, message, derived=list(done.derived))
            return
        if dry_run or where is None:
            done = change(list(ids) or None, where=where, dry_run=dry_run, confirm=confirm)
        else:
            done = change(where=where, confirm=confirmed(engine, change, action, where, confirm, yes=False))
    _tell_many(target, done, status)


def _about_alone(ids: tuple[str, ...], several: dict[str, Any]) -> None:
    if ids or several["where"] is not None:
        raise click.UsageError("give ids, --where JSON or --about TEXT, not several of them.")


def _one_of_both(ids: tuple[str, ...], where: object, *, about: bool) -> None:
    if bool(ids) == (where is not None):
        ways = "--where JSON or --about TEXT" if about else "--where JSON"
        raise click.UsageError(f"give one or more ids, or {ways}.")


def _tell_many(target: Target, done: Changed, status: str) -> None:
    would = "would be" if done.dry_run else "is" if done.count == 1 else "are"
    with_them = f", and {counted(len(done.derived), 'fact')} made of them" if done.derived else ""
    shown = {"status": status, "count": done.count, "dry_run": done.dry_run, "ids": list(done.ids)}
    shown |= {"derived": list(done.derived)} if done.derived else {}
    show_lines(target, shown, [*done.ids, f"{memories(done.count)} {would} {status}{with_them}."])
    if not done.count:
        nothing_found("no memory matches.")


@verb(
    "combray erase ID --yes",
    "combray erase ID --prove",
    'combray erase --about "the SSN 123-45-6789" --prove',
    """combray erase --where '{"metadata.user": "ann"}' --dry-run""",
)
@_IDS
@click.option("--yes", "-y", is_flag=True, help="Do not ask for confirmation.")
@click.option("--derived", is_flag=True, help="Also erase memories that name it as evidence.")
@click.option("--prove", is_flag=True, help="Search every file for remains, and show the proof.")
@click.option("--also", multiple=True, metavar="FILE", help="With --prove: also search this file.")
@request_options
@several_options
@opens_store()
def erase(
    target: Target,
    memory_ids: tuple[str, ...],
    yes: bool,
    where: dict[str, Any] | None,
    dry_run: bool,
    confirm: int | None,
    about: str | None,
    **how: Any,
) -> None:
    """Erase memories permanently.

    Their text, history, edges and vectors are removed from the file, and everything that Combray derived from
    their text. Backups and exports are not changed. --where selects memories of every status, and --about says
    what to erase: an identifier, a name or a description. Exit code 1 if a proof finds remains in the store.
    """
    asked = {name: how.pop(name) for name in _ABOUT}
    if about is not None:
        _about_alone(memory_ids, {"where": where})
        how.pop("derived")
        _erase_about(target, about, confirm=confirm, dry_run=dry_run, yes=yes, **asked, **how)
        return
    _one_of_both(memory_ids, where, about=True)
    if len(memory_ids) == 1 and not dry_run:
        _erase_one(target, memory_ids[0], yes=yes, **how)
        return
    ids = list(memory_ids) or None
    with target.open() as engine:
        if dry_run:
            done = engine.erase(ids, where=where, dry_run=True)
        else:
            if where is not None:
                confirm = confirmed(engine, engine.erase, "erase", where, confirm, yes=yes)
            elif not yes:
                _ask(f"Erase {memories(len(memory_ids))} permanently?")
            done = engine.erase(ids, where=where, confirm=confirm, **how)
    if done.certificate is not None:
        _show_proof(target, done.certificate)
    else:
        _tell_many(target, done, "erased")


def _erase_about(target: Target, about: str, **how: Any) -> None:
    done = carry_out(target, "erase", about, **how)
    for certificate in done.certificates:
        _show_proof(target, certificate)
    if not done.certificates:
        tell_taken(target, done, "erased")


def _ask(question: str) -> None:
    if not sys.stdin.isatty():
        nothing_found("erase needs a confirmation, and standard input is not a terminal. Add --yes.")
    click.confirm(question, abort=True, err=True)


def _erase_one(target: Target, memory_id: str, *, yes: bool, derived: bool, **how: Any) -> None:
    with target.open() as engine:
        memory = engine.get(memory_id)
        around = engine.retention.derived(memory.id)
        gone = (*around.made, *(around.resting if derived else ()))
        if not yes:
            with_it = f", and {len(gone)} memories derived from it" if gone else ""
            _ask(f"Erase permanently: {short(memory.content, 60)!r}{with_it}?")
        certificate = engine.erase(memory.id, derived=derived, **how)
    if certificate is not None:
        _show_proof(target, certificate)
        return
    message = "the store no longer contains it; backups and exports may"
    left = [each.id for each in (*around.resting, *around.quoting) if each not in gone]
    fields: dict[str, Any] = {"id": memory.id, "status": "erased", "message": message}
    fields |= {"derived": [each.id for each in gone], "quoted_by": left, "file": around.file}
    said = [f"{memory.id} is erased: {message}.", *(f"Erased with it: {each.id}" for each in gone)]
    warnings = [f"Not erased, but quotes it or names it as evidence: {each}" for each in left]
    if around.file:
        warnings.append(f"{around.file} still contains it and will be indexed again. Remove it from that file.")
    show_lines(target, fields, said, warnings)


def _show_proof(target: Target, certificate: Certificate) -> None:
    from combray.interfaces.cli.audit import show_proof

    show_proof(target, certificate.as_json())
    if not certificate.clean:
        nothing_found(f"remains of {certificate.id} were found. See 'left' and 'rows'.")


@verb("combray history ID", "combray history ID --chain")
@click.argument("memory_id", metavar="ID")
@click.option("--chain", is_flag=True, help="Only what it replaced and what replaced it, earliest first.")
@opens_store()
def history(target: Target, memory_id: str, chain: bool) -> None:
    """Show every change of a memory, oldest first.

    Each line shows who changed it, the operation, and the previous values. In a terminal its chain follows: what
    it replaced and what replaced it. JSON has the changes, or with --chain the chain.
    """
    with target.open() as engine:
        steps = engine.chain(memory_id) if chain or for_people(target) else []
        versions = [] if chain else engine.history(memory_id)
    if not chain:
        rows = (
            (str(each.number), moment(each.changed_at), each.actor, each.operation, in_words(each.before))
            for each in versions
        )
        headings, none = ("#", "when", "who", "change", "before"), "This memory was never changed."
        show_rows(target, versions, headings, rows, none=none, unbroken=("#",))
    if chain or len(steps) > 1:
        from combray.interfaces.cli.settling import show_chain

        show_chain(target, steps)


def _tell(target: Target, memory_id: str, status: str, message: str, derived: Sequence[str] = ()) -> None:
    fields: dict[str, Any] = {"id": memory_id, "status": status, "message": message}
    with_it = f" Facts made of it alone are too: {', '.join(derived)}." if derived else ""
    answer(
        target,
        f"{memory_id} is {status}: {message}.{with_it}",
        **fields,
        **({"derived": derived} if derived else {}),
    )


def _metadata(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> Any:
    return None if value is None else read_json(value)


@verb(
    'combray update ID --content "We deploy on Mondays" --imp 5',
    "combray update ID --tags deploy,team --valid-to 2026-12-31",
)
@click.argument("memory_id", metavar="ID")
@click.option("--content", metavar="TEXT", help="Another text; the old one stays in the history.")
@click.option("--category", "--cat", type=click.Choice(CATEGORIES), help="What it is.")
@click.option("--importance", "--imp", type=click.IntRange(1, 5), help="1 to 5.")
@click.option("--confidence", type=click.FloatRange(0, 1), help="0 to 1.")
@click.option("--tags", metavar="A,B", help="These tags instead; empty for none.")
@click.option("--entities", metavar="A,B", help="These names instead; empty for none.")
@click.option("--source", help="Where it is from.")
@click.option("--author", help="Who said it.")
@click.option("--occurred-at", "--at", metavar="WHEN", help="When it happened.")
@click.option("--valid-from", metavar="WHEN", help="True from then on.")
@click.option("--valid-to", metavar="WHEN", help="True until then; a date: until it begins.")
@click.option("--expires-at", metavar="WHEN", help="Not recalled from then on; a date: after that day.")
@click.option("--tier", type=click.Choice(TIERS), help="How it ages in preset mnemo.")
@click.option("--slot", metavar="NAME", help="What it is a value of; empty for nothing.")
@click.option("--metadata", metavar="JSON", callback=_metadata, help="This metadata instead of all of the old.")
@opens_store(pipelines=True)
def update(target: Target, memory_id: str, **fields: Any) -> None:
    """Change a memory in place.

    Only the options given change; an empty text clears a field. 'combray history ID' shows every change,
    'combray restore ID --version N' undoes them.
    """
    changes = {name: _cleared(name, value) for name, value in fields.items() if value is not None}
    if not changes:
        raise click.UsageError("name at least one field to change, such as --content or --tags.")
    with target.open() as engine:
        memory = engine.update(memory_id, **changes)
    answer(target, f"{memory.id} is updated: {short(memory.content)}", **full(memory))


def _cleared(name: str, value: Any) -> Any:
    """The value of an option; "" stands for none."""
    if name in ("tags", "entities"):
        return list(comma_list(click.get_current_context(), click.Option(["--x"]), value))
    return None if value == "" and name != "content" else value


def confirmed(
    engine: Engine, dry: Callable[..., Any], action: str, where: dict[str, Any], confirm: int | None, *, yes: bool
) -> int:
    """The count a filter matches, confirmed by option, or by a person at a terminal."""
    if confirm is not None:
        return confirm
    found = dry(where=where, dry_run=True)
    if yes:
        return int(found.count)
    if not sys.stdin.isatty():
        nothing_found(
            f"the filter matches {memories(found.count)}. Add --confirm {found.count} to {action} them."
        )
    for memory_id in found.ids[:_SHOWN]:
        click.echo(f"  {memory_id}  {short(engine.get(memory_id).content, 60)}", err=True)
    if found.count > _SHOWN:
        click.echo(f"  and {found.count - _SHOWN} more", err=True)
    click.confirm(f"{action.capitalize()} {memories(found.count)}?", abort=True, err=True)
    return int(found.count)
