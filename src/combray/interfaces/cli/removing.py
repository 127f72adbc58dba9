"""The verbs that hide and destroy: `forget`, `restore`, `erase`, by ids, by a filter or by a request."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.failures import nothing_found
from combray.interfaces.cli.options import Target, command
from combray.interfaces.cli.output import (
    answer,
    compact,
    console,
    for_people,
    memories,
    short,
    show,
    show_lines,
    styled,
    table,
    visible,
)
from combray.values import counted

if TYPE_CHECKING:
    from combray import Changed
    from combray.audit.erasure import Certificate
    from combray.engine import Engine
    from combray.engine.requests import Match, Taken

_SHOWN = 5
"""Memories shown before a filter is confirmed."""
_ABOUT = ("include", "exclude", "namespaces")
"""Options that only --about takes."""


@command()
def forget(target: Target, memory_id: tuple[str, ...], about: str | None, **several: Any) -> None:
    """Forget ids, what a filter matches, or what a request describes."""
    asked = {name: several.pop(name) for name in _ABOUT}
    _one_way(memory_id, several["where"], about)
    if about is not None:
        done = carry_out(target, "forget", about, confirm=several["confirm"], dry_run=several["dry_run"], **asked)
        tell_taken(target, done, "forgotten")
        return
    _change(target, "forget", "forgotten", "hidden from recall; undo with combray restore", memory_id, several)


@command()
def restore(target: Target, memory_id: tuple[str, ...], version: int | None, **several: Any) -> None:
    """Restore ids, what a filter matches, or the versions of one memory."""
    if version is None:
        _one_way(memory_id, several["where"], ways="--where JSON")
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


def _one_way(
    ids: tuple[str, ...], where: object, about: str | None = None, ways: str = "--where JSON or --about TEXT"
) -> None:
    """Check that memories are selected in one way only."""
    if about is not None and (ids or where is not None):
        raise click.UsageError("give ids, --where JSON or --about TEXT, not several of them.")
    if about is None and bool(ids) == (where is not None):
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
    _one_way(memory_id, where, about)
    if about is not None:
        del how["derived"]
        taken = carry_out(target, "erase", about, confirm=confirm, dry_run=dry_run, yes=yes, **asked, **how)
        for certificate in taken.certificates:
            _show_proof(target, certificate)
        if not taken.certificates:
            tell_taken(target, taken, "erased")
        return
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
    from combray.interfaces.cli.store import show_proof

    show_proof(target, certificate.as_json())
    if not certificate.clean:
        nothing_found(f"remains of {certificate.id} were found. See 'left' and 'rows'.")


def _tell(target: Target, memory_id: str, status: str, message: str, derived: Sequence[str] = ()) -> None:
    fields: dict[str, Any] = {"id": memory_id, "status": status, "message": message}
    fields |= {"derived": derived} if derived else {}
    with_it = f" Facts made of it alone are too: {', '.join(derived)}." if derived else ""
    answer(target, f"{memory_id} is {status}: {message}.{with_it}", **fields)


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


def carry_out(
    target: Target,
    action: str,
    about: str,
    *,
    confirm: int | None,
    dry_run: bool,
    yes: bool = False,
    **asked: Any,
) -> Taken:
    """Show what a request takes; take it once it is confirmed by count, by --yes or by a person."""
    how = {name: list(value) for name in ("include", "exclude") if (value := asked.pop(name))}
    if names := asked.pop("namespaces", ()):
        how["namespaces"] = list(names)
    with target.open() as engine:
        change: Any = getattr(engine, action)
        if confirm is None or dry_run:
            preview: Taken = change(about=about, **how)
            interactive = not dry_run and sys.stdin.isatty() and (for_people(target) or not yes)
            if not dry_run and yes:
                confirm = preview.count
            elif not interactive:
                show(target, as_json(preview), lambda: _show(preview))
                return preview
            else:
                preview, how = _asked(engine, action, preview, how)
                confirm = preview.count
        if not confirm:
            nothing_found("no memory is certain to match. Name possible ones with --include ID.")
        done: Taken = change(about=about, confirm=confirm, **how, **asked)
    return done


def _asked(engine: Engine, action: str, preview: Taken, how: dict[str, Any]) -> tuple[Taken, dict[str, Any]]:
    """Show the table and ask which possible matches to take, then whether to take all that."""
    console(errors=True).print(_table(preview))
    if preview.possible:
        typed = click.prompt("Numbers of possible ones to take too", default="", show_default=False, err=True)
        offered = [each.memory.id for each in preview.possible]
        wanted = [each for each in typed.replace(",", " ").split() if each]
        if wrong := [each for each in wanted if not each.isdecimal() or not 1 <= int(each) <= len(offered)]:
            nothing_found(f"{visible(wrong[0])} is not a number from 1 to {len(offered)}. Nothing was changed.")
        if wanted:
            ids = dict.fromkeys([*preview.included, *(offered[int(each) - 1] for each in wanted)])
            how = {**how, "include": list(ids)}
            change: Any = getattr(engine, action)
            preview = change(about=preview.about, **how)
    if not preview.count:
        nothing_found("no memory is taken. Nothing was changed.")
    last = " permanently" if action == "erase" else ""
    click.confirm(f"{action.capitalize()} {memories(preview.count)}{last}?", abort=True, err=True)
    return preview, how


def _show(taken: Taken) -> None:
    console().print(_table(taken))
    console().print(f"A confirmed request takes {taken.count}. Nothing was changed: add --confirm {taken.count}.")


def tell_taken(target: Target, taken: Taken, status: str) -> None:
    """Report what a confirmed request did."""
    if taken.dry_run:
        return
    last = f"{memories(taken.count)} {'is' if taken.count == 1 else 'are'} {status}."
    show_lines(target, {"status": status, **as_json(taken)}, [*taken.ids, last])


def as_json(taken: Taken) -> dict[str, Any]:
    """Return the groups as plain values."""
    groups = {"certain": taken.certain, "derived": taken.derived, "possible": taken.possible}
    return {
        "about": taken.about,
        "count": taken.count,
        "dry_run": taken.dry_run,
        "ids": list(taken.ids),
        **{name: list(map(_match, group)) for name, group in groups.items()},
    }


def _match(match: Match) -> dict[str, Any]:
    place = {"namespace": match.memory.namespace, "trust": match.memory.trust}
    return {**compact(match.memory), **place, "why": match.why, "score": round(match.score, 3)}


def _table(taken: Taken) -> Any:
    shown = table("", "memory", unbroken=("",))
    rows = [*(("certain", each) for each in taken.certain), *(("derived", each) for each in taken.derived)]
    for number, each in enumerate(taken.possible, 1):
        rows.append(("possible, taken" if each.memory.id in taken.ids else f"possible {number}", each))
    for mark, each in rows:
        text = styled(f"{short(each.memory.content, 120)}\n").append(visible(each.why), "yellow")
        shown.add_row(mark, text.append(f"\n{each.memory.id}", "dim"))
    return shown
