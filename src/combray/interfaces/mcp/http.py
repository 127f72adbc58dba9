"""MCP over HTTP: keys, each with a server of its own, and the applications within another server."""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from combray.audit.audited import acting_as
from combray.engine.namespace import check_namespace
from combray.errors import InvalidInputError
from combray.records import dataclass, field

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

SHORTEST = 20
"""Fewest characters of a key. 20 random letters and digits cannot be guessed."""
_FORM = "Write one line for each key: KEY NAMESPACE, or KEY NAMESPACE,NAMESPACE."
MOST_KEPT = 64
"""Applications that are kept while no request needs them. Each takes about 80 kB."""
Of = tuple[tuple[str, ...], bool]
"""Namespaces, the first of which is written to, and whether only tools that read are offered."""
Asked = tuple[tuple[str, ...], bool, str]
"""The same, and the name of the caller."""


@dataclass(frozen=True)
class Keys:
    """SHA-256 of each key -> its namespaces. The first is written to; all are read.

    Keys are static bearer tokens. There is no authorization server, so the server publishes no OAuth metadata; it
    answers as RFC 6750 and the protocol's authorization page ask: 401 with `WWW-Authenticate`.
    """

    namespaces: Mapping[bytes, tuple[str, ...]]

    @classmethod
    def read(cls, text: str, source: str) -> Keys:
        """Read lines of `KEY NAMESPACE[,NAMESPACE]`; blank lines and lines with # are ignored.

        Raises InvalidInputError, which names the line and never the key.
        """
        found: dict[bytes, tuple[str, ...]] = {}
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            key, _, listed = line.strip().partition(" ")
            names = tuple(each.strip() for each in listed.split(",") if each.strip())
            if not names:
                raise InvalidInputError(source, f"line {number} names no namespace.", _FORM)
            if len(key) < SHORTEST:
                problem = f"line {number} has a key of {len(key)} characters."
                raise InvalidInputError(source, problem, f"Use at least {SHORTEST} random characters.")
            if _hash(key) in found:
                raise InvalidInputError(source, f"line {number} repeats a key.", "Give each key once.")
            found[_hash(key)] = tuple(map(check_namespace, names))
        if not found:
            raise InvalidInputError(source, "has no key.", _FORM)
        return cls(found)

    @classmethod
    def of_file(cls, path: Path) -> Keys:
        """Read a file of keys in UTF-8, with or without byte order mark. Raises OSError, and as `read`."""
        try:
            text = path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            problem = f"is not UTF-8 text (byte {error.start + 1})."
            raise InvalidInputError(str(path), problem, "Save it as UTF-8.") from None
        return cls.read(text, str(path))

    def holder(self, key: str) -> bytes | None:
        """Return the hash of a valid key, else None. Compares with every key, in constant time."""
        given, found = _hash(key), None
        for known in self.namespaces:
            if hmac.compare_digest(known, given):
                found = known
        return found


def _hash(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


def app_with(keys: Keys, server_for: Callable[[tuple[str, ...]], MCPServer[Any]], host: str) -> Starlette:
    """Return an ASGI application that serves each key's server at /mcp. `server_for` makes one of namespaces."""
    apps = {holder: server_for(names).streamable_http_app(host=host) for holder, names in keys.namespaces.items()}

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        kind, _, key = Request(scope).headers.get("authorization", "").partition(" ")
        holder = keys.holder(key.strip()) if kind.lower() == "bearer" else None
        answer = _refused(given=bool(key)) if holder is None else apps[holder]
        await answer(scope, receive, send)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for app in apps.values():
                await stack.enter_async_context(app.router.lifespan_context(app))
            yield

    return Starlette(routes=[Mount("/", app=serve)], lifespan=lifespan)


def _refused(*, given: bool) -> Response:
    challenge = 'Bearer realm="combray"'
    if given:
        challenge += ', error="invalid_token", error_description="The key is not valid."'
    error = "invalid_token" if given else "unauthorized"
    body = {"error": error, "error_description": "Send a valid key as bearer token."}
    return JSONResponse(body, status_code=401, headers={"WWW-Authenticate": challenge})


@dataclass
class _Application:
    """What serves some namespaces, once it is ready; or why it could not be made."""

    ready: anyio.Event = field(default_factory=anyio.Event)
    dropped: anyio.Event = field(default_factory=anyio.Event)
    requests: int = 0
    app: ASGIApp | None = None
    error: Exception | None = None


class McpByCaller:
    """Serves streamable HTTP without sessions. `chosen` says for whom a request is, or raises.

    `server_for` makes the server of some namespaces.

    The session manager of an application runs in a task group, which the task that entered it must leave. So each
    application has a task, and requests wait for it. The ones that were unused for longest are dropped.
    """

    def __init__(
        self, server_for: Callable[[tuple[str, ...], bool], MCPServer[Any]], chosen: Callable[[Scope], Asked]
    ) -> None:
        self._server_for = server_for
        self._chosen = chosen
        self._made: dict[Of, _Application] = {}
        self._send, self._wanted = anyio.create_memory_object_stream[tuple[Of, _Application]](math.inf)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request. Raises InvalidInputError for an impossible namespace, StoreError."""
        names, reads, actor = self._chosen(scope)
        of = names, reads
        known = self._made.pop(of, None)
        made = self._made[of] = known or _Application()
        made.requests += 1
        try:
            if known is None:
                # A request that is cancelled here would leave an application that nobody makes.
                self._send.send_nowait((of, made))
            await made.ready.wait()
            if made.app is None:
                raise made.error or RuntimeError("the application was not made")
            # The path of the mount is not the application's to know.
            inner = dict(scope) | {"path": "/", "raw_path": b"/", "root_path": ""}
            with acting_as(actor):
                await made.app(inner, receive, send)
        finally:
            made.requests -= 1
            self._drop_idle()

    def _drop_idle(self) -> None:
        """Drop what was unused for longest and serves no request: a caller may name any number of namespaces."""
        idle = [of for of, made in self._made.items() if not made.requests]
        for of in idle[: max(0, len(self._made) - MOST_KEPT)]:
            self._made.pop(of).dropped.set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the applications until the block ends."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._host)
            yield
            tasks.cancel_scope.cancel()

    async def _host(self) -> None:
        async with anyio.create_task_group() as tasks:
            async for of, made in self._wanted:
                tasks.start_soon(self._serve, of, made)

    async def _serve(self, of: Of, made: _Application) -> None:
        """Make an application and run it until it is dropped."""
        try:
            # The SDK takes longer to load than the rest of the server, and not every server has MCP clients.
            app = await anyio.to_thread.run_sync(self._make, *of)
            async with app.router.lifespan_context(app):
                made.app = app
                made.ready.set()
                await made.dropped.wait()
        except Exception as error:  # noqa: BLE001 - of one request: the host serves every other caller
            made.error = error
            # The next request tries again.
            if self._made.get(of) is made:
                del self._made[of]
            made.ready.set()

    def _make(self, names: tuple[str, ...], reads: bool) -> Starlette:
        from mcp.server.transport_security import TransportSecuritySettings

        server = self._server_for(names, reads)
        # The outer server checks Host and Origin.
        unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        return server.streamable_http_app(
            streamable_http_path="/", stateless_http=True, json_response=True, transport_security=unchecked
        )
