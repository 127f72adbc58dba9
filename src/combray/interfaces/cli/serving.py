"""The verbs of servers: `serve` over HTTP, `explore` in a browser, `mcp` for agents, and `keys`."""

from __future__ import annotations

import errno
import gc
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from combray import settings
from combray.errors import CombrayError, InvalidInputError, MissingExtraError
from combray.interfaces.cli.failures import say
from combray.interfaces.cli.options import Target, command, group, opens_store
from combray.interfaces.cli.output import answer, console, for_people, moment, show_rows
from combray.values import counted, is_loopback
from combray.verbs.programs import LOOPBACK

if TYPE_CHECKING:
    from combray.server.access import Access
    from combray.server.app import Mounted
    from combray.server.keys import AccessKey, Issued, KeyRing
    from combray.server.spaces import Spaces

_LIBRARIES = ("starlette", "uvicorn", "anyio")
_ALL = "all"


@command(pipelines=True, models=True)
def serve(
    target: Target,
    host: str,
    port: int,
    threads: int,
    seconds: float,
    rate: float,
    consolidate_every: int | None,
    tools: str,
) -> None:
    """Serve until the process is stopped."""
    with _importing("The server", "server", _LIBRARIES):
        from combray.server.access import KeyedAccess, Limits
        from combray.server.app import Serving
        from combray.server.app import serve as run
        from combray.server.spaces import Schedule
    configured = settings.load()
    access = KeyedAccess.of(configured, target.location(), host)
    serving = Serving(
        access,
        host,
        port,
        Limits(threads=threads, seconds=seconds, rate=rate),
        Schedule(float(consolidate_every or 0)),
        mem0=configured.mem0_api,
    )
    listening = _listening(host, port)
    try:
        engine = target.open(to_write=True)
        say(f"serving memory on http://{host}:{port}/v1, MCP on /mcp; the explorer on /. Ctrl-C ends it.")
        run(engine, serving, {"/mcp": mcp_at(tools)} if find_spec("mcp") else None, listening)
    finally:
        _close(listening)


@contextmanager
def _importing(what: str, extra: str, libraries: tuple[str, ...]) -> Iterator[None]:
    """Import what an extra installs. Raises MissingExtraError if one of its libraries is missing."""
    # What imports make stays: to look for garbage in it costs a tenth of the start.
    gc.disable()
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in libraries:
            raise
        raise MissingExtraError(what, extra) from error
    finally:
        gc.enable()


def mcp_at(profile: str) -> Mounted:
    """Return what makes the application of MCP."""

    def make(spaces: Spaces, access: Access) -> tuple[Any, Any]:
        from combray.interfaces.mcp.http import McpByCaller
        from combray.server.access import served_by_mcp

        def server(names: tuple[str, ...], reads: bool) -> Any:
            from combray.interfaces.mcp.server import server_for

            return server_for(spaces.engine(names[0]), names, profile, read_only=reads)

        app = McpByCaller(server, lambda scope: served_by_mcp(access, scope))
        return app, app.running()

    return make


@command(pipelines=True, models=True)
def explore(target: Target, *, browser: bool, port: int | None) -> None:
    """Serve the explorer until the process is stopped."""
    with _importing("The explorer", "server", _LIBRARIES):
        from combray.server.app import Serving, serve
        from combray.server.explorer import OnceAccess
    access = OnceAccess()
    listening = _listening(LOOPBACK, port or 0)
    try:
        # The token is in the fragment, which browsers send to no server and write into no log of requests.
        address = f"http://{LOOPBACK}:{listening[0].getsockname()[1]}/#token={access.token}"
        engine = target.open(to_write=True)
        say("the explorer is on this address, which works once. Ctrl-C ends it.")
        click.echo(address)
        if browser:
            import webbrowser

            # In a thread, because some browsers hold the caller until they are closed.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        serve(engine, Serving(access), listening=listening)
    finally:
        _close(listening)


_ABSENT = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
"""The machine has no such address, as `localhost` has one of IPv6 where that is switched off."""


def _listening(host: str, port: int) -> list[socket.socket]:
    """Return sockets that accept connections on every address of a host. They wait until the server answers."""
    made: list[socket.socket] = []
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, address in dict.fromkeys(found):
            try:
                made.append(_bound(socket.socket(family, kind, protocol), address))
            except OSError as error:
                if error.errno not in _ABSENT:
                    raise
    except OSError as error:
        _close(made)
        if isinstance(error, socket.gaierror):
            raise InvalidInputError("host", f"{host} has no address.", "Name another.") from error
        taken = error.errno == errno.EADDRINUSE
        problem = f"{port} is in use." if taken else f"{port} cannot be listened on ({error.strerror})."
        raise InvalidInputError("port", problem, "Name another one.") from error
    if not made:
        raise InvalidInputError("host", f"{host} is no address of this machine.", "Name another.")
    return made


def _bound(made: socket.socket, address: Any) -> socket.socket:
    try:
        if os.name == "posix":
            # A port of a server that has just ended can be used again.
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if made.family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(address)
        made.listen()
    except OSError:
        made.close()
        raise
    return made


def _close(sockets: list[socket.socket]) -> None:
    for each in sockets:
        each.close()


@command(pipelines=True)
def mcp(
    target: Target,
    tools: str,
    http: bool,
    host: str,
    port: int,
    keys: Path | None,
    memory_file: Path | None,
    ask_seconds: float,
    namespaces: tuple[str, ...] | None,
) -> None:
    """Serve until the input ends or the process is stopped."""
    with _importing("The MCP server", "mcp", ("mcp", "mcp_types", "anyio", "starlette")):
        from combray.interfaces.mcp.http import Keys
        from combray.interfaces.mcp.server import Http, serve
    if memory_file is None and (named := os.environ.get("MEMORY_FILE_PATH")):
        memory_file = Path(named)
    at = None
    if http:
        listed = os.environ.get("COMBRAY_MCP_KEYS", "")
        known = Keys.of_file(keys) if keys else Keys.read(listed, "COMBRAY_MCP_KEYS") if listed else None
        if known is None and not is_loopback(host):
            raise click.UsageError(
                f"--host {host} lets other machines connect. Give --keys FILE or set COMBRAY_MCP_KEYS."
            )
        if known and (namespaces or memory_file):
            raise click.UsageError("With keys, --in and --memory-file do not apply: a key names its namespaces.")
        at = Http(port, host, known)
        say(f"serving MCP on http://{host}:{port}/mcp. Ctrl-C ends it.")
    elif sys.stdin.isatty():
        say("waiting for an MCP client on standard input. An agent normally starts this command. Ctrl-D ends it.")
    engine = target.open(to_write=True, stays=True)
    serve(
        engine,
        namespaces or (),
        profile=tools,
        http=at,
        patience=ask_seconds,
        memory_file=memory_file,
    )


@group(
    "combray keys create ann --role write --namespace team",
    "combray keys revoke ann",
    options=opens_store(namespace=False),
)
def keys(target: Target) -> None:
    """Create, list, rotate and revoke keys for `combray serve`.

    Keys are kept beside the store, as hashes. Without a subcommand: list them.
    """
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
    where = "all namespaces" if all_namespaces else ", ".join(issued.key.namespaces or ())
    _show(target, issued, f"{name} may {role} in {where}, {_until(issued.key)}.")


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


def _until(key: AccessKey) -> str:
    return "until it is revoked" if key.expires is None else f"until {moment(_when(key.expires))}"


def _when(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(round(seconds), UTC)
