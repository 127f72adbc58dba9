"""Requests read into arguments, with a 4xx and a sentence for whatever cannot be read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import anyio
import msgspec
from starlette.requests import ClientDisconnect, Request

from combray.errors import InvalidInputError
from combray.server.access import HEADER, Limits
from combray.server.problems import TOO_LONG, HttpError
from combray.server.routes import Route, item_parameters, one_item
from combray.types import DEFAULT_NAMESPACE
from combray.verbs.binding import checked_arguments, exactly
from combray.verbs.declaration import Parameter

_JSON = ("application/json", "application/problem+json")


def query_of(request: Request) -> dict[str, list[str]]:
    """Return the values of each name in the query. Raises HttpError for bytes that are not UTF-8."""
    try:
        pairs = parse_qsl(request.url.query, keep_blank_values=True, errors="strict", max_num_fields=1000)
    except ValueError as error:
        raise HttpError(400, "The query is not UTF-8, or has too many fields. Encode it as UTF-8.") from error
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found


def namespace_of(request: Request, query: dict[str, list[str]], *, of_verb: bool = False) -> str:
    """Return the namespace of a request: of its header or, taken out, its query. Raises HttpError.

    `of_verb`: the verb has an argument `namespace` of its own.
    """
    in_header = request.headers.getlist(HEADER)
    named = [*(() if of_verb else query.pop("namespace", ())), *in_header]
    if not all(map(str.isascii, in_header)):
        raise HttpError(400, "The header Combray-Namespace must be ASCII. Give other names in the query.")
    if len(set(named)) > 1:
        raise HttpError(400, "The request names several namespaces. Name one, in the header or in the query.")
    return named[0] if named else DEFAULT_NAMESPACE


async def arguments_of(
    route: Route, request: Request, query: dict[str, list[str]], limits: Limits
) -> dict[str, Any]:
    """Return the checked arguments of a request by their names on HTTP. Raises HttpError, InvalidInputError."""
    if route.in_query:
        _no_unknown(route.known, query)
        return _of_query(route.known, query)
    if query:
        raise HttpError(400, f"{min(query)!r} is not known in the query. Give arguments in the body.")
    given = await read_json(request, limits, batch=route.batch)
    _no_unknown(route.known, given)
    found = exactly(route.known, given)
    if route.verb.name != "remember_many":
        return found
    known = item_parameters()
    found["items"] = [one_item(each, known, place) for place, each in enumerate(found["items"])]
    return found


def _no_unknown(known: Mapping[str, Parameter], given: Mapping[str, Any]) -> None:
    if unknown := given.keys() - known.keys():
        has = ", ".join(known) or "none"
        raise HttpError(400, f"{min(unknown)!r} is not an argument of this path. Arguments: {has}.")


def _of_query(known: Mapping[str, Parameter], query: Mapping[str, list[str]]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name, values in query.items():
        if not known[name].many and len(values) > 1:
            raise HttpError(400, f"{name} is given {len(values)} times. Give it once.")
        given[name] = values if known[name].many else _object(name, values[0], known[name])
    found = checked_arguments("the request", known, given)
    return {name: found[name] for name in given}


def _object(name: str, value: str, parameter: Parameter) -> Any:
    if parameter.type != "object":
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise InvalidInputError(name, "is not JSON.", 'Write it like {"category": "decision"}.') from None


async def read_json(request: Request, limits: Limits, *, batch: bool = False) -> dict[str, Any]:
    """Return the JSON object of a body, {} if there is none. Raises HttpError."""
    most, seconds = limits.batch if batch else limits.body, limits.seconds
    body = await read_body(request, most, seconds)
    if not body:
        return {}
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _JSON:
        raise HttpError(415, "The body must be JSON. Send Content-Type: application/json.")
    try:
        given = msgspec.json.decode(body)
    except RecursionError as error:
        raise HttpError(400, "The body is nested too deeply.") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise HttpError(400, f"The body is not JSON in UTF-8: {error}.") from error
    if not isinstance(given, dict):
        raise HttpError(400, "The body must be a JSON object.")
    return given


async def read_body(request: Request, most: int, seconds: float) -> bytes:
    """Return the body. Raises HttpError if it is longer than `most` bytes or takes longer to come."""
    too_large = HttpError(413, f"The body is larger than {most} bytes. Send less, or several requests.")
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > most:
        raise too_large
    parts: list[bytes] = []
    size = 0
    try:
        with anyio.fail_after(seconds):
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise too_large
                parts.append(part)
    except TimeoutError as error:
        raise HttpError(TOO_LONG, f"The body did not come within {seconds:g} seconds.") from error
    except ClientDisconnect as error:
        raise HttpError(400, "The client closed the connection.") from error
    return b"".join(parts)
