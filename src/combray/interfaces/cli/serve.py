"""The verb that serves memory over HTTP."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

from combray import settings
from combray.errors import MissingExtraError
from combray.interfaces.cli.declared import command
from combray.interfaces.cli.failures import say
from combray.interfaces.cli.options import Target

if TYPE_CHECKING:
    from combray.server.app import Mounted
    from combray.server.callers import Access
    from combray.server.spaces import Spaces

LIBRARIES = ("starlette", "uvicorn", "anyio")


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
    # What imports make stays: to look for garbage in it costs a tenth of the start.
    gc.disable()
    try:
        from combray.server.access import KeyedAccess
        from combray.server.limits import Limits
        from combray.server.running import Serving
        from combray.server.running import serve as run
        from combray.server.schedule import Schedule
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in LIBRARIES:
            raise
        raise MissingExtraError("The server", "server") from error
    finally:
        gc.enable()
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
    engine = target.open(to_write=True)
    say(f"serving memory on http://{host}:{port}/v1, MCP on /mcp; the explorer on /. Ctrl-C ends it.")
    run(engine, serving, {"/mcp": mcp_at(tools)} if _has_mcp() else None)


def _has_mcp() -> bool:
    from importlib.util import find_spec

    return find_spec("mcp") is not None


def mcp_at(profile: str) -> Mounted:
    """Return what makes the application of MCP."""

    def make(spaces: Spaces, access: Access) -> tuple[Any, Any]:
        from combray.interfaces.mcp.mounted import McpByCaller
        from combray.server.callers import served_by_mcp

        app = McpByCaller(spaces.engine, lambda scope: served_by_mcp(access, scope), profile)
        return app, app.running()

    return make
