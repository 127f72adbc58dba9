"""`forget --about` and `erase --about`: what a request would take as a table, and the confirmation."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.failures import nothing_found
from combray.interfaces.cli.options import Target
from combray.interfaces.cli.output import (
    compact,
    console,
    for_people,
    memories,
    short,
    show_json,
    show_lines,
    table,
    visible,
)

if TYPE_CHECKING:
    from rich.text import Text

    from combray.engine import Engine
    from combray.engine.requests import Match, Taken


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
                _show(target, preview)
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


def _show(target: Target, taken: Taken) -> None:
    if not for_people(target):
        show_json(as_json(taken))
        return
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
        **{name: [_match(each) for each in group] for name, group in groups.items()},
    }


def _match(match: Match) -> dict[str, Any]:
    place = {"namespace": match.memory.namespace, "trust": match.memory.trust}
    return {**compact(match.memory), **place, "why": match.why, "score": round(match.score, 3)}


def _table(taken: Taken) -> Any:
    shown = table("", "memory", unbroken=("",))
    ticked = set(taken.ids)
    groups: list[tuple[str, Sequence[Match]]] = [("certain", taken.certain), ("derived", taken.derived)]
    for name, group in groups:
        for match in group:
            shown.add_row(name, _with_reason(match))
    for number, match in enumerate(taken.possible, 1):
        mark = "possible, taken" if match.memory.id in ticked else f"possible {number}"
        shown.add_row(mark, _with_reason(match))
    return shown


def _with_reason(match: Match) -> Text:
    from rich.text import Text

    text = Text(f"{short(match.memory.content, 120)}\n").append(visible(match.why), "yellow")
    return text.append(f"\n{match.memory.id}", "dim")
