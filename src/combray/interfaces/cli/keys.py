"""The verb `keys`: create, list, rotate and revoke keys of a server."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from combray.errors import CombrayError
from combray.interfaces.cli.declared import command
from combray.interfaces.cli.failures import VerbGroup, say
from combray.interfaces.cli.options import Target, opens_store
from combray.interfaces.cli.output import answer, console, counted, for_people, moment, show_rows

if TYPE_CHECKING:
    from combray.server.keys import AccessKey, Issued, KeyRing

_ALL = "all"


@click.group(
    cls=VerbGroup,
    invoke_without_command=True,
    examples=("combray keys create ann --role write --namespace team", "combray keys revoke ann"),
)
@opens_store(namespace=False)
@click.pass_context
def keys(ctx: click.Context, /, target: Target) -> None:
    """Create, list, rotate and revoke keys for `combray serve`.

    Keys are kept beside the store, as hashes. Without a subcommand: list them.
    """
    ctx.obj = target
    if ctx.invoked_subcommand is None:
        _list(target)


@command(group=keys, namespace=False)
def create(
    target: Target,
    name: str,
    role: str,
    namespaces: tuple[str, ...],
    all_namespaces: bool,
    expires: int | None,
) -> None:
    """Print the new key."""
    if all_namespaces == bool(namespaces):
        raise click.UsageError("Name at least one --namespace, or give --all-namespaces.")
    issued = _ring(target).create(name, role, None if all_namespaces else namespaces, expires)
    _record(target, "keys create", name, [issued.key.id], role=role, namespaces=list(namespaces) or [_ALL])
    _show(target, issued, f"{name} may {_rights(issued.key)}, {_until(issued.key)}.")


@command(group=keys, namespace=False)
def list_(target: Target) -> None:
    """Print the keys."""
    _list(target)


@command(group=keys, namespace=False)
def rotate(target: Target, name: str, grace: int | None) -> None:
    """Print the new key."""
    ring = _ring(target)
    old = [each.id for each in ring.listed() if each.name == name and not each.replaced]
    issued = ring.rotate(name, grace or 0)
    _record(target, "keys rotate", name, [issued.key.id], replaced=old, grace=grace or 0)
    _show(target, issued, f"{name} has a new key, {_until(issued.key)}.")


@command(group=keys, namespace=False)
def revoke(target: Target, name: str) -> None:
    """Remove the key."""
    ring = _ring(target)
    ended = [each.id for each in ring.listed() if each.name == name]
    left = ring.revoke(name)
    _record(target, "keys revoke", name, ended)
    said = f"The key of {name} is revoked. {counted(left, 'key')} left."
    answer(target, said, name=name, status="revoked", keys=left)
    if not left:
        say("the store has no key now: programs of this machine need none, other machines are refused")


def _ring(target: Target) -> KeyRing:
    from combray import settings
    from combray.server.keys import KeyRing, ring_path

    return KeyRing(ring_path(target.location(), settings.load().server_keys))


def _record(target: Target, operation: str, name: str, ids: list[str], **more: Any) -> None:
    """Name a change in the audit of the store. The change holds also if the store cannot be opened now."""
    try:
        with target.open(to_write=True) as engine:
            if engine.settings["audit"]:
                detail = {"name": name, "keys": ids, **more}
                engine.audit.log.record(operation, engine.namespace, detail=detail)
    except CombrayError as error:
        say(f"the audit does not name this change: {error}")


def _list(target: Target) -> None:
    ring = _ring(target)
    found = ring.listed()
    rows, now = [], time.time()
    for each in found:
        uses = ", ".join(each.namespaces or (_ALL,))
        state = "replaced; " if each.replaced else ""
        state = state if each.valid(now) else "expired; "
        rows.append((each.name, each.role, uses, moment(_when(each.used)) or "never", state + _until(each)))
    show_rows(
        target,
        [_plain(each) for each in found],
        ("name", "role", "namespaces", "last use", "valid"),
        rows,
        none=f"There is no key in {ring.path}.",
    )


def _show(target: Target, issued: Issued, said: str) -> None:
    if not for_people(target):
        answer(target, "", **_plain(issued.key), key=issued.text)
        return
    console().print(said)
    # On a line of its own and never wrapped, so that it can be copied.
    click.echo(issued.text)
    console().print("It is not shown again.", style="dim")


def _plain(key: AccessKey) -> dict[str, Any]:
    times = {name: _when(getattr(key, name)) for name in ("created", "expires", "used")}
    fields = {"name": key.name, "id": key.id, "role": key.role, "namespaces": key.namespaces, **times}
    return fields | {"replaced": key.replaced}


def _rights(key: AccessKey) -> str:
    return f"{key.role} in {'all namespaces' if key.namespaces is None else ', '.join(key.namespaces)}"


def _until(key: AccessKey) -> str:
    return "until it is revoked" if key.expires is None else f"until {moment(_when(key.expires))}"


def _when(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(round(seconds), UTC)
