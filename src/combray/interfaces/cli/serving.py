"""`combray mcp`: the engine for agents."""

from __future__ import annotations

import sys

import click

from combray.errors import MissingExtraError
from combray.interfaces.cli.failures import Verb, say
from combray.interfaces.cli.options import Target, opens_store


@click.command(cls=Verb, examples=("combray mcp --db agent.db --namespace work",))
@opens_store(pipelines=True)
def mcp(target: Target) -> None:
    """Serve memory to an agent by MCP.

    Speaks the Model Context Protocol on the standard input and output until the input ends. A client starts
    it; store, namespace, preset and embedder are fixed by this command line.
    """
    try:
        from combray.interfaces.mcp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise MissingExtraError("The MCP server", "mcp") from error
    if sys.stdin.isatty():
        say("waits for an MCP client on the standard input; agents start it by themselves. Ctrl-D ends it.")
    serve(target.open(to_write=True, stays=True))


COMMANDS = {"mcp": mcp}
