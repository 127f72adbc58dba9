"""A plugin of pytest: `pytest -p over_http tests/engine` runs tests of the engine on an engine behind a server.

`combray.open` opens the store as the test asks, serves it on loopback, and returns an engine that calls the
server. A test that needs what is not served is skipped, and says what.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import pytest
import uvicorn

import combray
from combray.engine import opening
from combray.remote.connection import Connection
from combray.remote.engine import NotServedError, RemoteEngine
from combray.server.access import KeyedAccess, Limits
from combray.server.app import application
from combray.server.keys import KeyRing
from combray.server.spaces import Schedule, Spaces

_open = opening.open
_PATIENCE = 60


class Served(RemoteEngine):
    """An engine behind a server, which stops when it is closed."""

    def __init__(self, local: combray.Engine) -> None:
        made = application(Spaces(local, Limits()), KeyedAccess(KeyRing(None)), Schedule())
        self._server = uvicorn.Server(uvicorn.Config(made, port=0, log_level="critical", lifespan="on"))
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        until = time.monotonic() + _PATIENCE
        while not self._server.started:
            assert time.monotonic() < until
            time.sleep(0.002)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        connection = Connection(f"http://127.0.0.1:{port}", patience=2)
        super().__init__(connection, local.namespace, MappingProxyType(dict(local.settings)))
        _RUNNING.append(self)

    def close(self) -> None:
        """Close the connection and stop the server, which closes the store."""
        if self in _RUNNING:
            _RUNNING.remove(self)
            super().close()
            self._server.should_exit = True
            self._thread.join(_PATIENCE)


_RUNNING: list[Served] = []


@pytest.fixture(autouse=True)
def _served(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(combray, "open", lambda *args, **options: Served(_open(*args, **options)), raising=False)
    yield
    for each in list(_RUNNING):
        each.close()


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> Iterator[None]:
    """Skip a test that asks for what is not served."""
    try:
        return (yield)
    except NotServedError as error:
        pytest.skip(f"not served: {error}")


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Let the test start a server."""
    item.add_marker(pytest.mark.slow("serves the store"))
