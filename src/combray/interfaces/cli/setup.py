"""The verbs `setup` and `eject`: wire Combray into agent clients, and take it out again."""

from __future__ import annotations

import importlib.util
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from combray.errors import install_command
from combray.folders import data_folder
from combray.interfaces.cli.failures import NOTHING_FOUND, nothing_found, say
from combray.interfaces.cli.options import Target, command
from combray.interfaces.cli.output import console, for_people, show_json, visible
from combray.verbs.programs import CLIENTS

if TYPE_CHECKING:
    from combray.agents.clients.checking import ClientCheck
    from combray.agents.clients.places import Places, Wanted
    from combray.agents.clients.wiring import FileChange


_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
"""First character of a line of a diff -> its colour."""


@command(pipelines=True)
def setup(target: Target, clients: tuple[str, ...], check: bool, **how: Any) -> None:
    """Wire clients after a confirmation, or check them."""
    places = _places(how)
    if check:
        _check(target, clients, places, how)
        return
    if not clients:
        raise click.UsageError(_missing(places))
    wanted = {client: _wanted(client, places, target, how) for client in dict.fromkeys(clients)}
    _run(target, wanted, places, how, undo=False)


@command()
def eject(target: Target, clients: tuple[str, ...], name: str, **how: Any) -> None:
    """Restore the files of clients after a confirmation."""
    from combray.agents.clients.places import Wanted

    places = _places(how)
    if not clients:
        raise click.UsageError(_missing(places))
    _run(target, dict.fromkeys(clients, Wanted(name=name)), places, how, undo=True)


def _missing(places: Places) -> str:
    """The error for a call without a client; it names those that are used here."""
    from combray.agents.clients.wiring import found

    here = [client for client in CLIENTS if found(client, places, _records())]
    return f"Name a client: {', '.join(CLIENTS)}." + (f" Found here: {', '.join(here)}." if here else "")


def _wanted(client: str, places: Places, target: Target, how: dict[str, Any]) -> Wanted:
    """What to write: what is given, else what the last set-up wrote, else the defaults."""
    from combray.agents.clients import places as at
    from combray.agents.clients.wiring import recorded

    before = recorded(client, places, _records()) or at.Wanted(at.program(places.scope))
    return at.Wanted(
        how["program"] or before.program,
        _options(target) or before.options,
        how["name"] or before.name,
        before.tools if how["tools"] is None else how["tools"],
    )


def _places(how: dict[str, Any]) -> Places:
    from combray.agents.clients.places import Places

    return Places("user" if how["user"] else "project", Path(os.path.abspath(how["folder"] or ".")))  # noqa: PTH100


def _options(target: Target) -> tuple[str, ...]:
    """The options of the store that were given, as words of a command line."""
    db = target.db
    if db and "://" not in db and db != ":memory:":
        db = os.path.abspath(os.path.expanduser(db))  # noqa: PTH100, PTH111 - clients start it in any folder
    given = {
        "--db": db,
        "--store": target.store,
        "--namespace": target.namespace,
        "--preset": target.preset,
        "--embedder": target.embedder,
    }
    return tuple(word for name, value in given.items() if value for word in (name, value))


def _records() -> Path:
    return Path(data_folder(), "clients")


def _run(target: Target, clients: dict[str, Wanted], places: Places, how: dict[str, Any], *, undo: bool) -> None:
    """Plan all clients, show, ask, write."""
    from combray.agents.clients import wiring

    make = wiring.unplan if undo else wiring.plan
    plans = {client: make(client, places, wanted, _records()) for client, wanted in clients.items()}
    asks = not (how["yes"] or how["dry_run"])
    changing = any(each.changes for changes in plans.values() for each in changes)
    _show(target, plans, places, written=not asks and not how["dry_run"])
    if how["dry_run"] or not (changing or undo):
        return
    if changing and asks:
        if not sys.stdin.isatty():
            nothing_found("nothing was written: standard input is not a terminal. Add --yes.")
        click.confirm("Write these changes?", abort=True, err=True)
    for client, changes in plans.items():
        count = wiring.carry_out(client, places, changes, _records(), None if undo else clients[client])
        if for_people(target) and count:
            console().print(f"{client}: {count} files {'restored' if undo else 'written'}.", style="green")
            if not undo:
                _remark(client)


def _remark(client: str) -> None:
    if importlib.util.find_spec("mcp") is None:
        console().print(
            f"The MCP server needs one more library: {install_command('mcp')}", style="yellow", markup=False
        )
    if client == "codex":
        console().print("Codex runs hooks only after you have reviewed them: call /hooks in it.", style="yellow")
    console().print(f"Restart the client. combray setup --check {client} shows whether it works.")


def _show(target: Target, plans: dict[str, list[FileChange]], places: Places, *, written: bool) -> None:
    if not for_people(target):
        every = ((client, each) for client, changes in plans.items() for each in changes)
        show_json([_as_json(client, each, places, written=written) for client, each in every])
        return
    out = console()
    for client, changes in plans.items():
        for each in changes:
            for line in each.diff(places.home).splitlines() if each.changes else ():
                out.print(visible(line), style=_COLOURS.get(line[:1], ""), soft_wrap=True)
            if each.note:
                out.print(f"{visible(str(each.path))} {each.note}.", style="yellow")
        if not any(each.changes for each in changes):
            out.print(f"{client}: nothing to change.")


def _as_json(client: str, change: FileChange, places: Places, *, written: bool) -> dict[str, Any]:
    done = "created" if change.before is None else "removed" if change.after is None else "changed"
    return {
        "client": client,
        "file": str(change.path),
        "action": done if change.changes else "unchanged",
        "written": written and change.changes,
        "diff": change.diff(places.home) if change.changes else "",
        **({"note": change.note} if change.note else {}),
    }


def _check(target: Target, clients: tuple[str, ...], places: Places, how: dict[str, Any]) -> None:
    """Print the findings; exit 1 if one is bad. Without a client, those that are used here."""
    from combray.agents.clients import checking, wiring

    records, runs = _records(), Path(data_folder(), "hooks")
    clients = clients or tuple(client for client in CLIENTS if wiring.found(client, places, records))
    if not clients:
        nothing_found("none of the clients is used here. Name one, such as: combray setup --check claude-code")
    found: dict[str, list[ClientCheck]] = {}
    for client in dict.fromkeys(clients):
        wanted = _wanted(client, places, target, how)
        found[client] = checking.check(client, places, wanted, runs)
    if for_people(target):
        for client, findings in found.items():
            console().print(client, style="bold")
            for each in findings:
                sign, colour = {True: ("ok", "green"), False: ("--", "red"), None: ("  ", "")}[each.good]
                console().print(
                    f"  {sign} {visible(each.what)}: {visible(each.said)}", style=colour, soft_wrap=True
                )
    else:
        show_json([{"client": client, **asdict(each)} for client, some in found.items() for each in some])
    if any(each.good is False for some in found.values() for each in some):
        say("not everything is wired. Run: combray setup CLIENT")
        raise click.exceptions.Exit(NOTHING_FOUND)
