"""The paths of mem0's server and platform. `COMBRAY_MEM0_API=true` turns them on.

The namespace of a request is that of the header Combray-Namespace, else the only one of its key, else `default`:
mem0's clients know none. Whom a memory is for is a scope within it.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from combray.audit.audited import acting_as
from combray.compat.mem0 import calls
from combray.engine import Engine
from combray.engine.namespace import check_namespace
from combray.errors import CombrayError, InvalidInputError
from combray.server.access import HEADER, Caller, Refused
from combray.server.bodies import query_of, read_json
from combray.server.endpoints import Endpoints
from combray.server.problems import HttpError, problem_of
from combray.types import DEFAULT_NAMESPACE
from combray.verbs.declaration import ADMIN, READ, WRITE

Given = Mapping[str, Any]
Call = Callable[[Engine, Given, Mapping[str, str]], Any]
"""Takes the engine, query and body of a request, and the names in its path."""


def _ping(_engine: Engine, _given: Given, _path: Mapping[str, str]) -> Any:
    # The client does not start without an organization and a project.
    return {"status": "ok", "org_id": "combray", "project_id": "combray", "user_email": None}


def _delete(engine: Engine, given: Given, path: Mapping[str, str]) -> Any:
    if str(given.get("delete_linked", "")).lower() == "true":
        problem = "is not available."
        raise InvalidInputError(
            "delete_linked", problem, "Delete each memory; /v1/memories/{id}/chain lists them."
        )
    return calls.delete(engine, path["memory_id"])


_PATHS: tuple[tuple[tuple[str, ...], str, str, Call], ...] = (
    (("/v1/ping/",), "GET", READ, _ping),
    (("/v3/memories/add/", "/memories"), "POST", WRITE, lambda e, given, _: calls.add(e, given)),
    (("/v3/memories/search/", "/search"), "POST", READ, lambda e, given, _: calls.search(e, given)),
    (("/v3/memories/",), "POST", READ, lambda e, given, _: calls.get_all(e, given)),
    (("/memories",), "GET", READ, lambda e, given, _: calls.get_all(e, given)),
    (("/v1/memories/", "/memories"), "DELETE", WRITE, lambda e, given, _: calls.delete_all(e, given)),
    (
        ("/v1/memories/{memory_id}/", "/memories/{memory_id}"),
        "GET",
        READ,
        lambda e, _, path: calls.get(e, path["memory_id"]),
    ),
    (
        ("/v1/memories/{memory_id}/", "/memories/{memory_id}"),
        "PUT",
        WRITE,
        lambda e, given, path: calls.update(e, path["memory_id"], given),
    ),
    (("/v1/memories/{memory_id}/", "/memories/{memory_id}"), "DELETE", WRITE, _delete),
    (
        ("/v1/memories/{memory_id}/history/", "/memories/{memory_id}/history"),
        "GET",
        READ,
        lambda e, _, path: calls.history(e, path["memory_id"]),
    ),
    (("/v1/batch/",), "PUT", WRITE, lambda e, given, _: calls.update_many(e, given)),
    (("/v1/batch/",), "DELETE", WRITE, lambda e, given, _: calls.delete_many(e, given)),
    (("/v1/entities/",), "GET", READ, lambda e, *_: calls.entities(e)),
    (
        ("/v2/entities/{kind}/{name}/",),
        "DELETE",
        WRITE,
        lambda e, _, path: calls.delete_entity(e, path["kind"], path["name"]),
    ),
    (("/reset",), "POST", ADMIN, lambda e, *_: calls.reset(e)),
)


def mem0_routes(endpoints: Endpoints) -> list[BaseRoute]:
    """Return the routes of both surfaces."""
    return [
        Route(path, _endpoint(endpoints, rights, call), methods=[method])
        for paths, method, rights, call in _PATHS
        for path in paths
    ]


def _endpoint(endpoints: Endpoints, rights: str, call: Call) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            found = await _called(endpoints, request, rights, call)
        except Refused as refused:
            return _error(HttpError(refused.status, refused.sentence, headers=refused.headers))
        except CombrayError as error:
            return _error(problem_of(error, {}, endpoints.spaces.first.runtime.store.location))
        except HttpError as error:
            return _error(error)
        return Response(msgspec.json.encode(found), media_type="application/json")

    return answer


def _error(error: HttpError) -> Response:
    """Return an error as mem0's clients read it: `detail` in plain JSON."""
    body = {"detail": error.detail, "error": HTTPStatus(error.status).phrase}
    return Response(msgspec.json.encode(body), error.status, error.headers, "application/json")


async def _called(endpoints: Endpoints, request: Request, rights: str, call: Call) -> Any:
    namespace = _namespace(request, endpoints.access.authenticate(request.scope))
    caller = endpoints.allowed(request, rights, [namespace])
    given = _query(request) | await read_json(request, endpoints.spaces.limits, batch=True)

    def work() -> Any:
        with acting_as(caller.name):
            return call(endpoints.spaces.engine(namespace), given, request.path_params)

    return await endpoints.spaces.run(work)


def _namespace(request: Request, caller: Caller) -> str:
    named = request.headers.get(HEADER)
    if named is None and caller.namespaces is not None and len(caller.namespaces) == 1:
        return next(iter(caller.namespaces))
    return check_namespace(named or DEFAULT_NAMESPACE)


def _query(request: Request) -> dict[str, Any]:
    found: dict[str, Any] = {name: values[-1] for name, values in query_of(request).items()}
    if "filters" in found:
        found["filters"] = _mapping(found["filters"])
    return found


def _mapping(text: str) -> Any:
    """Read filters in a query: JSON, or what mem0's client for Python writes, which is Python's notation."""
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    raise InvalidInputError("filters", "is not JSON.", 'Write them like {"user_id": "ann"}.')
