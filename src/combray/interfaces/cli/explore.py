"""The verb that shows the memory in a browser."""

from __future__ import annotations

import socket
import threading
import webbrowser

import click

from combray.errors import InvalidInputError, MissingExtraError
from combray.interfaces.cli.declared import command
from combray.interfaces.cli.failures import say
from combray.interfaces.cli.options import Target
from combray.interfaces.cli.serve import LIBRARIES

_HOST = "127.0.0.1"


@command(pipelines=True, models=True)
def explore(target: Target, *, browser: bool, port: int | None) -> None:
    """Serve the explorer until the process is stopped."""
    try:
        from combray.server.once import OnceAccess
        from combray.server.running import Serving, serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in LIBRARIES:
            raise
        raise MissingExtraError("The explorer", "server") from error
    access = OnceAccess()
    with _listening(port or 0) as listening:
        # The token is in the fragment, which browsers send to no server and write into no log of requests.
        address = f"http://{_HOST}:{listening.getsockname()[1]}/#token={access.token}"
        engine = target.open(to_write=True)
        say("the explorer is on this address, which works once. Ctrl-C ends it.")
        click.echo(address)
        if browser:
            # In a thread, because some browsers hold the caller until they are closed.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        serve(engine, Serving(access), listening=listening)


def _listening(port: int) -> socket.socket:
    """Return a socket that accepts connections. They wait until the server answers."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((_HOST, port))
    except OSError as error:
        made.close()
        raise InvalidInputError("port", f"{port} is in use.", "Name another, or none for a free one.") from error
    made.listen()
    return made
