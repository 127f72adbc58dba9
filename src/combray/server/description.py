"""The description of the API: OpenAPI 3.1, from the declarations and the types that verbs return."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from combray import __version__
from combray.server.access import HEADER
from combray.server.problems import MEDIA_TYPE
from combray.server.results import schemas
from combray.server.routes import PEER, PREFIX, Route, item_parameters, routes
from combray.sessions.messages import PROMPTS
from combray.verbs.binding import schema
from combray.verbs.declaration import RIGHTS, Parameter

ABOUT = """\
Long-term memory for agents. A namespace is named by the header Combray-Namespace or the query parameter
`namespace`; without one it is `default`. Errors are `application/problem+json`. A write with an Idempotency-Key
is carried out once, however often it is sent."""
_JSON = "application/json"
_LINES = "application/x-ndjson"
REFUSALS = {
    400: "Malformed request, unknown argument.",
    401: "A key is needed, or not valid.",
    403: "The caller may not do this, or not in this namespace.",
    404: "There is no such memory.",
    409: "The Idempotency-Key was used for another request, or its request is under way.",
    412: "The memory has changed since the version in If-Match.",
    408: "The body did not come in time.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "A value is wrong, or a cursor is forged or of another list.",
    429: "The caller asks too often.",
    500: "The server failed. Its log has the cause.",
    501: "An extra is not installed.",
    502: "A model or peer failed.",
    503: "The store is locked or stopped, or the server is busy. Retry-After says when to try again.",
    507: "The disk is full.",
}
_NAME = "^[!-~]([ -~]*[!-~])?$"
_EVERYWHERE = (400, 401, 403, 422, 429, 503)
_LINKED = ("get_one", "get", "update", "history", "forget_one", "related", "retention_keep")
"""Operations on one memory, to which the answer of a write leads."""


_MADE = {
    "recall": "/hits/0/memory/id",
    "update": "/id",
    "alias": "/id",
    "remember_many": "/results/0/id",
    "conversation_add": "/id",
    "conversation_add_many": "/results/0/id",
    "conversation_turns": "/results/0/id",
    "link": "/source",
    "settle": "/new",
}
"""Operation -> where its answer has the id of a memory."""
_FOLLOWING: dict[str, dict[str, dict[str, Any]]] = {
    "consolidate": {"consolidation_undo": {"requestBody": {"run_id": "$response.body#/run_id"}}},
    "consolidation_runs": {"consolidation_undo": {"requestBody": {"run_id": "$response.body#/results/0/id"}}},
    "quarantine_list": {"release": {"parameters": {"memory_id": "$response.body#/results/0/memory/id"}}},
    "unsettled": {
        "settle": {
            "requestBody": {
                "new": "$response.body#/results/0/new/id",
                "old": "$response.body#/results/0/old/id",
                "verdict": "both",
            }
        }
    },
}
"""Operation -> the operations that its answer leads to, beside those on one memory."""


def description() -> dict[str, Any]:
    """Return the whole description."""
    every = routes()
    answers, components = schemas(each.verb for each in every if not each.verb.streams)
    paths: dict[str, dict[str, Any]] = {}
    for route in every:
        answer = _LINES if streams(route) else answers[route.verb.name]
        paths.setdefault(PREFIX + route.path, {})[route.method.lower()] = _operation(route, answer)
    paths |= _own_paths()
    components["HttpProblem"] = _problem()
    parameters = {"namespace": _header(HEADER.title(), "Whose memories; default: `default`.", pattern=_NAME)}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Combray", "version": __version__, "description": ABOUT},
        "paths": paths,
        "components": {
            "schemas": components,
            "parameters": parameters,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"key": []}],
    }


def streams(route: Route) -> bool:
    """Whether the answer is a stream of lines of JSON."""
    return route.verb.name in ("export", "audit export")


def _operation(route: Route, answer: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "operationId": route.operation,
        "summary": route.verb.summary,
        "description": f"Rights: {route.verb.rights}.",
        "tags": [route.path.split("/")[1]],
        "parameters": [*_parameters(route)],
        "responses": {**_good(route, answer), **_bad(route)},
    }
    if not route.in_query:
        needed = any(each.required for each in route.known.values())
        made["requestBody"] = {"required": needed, "content": {_JSON: {"schema": _body(route)}}}
    return made


def _parameters(route: Route) -> Iterator[dict[str, Any]]:
    yield {"$ref": "#/components/parameters/namespace"}
    for name in route.in_path:
        shape = {"type": "string", "minLength": 1}
        yield {"name": name, "in": "path", "required": True, "schema": shape}
    if route.in_query:
        yield from (_in_query(name, each) for name, each in route.known.items())
    if route.writes and not route.verb.whole:
        yield _header("Idempotency-Key", "Carry this request out once, however often it is sent.", most=255)
    if route.verb.name == "update":
        yield _header("If-Match", "Change only the version with this ETag.", pattern='^("?[0-9]{1,9}"?|\\*)$')


def _in_query(name: str, parameter: Parameter) -> dict[str, Any]:
    made = schema({name: parameter})["properties"][name]
    about = made.pop("description", "")
    found: dict[str, Any] = {"name": name, "in": "query", "required": parameter.required}
    found |= {"description": about} if about else {}
    if parameter.type == "object":
        # A filter is JSON in the query.
        return found | {"content": {_JSON: {"schema": {"type": "object"}}}}
    if "anyOf" in made:
        # Null cannot be written in a query: leave the argument out.
        made = next(each for each in made["anyOf"] if each.get("type") != "null")
    return found | {
        "schema": {key: value for key, value in made.items() if key != "default" or value is not None}
    }


def _header(name: str, about: str, most: int = 200, pattern: str = "^[!-~]+$") -> dict[str, Any]:
    shape = {"type": "string", "minLength": 1, "maxLength": most, "pattern": pattern}
    return {"name": name, "in": "header", "description": about, "required": False, "schema": shape}


def _body(route: Route) -> dict[str, Any]:
    made = schema(route.known)
    if route.verb.name == "remember_many":
        item = schema(item_parameters())
        made["properties"]["items"] = {"type": "array", "items": {"anyOf": [item, _message(("role", "content"))]}}
    if route.verb.name == "conversation.add_many":
        made["properties"]["turns"] = {"type": "array", "items": _message(("content",))}
    return made


def _message(required: tuple[str, ...]) -> dict[str, Any]:
    """Return the schema of a message as model services write it. Fields of their protocols are dropped."""
    text = {"type": "string"}
    part = {"type": "object", "properties": {"type": text, "text": text}}
    prompt = "" if "role" in required else " Prompts are skipped."
    fields: dict[str, Any] = {
        "role": {"type": "string", "description": f"user, assistant or tool: the author, and the trust.{prompt}"},
        "content": {"anyOf": [text, {"type": "array", "items": part}]},
        "name": {"anyOf": [text, {"type": "null"}], "description": "The author, in place of the role."},
    }
    if "role" in required:
        fields["role"]["not"] = {"enum": list(PROMPTS)}
    return {"type": "object", "required": list(required), "properties": fields, "additionalProperties": True}


def _good(route: Route, answer: Any) -> dict[str, Any]:
    if streams(route):
        lines = {_LINES: {"schema": {"type": "string"}}}
        return {"200": {"description": "One JSON object a line.", "content": lines}}
    found: dict[str, Any] = {"description": "Done.", "content": {_JSON: {"schema": answer}}}
    if route.verb.name in ("get", "update"):
        found["headers"] = {"ETag": {"schema": {"type": "string"}, "description": "Version of the memory."}}
    links = _links(f"$response.body#{_MADE[route.operation]}") if route.operation in _MADE else {}
    for name, given in _FOLLOWING.get(route.operation, {}).items():
        links[name] = {"operationId": name, **given}
    if route.paged:
        links["next"] = {"operationId": route.operation, "parameters": _next(route)}
    if links:
        found["links"] = links
    codes = {"200": found}
    if route.verb.name == "remember":
        codes["201"] = found | {"description": "Stored.", "links": _links("$response.body#/id")}
        codes["200"] = found | {"description": "A known text was skipped.", "links": _links("$response.body#/id")}
    elif route.verb.name == "list":
        found["links"] = _links("$response.body#/memories/0/id")
        cursor = {"after": "$response.body#/cursor"}
        found["links"]["next"] = {"operationId": "list", "parameters": cursor}
    return codes


def _next(route: Route) -> dict[str, str]:
    """Return the arguments of the next page: those of this one, and the cursor."""
    again = {name: f"$request.path.{name}" for name in route.in_path}
    return again | {"after": "$response.body#/cursor"}


def _links(memory_id: str) -> dict[str, Any]:
    known = {each.operation: each for each in routes()}
    return {
        each: {"operationId": each, "parameters": {"memory_id": memory_id}} for each in _LINKED if each in known
    }


def _bad(route: Route) -> dict[str, Any]:
    codes = set(_EVERYWHERE)
    codes |= {404} if route.in_path or route.writes or "memory_id" in route.known else set()
    codes |= {413, 415} if not route.in_query else set()
    codes |= {409} if route.writes else set()
    codes |= {412} if route.verb.name == "update" else set()
    shape = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/HttpProblem"}}}
    return {str(each): {"description": REFUSALS[each], "content": shape} for each in sorted(codes)}


def _problem() -> dict[str, Any]:
    texts = {each: {"type": "string"} for each in ("type", "title", "detail", "argument", "remedy")}
    required = ["type", "title", "status", "detail"]
    return {"type": "object", "properties": texts | {"status": {"type": "integer"}}, "required": required}


def _own_paths() -> dict[str, Any]:
    """Return the paths that no verb has."""
    refused = {str(each): {"description": REFUSALS[each]} for each in (400, 401, 403, 422, 429, 503)}
    event = {
        "description": "One event a change.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
    seen = {"type": "string", "pattern": "^[0-9]{1,18}$"}
    listening = {
        "operationId": "events",
        "summary": "Stream what changes in a namespace, as server-sent events.",
        "description": "Rights: read. An event has the operation and the id of the memory, and no text.",
        "parameters": [
            {"$ref": "#/components/parameters/namespace"},
            {"name": "Last-Event-ID", "in": "header", "schema": seen},
        ],
        "responses": {"200": event, **refused},
    }
    hit = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
    hits = {"type": "object", "required": ["results"], "properties": {"results": {"type": "array", "items": hit}}}
    asking = {
        "operationId": "peer_search",
        "summary": "Answer another Combray: the peer protocol.",
        "requestBody": {"required": True, "content": {_JSON: {"schema": schema(PEER)}}},
        "responses": {
            "200": {"description": "Done.", "content": {_JSON: {"schema": hits}}},
            **refused,
            **{str(each): {"description": REFUSALS[each]} for each in (413, 415)},
        },
    }
    return {
        f"{PREFIX}/events": {"get": listening},
        f"{PREFIX}/search": {"post": asking},
        f"{PREFIX}/caller": {"get": _caller(refused)},
    }


def _caller(refused: dict[str, Any]) -> dict[str, Any]:
    text = {"type": "string"}
    texts = {"type": "array", "items": text}
    fields = {
        "name": text,
        "role": {"type": "string", "enum": list(RIGHTS)},
        "namespaces": {"anyOf": [texts, {"type": "null"}]},
        "presets": texts,
        "version": text,
    }
    shape = {"type": "object", "required": list(fields), "properties": fields}
    return {
        "operationId": "caller",
        "summary": "Say who calls, and what the caller may do.",
        "description": "Rights: any valid key. `namespaces` null: all.",
        "responses": {"200": {"description": "Done.", "content": {_JSON: {"schema": shape}}}, **refused},
    }
