"""The application: routes, authentication, limits, errors, what runs beside the requests; and its server."""

from __future__ import annotations

import logging
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from socket import socket
from types import FrameType
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.routing import Route as WebRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from combray.engine import Engine
from combray.errors import CombrayError
from combray.records import dataclass, field
from combray.server.access import Access, KeyedAccess, Limits, Refused
from combray.server.endpoints import Endpoints
from combray.server.explorer import explorer_routes
from combray.server.measures import Measures, request_span
from combray.server.problems import HttpError
from combray.server.routes import PREFIX, Route, routes
from combray.server.spaces import Schedule, Spaces

_log = logging.getLogger("combray.server")

_METHODS = ("GET", "POST", "PATCH", "PUT", "DELETE")
_SHOWN = ("ETag", "Idempotency-Replayed", "Link", "Location", "Retry-After", "WWW-Authenticate")
"""Headers of answers that pages of other origins may read."""

Mounted = Callable[[Spaces, Access], tuple[ASGIApp, Any]]
"""Makes an application of another protocol, and the async context manager that it runs in."""
GRACE = 30
"""Seconds that running requests have to end after a signal."""


def application(
    spaces: Spaces,
    access: Access,
    schedule: Schedule,
    mounts: Mapping[str, Mounted] | None = None,
    origins: Sequence[str] = (),
    *,
    mem0: bool = False,
) -> Starlette:
    """Return the application. `mounts`: path -> what makes the application there, such as MCP at /mcp.

    `origins`: those of web pages that may read answers (CORS). `mem0`: also serve the paths of mem0's server.
    """
    measures = Measures()
    endpoints = Endpoints(spaces, access, measures)
    inner = {path: make(spaces, endpoints) for path, make in (mounts or {}).items()}

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.endpoints = endpoints
        try:
            async with AsyncExitStack() as stack:
                for _, running in inner.values():
                    await stack.enter_async_context(running)
                await stack.enter_async_context(schedule.running(spaces))
                yield
        finally:
            spaces.close()

    listed: list[BaseRoute] = [*_of_verbs(endpoints), *_own(endpoints), *explorer_routes()]
    if mem0:
        from combray.server.mem0 import mem0_routes

        listed += mem0_routes(endpoints)
    for path, (app, _) in inner.items():
        # Without the slash, too: a client that posts does not follow a redirection.
        listed += [WebRoute(path, app), Mount(path, app=app)]
    made = Starlette(
        routes=listed,
        lifespan=lifespan,
        exception_handlers={HttpError: _problem, HTTPException: _of_framework, CombrayError: _of_engine},
    )
    made.state.endpoints = endpoints
    made.add_middleware(Observed, measures=measures)
    if origins:
        # Outermost, so that refusals can be read, too. A browser asks without the key whether it may call.
        made.add_middleware(
            CORSMiddleware,
            allow_origins=origins,
            allow_methods=_METHODS,
            allow_headers=["*"],
            expose_headers=_SHOWN,
        )
    return made


def _of_verbs(endpoints: Endpoints) -> list[BaseRoute]:
    by_path: dict[str, dict[str, Route]] = {}
    for each in routes():
        by_path.setdefault(each.path, {})[each.method] = each
    return [
        WebRoute(PREFIX + path, endpoints.endpoint(methods), methods=list(methods))
        for path, methods in by_path.items()
    ]


def _own(endpoints: Endpoints) -> list[BaseRoute]:
    return [
        WebRoute(f"{PREFIX}/search", endpoints.peer_search, methods=["POST"]),
        WebRoute(f"{PREFIX}/caller", endpoints.caller),
        WebRoute(f"{PREFIX}/session", endpoints.session, methods=["POST"]),
        WebRoute(f"{PREFIX}/events", endpoints.events),
        WebRoute(f"{PREFIX}/openapi.json", endpoints.openapi),
        WebRoute(f"{PREFIX}/docs", endpoints.docs),
        WebRoute("/health", endpoints.health),
        WebRoute("/ready", endpoints.ready),
        WebRoute("/metrics", endpoints.metrics),
    ]


async def _problem(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HttpError)  # noqa: S101 - registered for it
    return error.response()


async def _of_framework(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for it
    said = {
        404: "There is nothing at this path. GET /v1/openapi.json lists the paths.",
        405: f"{request.method} is not possible at this path.",
    }
    detail = said.get(error.status_code, error.detail)
    return HttpError(error.status_code, detail, headers=error.headers).response()


async def _of_engine(_request: Request, error: Exception) -> Response:
    from combray.server.problems import problem_of

    assert isinstance(error, CombrayError)  # noqa: S101 - registered for it
    return problem_of(error, {}, "").response()


class Observed:
    """Counts, times and traces requests, and turns what nobody expected into a 500 without a traceback."""

    def __init__(self, app: ASGIApp, measures: Measures) -> None:
        self.app = app
        self.measures = measures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), 0

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with request_span(scope["method"], scope["path"].partition("?")[0]) as record:
            try:
                await self.app(scope, receive, sent)
            except Refused as refused:
                await HttpError(refused.status, refused.sentence, headers=refused.headers).response()(
                    scope, receive, sent
                )
            except Exception:
                number = msgspec.json.encode(time.time_ns()).decode()[-9:]
                _log.exception("request %s failed", number)
                if status:
                    raise
                problem = HttpError(500, f"The server failed. Its log has the cause under {number}.")
                await problem.response()(scope, receive, sent)
            record(status)
        found = scope.get("route")
        path = getattr(found, "path", "none")
        self.measures.add(scope["method"], path, status, time.perf_counter() - started)


@dataclass(frozen=True, slots=True)
class Serving:
    """Where and how a server runs."""

    access: KeyedAccess
    host: str = "127.0.0.1"
    port: int = 8765
    limits: Limits = field(default_factory=Limits)
    schedule: Schedule = field(default_factory=Schedule)
    mem0: bool = False


class _Stoppable(uvicorn.Server):
    """Ends the streams at the signal: they would keep the server from stopping."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Tell the streams and stop."""
        self.config.app.state.endpoints.stopping = True  # type: ignore[union-attr]
        super().handle_exit(sig, frame)


def serve(
    engine: Engine,
    serving: Serving,
    mounts: Mapping[str, Mounted] | None = None,
    listening: Sequence[socket] = (),
) -> None:
    """Serve until SIGTERM or SIGINT: running requests end, access counts are written, the engine is closed.

    `listening`: open sockets to serve on, instead of the host and port.
    """
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="combray serve: %(levelname)s %(message)s"
    )
    app = application(
        Spaces(engine, serving.limits),
        serving.access,
        serving.schedule,
        mounts,
        serving.access.origins,
        mem0=serving.mem0,
    )
    config = uvicorn.Config(
        app,
        host=serving.host,
        port=serving.port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        limit_concurrency=serving.limits.requests + serving.limits.streams,
        lifespan="on",
    )
    for each in (signal.SIGTERM, signal.SIGINT):
        # uvicorn raises the signal again when it has stopped. By default that would end the process here.
        signal.signal(each, lambda *_: None)
    _Stoppable(config).run(list(listening) or None)
    serving.access.ring.write_uses()
