"""MCP as part of another server: one application for each set of namespaces, made when first asked for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from combray.audit.audited import acting_as
from combray.engine import Engine

MOST = 256
"""Applications kept. A request for one more is refused."""
Of = tuple[tuple[str, ...], bool]
"""Namespaces, the first of which is written to, and whether only tools that read are offered."""

Asked = tuple[tuple[str, ...], bool, str]
"""The same, and the name of the caller."""


class McpByCaller:
    """Serves streamable HTTP without sessions. `chosen` says for whom a request is, or raises.

    The session manager of an application runs in a task group, which the task that entered it must leave. So one
    task enters them all, and requests wait for it.
    """

    def __init__(
        self, engine_of: Callable[[str], Engine], chosen: Callable[[Scope], Asked], profile: str = "lean"
    ) -> None:
        self._engine_of = engine_of
        self._chosen = chosen
        self._profile = profile
        self._apps: dict[Of, ASGIApp] = {}
        self._ready: dict[Of, anyio.Event] = {}
        self._send, self._wanted = anyio.create_memory_object_stream[Of](MOST)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        names, reads, actor = self._chosen(scope)
        of = names, reads
        if of not in self._ready:
            self._ready[of] = anyio.Event()
            await self._send.send(of)
        await self._ready[of].wait()
        # The path of the mount is not the application's to know.
        inner = dict(scope) | {"path": "/", "raw_path": b"/", "root_path": ""}
        with acting_as(actor):
            await self._apps[of](inner, receive, send)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the applications until the block ends."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._host)
            yield
            tasks.cancel_scope.cancel()

    async def _host(self) -> None:
        async with AsyncExitStack() as stack:
            async for of in self._wanted:
                # The SDK takes longer to load than the rest of the server, and not every server has MCP clients.
                app = await anyio.to_thread.run_sync(self._made, *of)
                await stack.enter_async_context(app.router.lifespan_context(app))
                self._apps[of] = app
                self._ready[of].set()

    def _made(self, names: tuple[str, ...], reads: bool) -> Starlette:
        from mcp.server.transport_security import TransportSecuritySettings

        from combray.interfaces.mcp.server import server_for

        server = server_for(self._engine_of(names[0]), names, self._profile, read_only=reads)
        # The outer server checks Host and Origin.
        unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        return server.streamable_http_app(
            streamable_http_path="/", stateless_http=True, json_response=True, transport_security=unchecked
        )
