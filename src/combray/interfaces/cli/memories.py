"""Verbs about stored memories: `get`, `update`, `forget`, `restore`, `erase`, `history`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.declared import command
from combray.interfaces.cli.failures import nothing_found
from combray.interfaces.cli.options import Target
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
from combray.interfaces.cli.requests import carry_out, tell_taken

if TYPE_CHECKING:
    from combray import Changed
    from combray.audit.erasure import Certificate
    from combray.engine import Engine

_SHOWN = 5
"""Memories shown before a filter is confirmed."""
_ABOUT = ("include", "exclude", "namespaces")
"""Options that only --about takes."""
_CITATION = re.compile(r"(?i)(.+\.(?:md|jsonl))(?:#L(\d{1,9})(?:-L(\d{1,9}))?)?")


@command()
def get(target: Target, memory_id: str) -> None:
    """Print the fields of a memory, or the lines of a file."""
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


@command()
def forget(target: Target, memory_id: tuple[str, ...], about: str | None, **several: Any) -> None:
    """Forget ids, what a filter matches, or what a request describes."""
    asked = {name: several.pop(name) for name in _ABOUT}
    if about is not None:
        _about_alone(memory_id, several)
        done = carry_out(target, "forget", about, confirm=several["confirm"], dry_run=several["dry_run"], **asked)
        tell_taken(target, done, "forgotten")
        return
    _change(target, "forget", "forgotten", "hidden from recall; undo with combray restore", memory_id, several)


@command()
def restore(target: Target, memory_id: tuple[str, ...], version: int | None, **several: Any) -> None:
    """Restore ids, what a filter matches, or the versions of one memory."""
    if version is None:
        _change(target, "restore", "active", "recalled again", memory_id, several)
        return
    if len(memory_id) != 1:
        raise click.UsageError("--version needs one ID.")
    with target.open() as engine:
        memory = engine.restore(memory_id[0], version=version)
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


@command()
def erase(
    target: Target,
    memory_id: tuple[str, ...],
    yes: bool,
    where: dict[str, Any] | None,
    dry_run: bool,
    confirm: int | None,
    about: str | None,
    **how: Any,
) -> None:
    """Erase after a confirmation, and print the proof if there is one."""
    asked = {name: how.pop(name) for name in _ABOUT}
    if about is not None:
        _about_alone(memory_id, {"where": where})
        how.pop("derived")
        _erase_about(target, about, confirm=confirm, dry_run=dry_run, yes=yes, **asked, **how)
        return
    _one_of_both(memory_id, where, about=True)
    if len(memory_id) == 1 and not dry_run:
        _erase_one(target, memory_id[0], yes=yes, **how)
        return
    ids = list(memory_id) or None
    with target.open() as engine:
        if dry_run:
            done = engine.erase(ids, where=where, dry_run=True)
        else:
            if where is not None:
                confirm = confirmed(engine, engine.erase, "erase", where, confirm, yes=yes)
            elif not yes:
                _ask(f"Erase {memories(len(memory_id))} permanently?")
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


@command()
def history(target: Target, memory_id: str, chain: bool) -> None:
    """Print the changes of a memory and its chain."""
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


@command(pipelines=True)
def update(target: Target, memory_id: str, **fields: Any) -> None:
    """Change the fields that are given; an empty text clears one."""
    given = {name: value for name, value in fields.items() if value is not None}
    changes: Any = {name: None if value == "" and name != "content" else value for name, value in given.items()}
    if not changes:
        raise click.UsageError("name at least one field to change, such as --content or --tags.")
    with target.open() as engine:
        memory = engine.update(memory_id, **changes)
    answer(target, f"{memory.id} is updated: {short(memory.content)}", **full(memory))


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
