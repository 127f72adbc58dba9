"""The verb `mcp`: the engine as an MCP server."""

from __future__ import annotations

import sys

from combray.errors import MissingExtraError
from combray.interfaces.cli.failures import say, verb
from combray.interfaces.cli.options import Target, opens_store


@verb("combray mcp --db agent.db --namespace work")
@opens_store(pipelines=True)
def mcp(target: Target) -> None:
    """Serve memory to an agent over MCP.

    Speaks the Model Context Protocol on standard input and output until the input ends. An MCP client starts this
    command. Its options fix the store, namespace, preset and embedder.
    """
    try:
        from combray.interfaces.mcp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise MissingExtraError("The MCP server", "mcp") from error
    if sys.stdin.isatty():
        say("waiting for an MCP client on standard input. An agent normally starts this command. Ctrl-D ends it.")
    serve(target.open(to_write=True, stays=True))
