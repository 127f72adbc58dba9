"""Run the application under uvicorn until the process gets a signal to stop."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Mapping
from socket import socket
from types import FrameType

import uvicorn

from combray.engine import Engine
from combray.records import dataclass, field
from combray.server.access import KeyedAccess, Limits
from combray.server.app import Mounted, application
from combray.server.spaces import Schedule, Spaces

GRACE = 30
"""Seconds that running requests have to end after a signal."""


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
    listening: socket | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT: running requests end, access counts are written, the engine is closed.

    `listening`: an open socket to serve on, instead of the host and port.
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
    _Stoppable(config).run(None if listening is None else [listening])
    serving.access.ring.write_uses()
